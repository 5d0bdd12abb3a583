"""The states that a case accepts, how they are compared, and what they say of a wrong value."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.evaluation.chosen import fits_any
from oloproof.evaluation.locus import Locus, locus_of_effect, value_at
from oloproof.evaluation.states.comparison import EXACT
from oloproof.evaluation.states.snapshots import expected_by_turn, reached
from oloproof.evaluation.turns import turns_of
from oloproof.paths import MISSING, Absent, same
from oloproof.records.case import refuse_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison
    from oloproof.evaluation.states.comparison import Mode, StateComparison
    from oloproof.evaluation.turns import Conversation, Of
    from oloproof.paths import Path
    from oloproof.records.case import Case


class ExpectedStates(NamedTuple):
    """The comparisons of the suite's `state_matches` lines, with the patterns of their cases.

    None stands for all cases.
    """

    lines: tuple[tuple[tuple[str, ...] | None, StateComparison], ...] = ()

    def of(self, case: Case) -> StateComparison:
        """How the first line that is for a case compares; exactly where none is."""
        for patterns, comparison in self.lines:
            if patterns is None or fits_any(patterns, case):
                return comparison
        return EXACT

    def in_mode(self, mode: Mode) -> ExpectedStates:
        """The same in another mode; `ConfigurationError` where that lacks what it needs."""
        lines = self.lines or ((None, EXACT),)
        return ExpectedStates(tuple((of, compared.in_mode(mode)) for of, compared in lines))

    @property
    def alternatives(self) -> frozenset[str]:
        """The fields of `expected` that list further accepted states."""
        return frozenset({EXACT.alternatives, *(one.alternatives for _, one in self.lines)})


class Accepted(NamedTuple):
    """The states that are accepted after a turn, or (`is_end`) in the end of the whole case."""

    turn: int
    states: tuple[JsonValue, ...]
    is_end: bool = False


def accepted_by(case: Case, field: Path, alternatives: str) -> list[Accepted]:
    """The accepted states of a case by turn, those of the end last.

    They are what `expected`, or `expected.turns.N`, has at `field`, and then the list at
    `alternatives` beside it; `ConfigurationError` where that is no list.
    """
    points = [
        Accepted(turn, _states(case, expected, field, alternatives, f"turns.{turn}."))
        for turn, expected in expected_by_turn(case).items()
    ]
    end = _states(case, case.expected or {}, field, alternatives, "")
    points.append(Accepted(turns_of(case), end, is_end=True))
    return [point for point in points if point.states]


def _states(
    case: Case, expected: dict[str, JsonValue], field: Path, alternatives: str, within: str
) -> tuple[JsonValue, ...]:
    first = field.get(expected)
    further = expected.get(alternatives, [])
    if not isinstance(further, list):
        raise refuse_case(
            case,
            f"`expected.{within}{alternatives}` of case `{case.id}` is not a list",
            fix="write a list of accepted states",
        )
    return (*(() if isinstance(first, Absent) else (first,)), *further)


class Memory:
    """What was expected and recorded turn by turn, to say of a wrong value whence it is."""

    def __init__(self, conversation: Conversation, of: Of, points: Iterable[Accepted]) -> None:
        self._conversation = conversation
        self._of: Of = of
        self._accepted: dict[int, tuple[JsonValue, ...]] = {}
        for point in points:
            self._accepted.setdefault(point.turn, point.states)

    @cached_property
    def end(self) -> int:
        """The turn after which the last state is that of the end: the last that was begun."""
        return reached(self._conversation)

    @property
    def initial(self) -> JsonValue:
        """The initial state where it is the world's, else None."""
        return self._conversation.context.case.initial_state if self._of == "world" else None

    @property
    def bookkeeping(self) -> Bookkeeping:
        """What does not count of it; nothing of a working state, which no sandbox keeps."""
        kept = self._conversation.context.bookkeeping
        return kept if self._of == "world" else NO_BOOKKEEPING

    def before(self, turn: int) -> JsonValue | Absent:
        """The state that was recorded after the turn before."""
        return self._conversation.state(self._of, turn - 1) if turn > 1 else MISSING

    def noted(self, place: Comparison, turn: int) -> Comparison:
        """A place that failed, with a note where it still holds what was right before.

        That is the value which was expected after an earlier turn or, where nothing was
        expected then, was recorded. The turn named is the latest such turn.
        """
        if place.passed or isinstance(place.actual, Absent) or not self._is_conversation:
            return place
        for earlier in range(turn - 1, -1, -1):
            states = self._accepted.get(earlier) or (self._conversation.state(self._of, earlier),)
            if any(same(value_at(place.path, state), place.actual) for state in states):
                held = f"still the value of turn {earlier}" if earlier else "still the first value"
                other = None if place.note in (None, "not expected") else f"{place.note}; "
                return place._replace(note=f"{other or ''}{held}")
        return place

    def locus(self, path: str, turn: int, expected: JsonValue) -> Locus | None:
        """To what a failure at `path` after a turn is laid; None for a single call.

        A wrong working state is laid to `memory` where the same value was expected after an
        earlier turn, was there then, and no change of it was expected since. Else to
        `interpretation`: since the value was to be there it never was, so the update of the
        turn that asked for it was wrong, or nobody asked for what is there.
        """
        if not self._is_conversation:
            return None
        if self._of == "world":
            return locus_of_effect(self._conversation, turn - 1, turn)
        wanted = value_at(path, expected)
        for earlier in sorted(self._accepted, reverse=True):
            state = self._conversation.state("active", earlier)
            if earlier >= turn or isinstance(state, Absent):
                continue
            accepted = (value_at(path, one) for one in self._accepted[earlier])
            if isinstance(wanted, Absent) or not any(same(one, wanted) for one in accepted):
                break
            if same(value_at(path, state), wanted):
                return "memory"
        return "interpretation"

    @property
    def _is_conversation(self) -> bool:
        return bool(self._conversation.context.case.turns)
