"""Conversations as checks see them: messages, states turn by turn, and what was expected."""

from __future__ import annotations

from typing import Any

from evaluator_samples import case, evaluator, trajectory

from oloproof.evaluation.contract import Context, Verdict
from oloproof.evaluation.judging import CaseChecks
from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, CaseEvidence, Moment, Outcome
from oloproof.suites.case import Case

BROKEN: Any = MISSING
"""Stands where no state was recorded after a turn."""


def talk(turns: int, initial: Any = MISSING, **fields: Any) -> Case:
    """A case of some turns; `expected` by turn is given as `by_turn={2: {"state": …}}`."""
    by_turn = fields.pop("by_turn", None)
    if by_turn is not None:
        expected = {"turns": {str(turn): held for turn, held in by_turn.items()}}
        fields["expected"] = {**(fields.get("expected") or {}), **expected}
    messages = tuple({"user": f"message {turn}"} for turn in range(1, turns + 1))
    return case(initial, input=None, turns=messages, **fields)


def talked(
    *steps: dict[str, Any],
    active: tuple[Any, ...] = (),
    worlds: tuple[Any, ...] = (),
    replies: tuple[Any, ...] = (),
    outcome: Outcome = COMPLETED,
) -> CaseEvidence:
    """Evidence with states after turn 1, 2 and so on, and steps that name their turn."""
    return CaseEvidence(
        outcome,
        trajectory=trajectory(*steps) if steps else None,
        worlds=moments(worlds),
        active=moments(active),
        replies=replies,
    )


def moments(states: tuple[Any, ...]) -> tuple[Moment, ...]:
    """The states after turn 1, 2 and so on, but for those that are `BROKEN`."""
    return tuple(
        Moment(state, turn) for turn, state in enumerate(states, start=1) if state is not BROKEN
    )


def updated(turn: int, revision: int, committed: bool = True, **changes: Any) -> dict[str, Any]:
    """A state update; `__` in a name stands for the dot of a path."""
    named = {name.replace("__", "."): value for name, value in changes.items()}
    update = {"revision": revision, "changes": named, "committed": committed}
    return {"kind": "state_update", "turn": turn, "state_update": update}


def judged(of: Case, seen: CaseEvidence, /, **options: Any) -> Verdict:
    """What the one evaluator of a line says, once it has checked the case as before a run."""
    made = evaluator(**options)
    CaseChecks([made]).check(of)
    return made.evaluate(Context(of, seen))


def told(verdict: Verdict) -> list[tuple[int | None, str, str | None]]:
    """The places that failed: turn, path and note."""
    return [(place.turn, place.path, place.note) for place in verdict.compared if not place.passed]
