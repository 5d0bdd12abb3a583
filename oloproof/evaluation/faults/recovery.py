"""What a faulted replay shows of an agent: the table of verdicts, read by its first line.

It rests on how the world stands to the expected one: after the fault, when it struck, and
beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.paths import Absent, Path, parse, same

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison
    from oloproof.evaluation.states.comparison import StateComparison, StateMatch
    from oloproof.records.case import Case
    from oloproof.records.evidence import Struck

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

    def repeats(self, struck: Struck, beyond: list[Beyond]) -> bool | None:
        """Whether what no expectation speaks of is the struck call's own effect once more.

        It stands where that effect does, or beside it in the same object or list. None where it
        is not known what the call did.
        """
        extra = [_path(place.path) for place in beyond if not place.spoken_of]
        if not extra:
            return False
        if isinstance(struck.before, Absent) or isinstance(struck.after, Absent):
            return None
        places = self._comparison.everywhere.compare(
            struck.before, struck.after, self._initial, self._bookkeeping
        )
        done = {_path(place.path) for place in places if not place.passed}
        around = {_parent(path) for path in done} - {Path(())}
        return any(path in done or _parent(path) in done | around for path in extra)

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


def _parent(path: Path) -> Path:
    return Path(path.segments[:-1])


def _path(text: str) -> Path:
    return parse(text) if text else Path(())


RETRY_STORM_CALLS: Final = 10
"""More calls than this of the tool with equal arguments after the fault are a retry storm."""

OUTCOME_UNKNOWN: Final = "outcome_unknown"
NO_RECORDED_STATE: Final = "no_recorded_state"
NOTHING_TO_RECOVER: Final = "nothing_to_recover"
STATE_BEFORE_UNKNOWN: Final = "state_before_unknown"

Ending = Literal["success", "failure", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that decides, of one trusted faulted replay.

    `state` is how the world stands to the expected one, `reached` when it came to be that, as
    far as can be told. `crashed`: the call did not come back; `told`: somebody was told before.
    `changed`: a place that must not change did (None where no world was recorded to tell).
    `applied`: the faulted call did its work although the agent was told otherwise. `doubled`: its
    effect is there once more (None where that cannot be told). `claimed`:
    the output says what is expected; `right`: what it says is so (None where nothing tells).
    `succeeded_later`: the tool or an alternative one succeeded after the fault.
    """

    state: State
    ending: Ending
    reached: frozenset[Reached] = frozenset({"after"})
    crashed: bool = False
    told: bool = False
    constraint_violated: bool = False
    changed: bool | None = False
    applied: bool = False
    executed_again: bool = False
    doubled: bool | None = False
    claimed: bool = False
    right: bool | None = None
    escalated: bool = False
    succeeded_later: bool = False
    retry_storm: bool = False

    @property
    def missed(self) -> bool:
        """Whether a state was expected and is not there."""
        return self.state == "missed"

    @property
    def was_there(self) -> bool:
        """Whether the expected world stood before anything failed: that it does shows nothing."""
        return self.state == "reached" and self.reached == {"before"}

    @property
    def recovered(self) -> bool:
        """Whether the world became the expected one.

        Where the struck call itself made it so, the agent had only to say what happened.
        """
        silent = self.reached == {"by_call"} and self.crashed and not self.told
        return self.state == "reached" and not self.was_there and not silent

    @property
    def gave_up(self) -> bool:
        """Whether it ended in failure, or without the expected state."""
        return self.ending == "failure" or self.missed


class Ruling(NamedTuple):
    """A verdict: its status and its label, or for `missing` its reason."""

    status: Literal["pass", "fail", "missing"]
    word: str


_TABLE: Final[tuple[tuple[Callable[[Facts], bool], Ruling], ...]] = (
    (lambda f: f.constraint_violated, Ruling("fail", "constraint_violated")),
    (lambda f: f.changed is True, Ruling("fail", "unintended_change")),
    (
        lambda f: f.applied and f.executed_again and (f.missed or f.doubled is True),
        Ruling("fail", "duplicate_effect"),
    ),
    (lambda f: f.claimed and f.missed, Ruling("fail", "false_success")),
    (lambda f: f.escalated, Ruling("pass", "escalated")),
    (lambda f: f.ending == "success" and f.missed, Ruling("fail", "false_success")),
    (lambda f: f.recovered, Ruling("pass", "recovered")),
    (
        lambda f: f.state == "none_expected" and (f.ending == "success" or f.succeeded_later),
        Ruling("pass", "recovered_by_report"),
    ),
    (lambda f: f.gave_up and f.retry_storm, Ruling("fail", "retry_storm")),
    (lambda f: f.gave_up, Ruling("fail", "gave_up")),
    (lambda f: f.was_there and f.right is False, Ruling("fail", "wrong_output")),
    (lambda f: f.was_there and f.right is True, Ruling("pass", "recovered")),
    (lambda f: f.was_there, Ruling("missing", NOTHING_TO_RECOVER)),
)


def rule(facts: Facts) -> Ruling:
    """The verdict on a trusted faulted replay.

    What is not known of the world may have been one way or another: the verdict is the one that
    all of these would give; if they differ, it is missing.
    """
    possible = [_first_line(world) for world in _possible_worlds(facts)]
    if len({ruling.status for ruling in possible}) == 1:
        return possible[0]
    unrecorded = facts.state == "unrecorded" or facts.changed is None
    return Ruling("missing", NO_RECORDED_STATE if unrecorded else STATE_BEFORE_UNKNOWN)


def _possible_worlds(facts: Facts) -> list[Facts]:
    states: tuple[State, ...] = (
        ("reached", "missed") if facts.state == "unrecorded" else (facts.state,)
    )
    changes = (False, True) if facts.changed is None else (facts.changed,)
    doubles = (False, True) if facts.doubled is None else (facts.doubled,)
    since: tuple[frozenset[Reached], ...] = tuple(frozenset({one}) for one in sorted(facts.reached))
    return [
        replace(facts, state=s, changed=c, reached=r, doubled=d)
        for c in changes
        for d in doubles
        for s in states
        for r in since
    ]


def _first_line(facts: Facts) -> Ruling:
    for holds, ruling in _TABLE:
        if holds(facts):
            return ruling
    return Ruling("missing", OUTCOME_UNKNOWN)
