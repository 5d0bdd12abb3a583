"""Conversations by hand: a list of turns, each with its steps and the states after it."""

from __future__ import annotations

from typing import Any

from evaluator_samples import case, evaluator

from oloproof.evaluation.contract import Context, Verdict
from oloproof.evaluation.judging import CaseChecks
from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, CaseEvidence, Moment, Outcome


def called(tool: str, arguments: Any = None, result: Any = None, **fields: Any) -> dict[str, Any]:
    """A call step; with a result it came back at once."""
    step: dict[str, Any] = {"kind": "tool_call", "tool_name": tool, "arguments": arguments}
    return {**step, **({} if result is None else {"result": result}), **fields}


def came_back(tool: str, result: Any = None, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "tool_name": tool, "result": result, **fields}


def updated(revision: int, committed: bool = True, **changes: Any) -> dict[str, Any]:
    """A state update; in the names of `changes` two underscores are a dot."""
    dotted = {name.replace("__", "."): value for name, value in changes.items()}
    update = {"revision": revision, "changes": dotted, "committed": committed}
    return {"kind": "state_update", "state_update": update, "state_revision": revision}


def said(text: Any, **fields: Any) -> dict[str, Any]:
    """A message of the agent's."""
    return {"kind": "message", "result": text, **fields}


def asked(text: str) -> dict[str, Any]:
    """The user's message."""
    return {"kind": "message", "agent": "user", "result": text}


def made(name: str, kind: str, content: Any = None) -> dict[str, Any]:
    return {"kind": "observation", "artefact": {"name": name, "kind": kind, "content": content}}


def conversation(
    *turns: list[dict[str, Any]],
    expected: Any = None,
    initial: Any = MISSING,
    worlds: Any = (),
    active: Any = (),
    replies: Any = None,
    outcome: Outcome = COMPLETED,
    asked_for: int | None = None,
    trajectory: Any = None,
) -> Context:
    """A case that was talked through; `asked_for` are its turns where it broke off earlier.

    A state of `MISSING` in `worlds` or `active` was not recorded after that turn.
    """
    steps = [{**step, "turn": turn} for turn, inner in enumerate(turns, 1) for step in inner]
    numbered = [{"index": index, **step} for index, step in enumerate(steps, 1)]
    texts = ["…"] * len(turns) if replies is None else replies
    messages = tuple({"user": f"message {n + 1}"} for n in range(asked_for or len(turns)))
    of = case(initial, input=None, expected=expected, turns=messages)
    reported: Any = {"steps": numbered, **(trajectory or {})}
    evidence = CaseEvidence(
        outcome,
        output=texts[-1] if texts else MISSING,
        trajectory=reported,
        worlds=_moments(worlds),
        active=_moments(active),
        replies=tuple(texts),
    )
    return Context(of, evidence)


def _moments(states: Any) -> tuple[Moment, ...]:
    return tuple(
        Moment(state, turn) for turn, state in enumerate(states, 1) if state is not MISSING
    )


def judged(options: dict[str, Any], context: Context) -> Verdict:
    """The verdict of a line on a conversation, which it must accept before the run."""
    one = evaluator(**options)
    CaseChecks([one]).check(context.case)
    return one.evaluate(context)


def places(verdict: Verdict) -> list[tuple[str, int | None, bool]]:
    """Path, turn and outcome of each place that was compared."""
    return [(place.path, place.turn, place.passed) for place in verdict.compared]


def told(verdict: Verdict) -> list[tuple[int | None, str, str | None]]:
    """The places that failed: turn, path and note."""
    return [(place.turn, place.path, place.note) for place in verdict.compared if not place.passed]
