"""Which turns of a conversation a check speaks of, and what was the case in each.

Turn n is the n-th user message and everything up to the next. A single call is a
conversation of one turn, so that one vocabulary scopes every check.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field, model_validator

from oloproof.errors import ConfigurationError
from oloproof.evaluation.options import EvaluatorOptions
from oloproof.patches import PatchError, apply
from oloproof.paths import MISSING, Absent, Path, parse, to_pointer
from oloproof.records.calls import with_turns
from oloproof.records.case import refuse_case
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context
    from oloproof.records.case import Case
    from oloproof.records.evidence import Moment

Of: TypeAlias = Literal["world", "active"]
"""Whose state: the sandbox's, or the agent's own working state."""


@dataclass(frozen=True, slots=True)
class TurnSelector:
    """The turns that a check speaks of; without any scope all of them.

    `turn` is one turn, `after` those later than a turn, `until` those up to and with a turn,
    `final` the last one. `after` and `until` together are the turns between.
    """

    turn: int | None = None
    after: int | None = None
    until: int | None = None
    final: bool = False

    @property
    def is_scoped(self) -> bool:
        """Whether anything is said at all."""
        return self.final or not (self.turn is self.after is self.until is None)

    def turns(self, last: int) -> range:
        """The selected turns of a conversation of `last` turns."""
        if self.final:
            return range(last, last + 1)
        if self.turn is not None:
            return range(self.turn, min(self.turn, last) + 1)
        until = last if self.until is None else min(self.until, last)
        return range((self.after or 0) + 1, until + 1)

    def check_case(self, case: Case, criterion: str) -> None:
        """Raises `ConfigurationError` where it selects no turn of a case, or one that is not there.

        A check that could never speak of a conversation is most likely mistaken in its number.
        """
        last = turns_of(case)
        beyond = max(self.turn or 0, self.until or 0, (self.after or 0) + 1)
        if beyond > last:
            shown = f"{last} turn" if last == 1 else f"{last} turns"
            raise refuse_case(
                case,
                f"`{criterion}` speaks of turn {beyond}, and case `{case.id}` has {shown}",
                fix=f"name a turn from 1 to {last}, or name the cases it is for: `cases: [ID, …]`",
            )

    def __str__(self) -> str:
        if self.final:
            return "the last turn"
        if self.turn is not None:
            return f"turn {self.turn}"
        parts = [] if self.after is None else [f"after turn {self.after}"]
        parts += [] if self.until is None else [f"until turn {self.until}"]
        return ", ".join(parts) or "every turn"


class TurnOptions(EvaluatorOptions):
    """The fields that scope a check to turns."""

    turn: int | None = Field(default=None, ge=1)
    after: int | None = Field(default=None, ge=1)
    until: int | None = Field(default=None, ge=1)
    final: bool = False

    @model_validator(mode="after")
    def _one_scope(self) -> TurnOptions:
        given = [name for name in ("turn", "after", "until") if getattr(self, name) is not None]
        given += ["final"] if self.final else []
        if len(given) > 1 and given != ["after", "until"]:
            raise refuse(
                f"`{given[0]}` and `{given[1]}` cannot both be given",
                fix="give one of `turn`, `final`, or `after` with `until` or alone",
                at=(given[1],),
            )
        if self.after is not None and self.until is not None and self.until <= self.after:
            raise refuse(
                f"no turn is after {self.after} and at most {self.until}",
                fix="make `until` larger than `after`",
                at=("until",),
            )
        return self

    @property
    def selector(self) -> TurnSelector:
        """The turns that the line speaks of."""
        return TurnSelector(self.turn, self.after, self.until, self.final)


def turns_of(case: Case) -> int:
    """How many turns a case asks for: one, where it is a single call."""
    return len(case.turns) or 1


class Update(NamedTuple):
    """A state update of the agent's, and where it stands."""

    turn: int
    step: int
    revision: int
    changes: dict[str, JsonValue]
    committed: bool

    @property
    def paths(self) -> list[Path]:
        """The paths that it changes, without those that cannot be read."""
        return [path for path in map(readable, self.changes) if path is not None]

    def applied_to(self, state: JsonValue) -> JsonValue | Absent:
        """A state with the changes; objects on the way to their paths are made.

        `MISSING` where a path cannot be read, or leads nowhere in the state: what then held,
        nobody knows.
        """
        for text, value in self.changes.items():
            path = readable(text)
            if path is None:
                return MISSING
            try:
                state = _with_value(state, path, value)
            except PatchError:
                return MISSING
        return state


