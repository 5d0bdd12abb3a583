"""How the world stands to the expected one: after a fault, when it struck, and beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.paths import Absent, Path, parse, same

if TYPE_CHECKING:
    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison
    from oloproof.evaluation.states import StateComparison, StateMatch
    from oloproof.records.evidence import Struck
    from oloproof.suites.case import Case

State = Literal["reached", "missed", "unrecorded", "none_expected"]

Reached = Literal["before", "by_call", "after"]
"""When the world came to be the expected one: before the struck call, by that call itself
although it was struck, or after the agent had seen the fault."""

_ALL: Final[frozenset[Reached]] = frozenset({"before", "by_call", "after"})
_NOT_RUN: Final[frozenset[Reached]] = frozenset({"before", "after"})
_AFTER: Final[frozenset[Reached]] = frozenset({"after"})


class Beyond(NamedTuple):
    """A place that the replay alone changed; `spoken_of` says that the expectation has it."""

    path: str
    value: JsonValue | Absent
    spoken_of: bool


class Standing:
    """The world at the end of a faulted replay beside the expected and the recorded one."""

    def __init__(
        self,
        comparison: StateComparison,
        case: Case,
        end: JsonValue | Absent,
        bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    ) -> None:
        self._comparison = comparison
        self._bookkeeping = bookkeeping
        self._initial = case.initial_state
        self.end = end
        self.accepted = comparison.accepted_states(case)
        self.match: StateMatch | None = None
        if self.accepted and not isinstance(end, Absent):
            self.match = comparison.best_match(self.accepted, end, case.initial_state, bookkeeping)

    @property
    def state(self) -> State:
        """How it stands, as far as a world was recorded."""
        if not self.accepted:
            return "none_expected"
        if self.match is None:
            return "unrecorded"
        if self.match.vacuous:
            return "none_expected"  # of what is expected nothing was compared
        return "reached" if self.match.matched else "missed"

    @property
    def compared(self) -> tuple[Comparison, ...]:
        """What was compared with the nearest expected state."""
        return () if self.match is None else self.match.compared

    def reached(self, struck: Struck, *, ran: bool) -> frozenset[Reached]:
        """When the state that was reached came to be, as far as can be told.

        `ran` says that the struck call did its work.
        """
        before, after = self._stood(struck.before), self._stood(struck.after)
        if before:
            return frozenset({"before"})
        if after is False or (before is False and not ran):
            return _AFTER
        if before is False:
            return frozenset({"by_call"} if after else {"by_call", "after"})
        if after:
            return frozenset({"before", "by_call"} if ran else {"before"})
        return _ALL if ran else _NOT_RUN

    def _stood(self, world: JsonValue | Absent) -> bool | None:
        """Whether a world is already what was reached in the end; None where it is not known."""
        if isinstance(world, Absent):
            return None
        held = [state for state in self.accepted if self._holds(state, self.end)]
        return all(self._holds(state, world) for state in held)

    def _holds(self, state: JsonValue, world: JsonValue | Absent) -> bool:
        way, initial = self._comparison, self._initial
        return way.best_match([state], world, initial, self._bookkeeping).matched

    def beyond(self, recorded: JsonValue | Absent) -> list[Beyond]:
        """What the replay changed and the recording did not, and the expectation does not have."""
        if isinstance(recorded, Absent) or isinstance(self.end, Absent):
            return []
        found = []
        was, now = self._bookkeeping.sides(
            self._with_expected_keys(recorded), self._with_expected_keys(self.end), self._initial
        )
        for place in self._comparison.everywhere.compare(was, now):
            path = _path(place.path)
            value = path.get(now)
            # What is as it was at first the replay did not change: it left something undone.
            if place.passed or same(path.get(self._initial), value):
                continue
            spoken_of = self._speaks_of(path)
            if not spoken_of or self._fails_at(path):
                found.append(Beyond(place.path, value, spoken_of))
        return found

    def _with_expected_keys(self, world: JsonValue) -> JsonValue:
        """A world whose generated keys are those of the nearest expected state."""
        if self.match is None:
            return world
        expected = self.accepted[self.match.position]
        found: JsonValue = self._bookkeeping.sides(expected, world, self._initial)[1]
        return found

    def _speaks_of(self, path: Path) -> bool:
        if self.match is None or self.match.vacuous:
            return False
        return self._comparison.speaks_of(self.accepted[self.match.position], path)

    def _fails_at(self, path: Path) -> bool:
        failing = (_path(one.path) for one in self.compared if not one.passed)
        return any(one.covers(path) or path.covers(one) for one in failing)


def _path(text: str) -> Path:
    return parse(text) if text else Path(())