@dataclass(frozen=True)
class Conversation:
    """One case as a conversation: its steps, replies and states by turn."""

    context: Context

    @property
    def last(self) -> int:
        """The number of turns that were asked for."""
        return turns_of(self.context.case)

    @cached_property
    def steps(self) -> list[tuple[int, dict[str, Any]]]:
        """Every step in the one order of events, with its turn."""
        return list(with_turns(self.context.evidence.steps))

    @property
    def tells_turns(self) -> bool:
        """Whether its steps, if there are any, can be told apart by turn."""
        steps = self.context.evidence.steps
        return self.last == 1 or not steps or any("turn" in step for step in steps)

    def steps_in(self, turns: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The steps of some turns, in order."""
        return ((turn, step) for turn, step in self.steps if turn in turns)

    def updates_in(self, turns: Sequence[int], *, proposed: bool = False) -> Iterator[Update]:
        """The state updates of some turns that were committed, or also only `proposed`."""
        for turn, step in self.steps_in(turns):
            update = step.get("state_update")
            if update is not None and (update["committed"] or proposed):
                changes = update.get("changes", {})
                yield Update(turn, step["index"], update["revision"], changes, update["committed"])

    def reply(self, turn: int) -> JsonValue | Absent:
        """What the system answered in a turn; `MISSING` where it did not get that far."""
        evidence = self.context.evidence
        if not self.context.case.turns:
            return evidence.output if turn == 1 else MISSING
        return evidence.replies[turn - 1] if 0 < turn <= len(evidence.replies) else MISSING

    def state(self, of: Of, turn: int) -> JsonValue | Absent:
        """The state after a turn; after turn 0 that before the first message.

        `MISSING` where none was recorded. Before the first message the working state is not
        known, and the world is the case's initial state.
        """
        if turn == 0:
            case = self.context.case
            known = of == "world" and case.state_json is not None
            return case.initial_state if known else MISSING
        for moment in self._moments(of):
            if (self.last if moment.turn is None else moment.turn) == turn:
                return moment.state
        return MISSING

    def counted(self, of: Of, turn: int) -> Any:
        """The state after a turn, without what the sandbox writes down by itself."""
        state = self.state(of, turn)
        return self.context.bookkeeping.without(state) if of == "world" else state

    def lacks(self, of: Of, turn: int) -> bool:
        """Whether there is no state after a turn although they were to be recorded.

        What held then nobody knows, and no other state stands for it.
        """
        evidence = self.context.evidence
        problem = evidence.world_problem if of == "world" else evidence.active_problem
        recorded = bool(self._moments(of)) or problem is not None
        return turn > 0 and recorded and isinstance(self.state(of, turn), Absent)

    def active_before(self, step_index: int) -> JsonValue | Absent:
        """The working state that held when a step was taken.

        It is the state after the turn before, with the changes of the state updates that were
        committed in the same turn before the step. Where no working state is recorded at all,
        and before the first turn, it is made of the updates alone once one was committed. It is
        not known where that of this turn or of the one before could not be recorded.
        """
        turn = next(turn for turn, step in self.steps if step["index"] == step_index)
        if self.lacks("active", turn) or self.lacks("active", turn - 1):
            return MISSING
        state = self.state("active", turn - 1)
        for update in self.updates_in((turn,)):
            if update.step < step_index:
                state = update.applied_to({} if isinstance(state, Absent) else state)
                if isinstance(state, Absent):
                    return MISSING
        return state

    def _moments(self, of: Of) -> tuple[Moment, ...]:
        evidence = self.context.evidence
        return evidence.worlds if of == "world" else evidence.active


def readable(text: str) -> Path | None:
    """The path that an agent wrote; None where it cannot be read, which is no fault of a suite."""
    try:
        return parse(text)
    except ConfigurationError:
        return None


def _with_value(state: JsonValue, path: Path, value: JsonValue) -> JsonValue:
    for depth in range(1, len(path.segments)):
        above = Path(path.segments[:depth])
        if isinstance(above.get(state), Absent):
            state = apply(state, [{"op": "add", "path": to_pointer(above), "value": {}}])
    return apply(state, [{"op": "add", "path": to_pointer(path), "value": value}])
