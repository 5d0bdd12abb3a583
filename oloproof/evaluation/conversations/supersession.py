"""Which values were replaced in a conversation, by what, from when on, and which came back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oloproof.canonical import equal
from oloproof.evaluation.conditions.nodes import found_at
from oloproof.evaluation.conversations.sources import ACTIVE, expected_at
from oloproof.evaluation.turns import readable
from oloproof.paths import MISSING, Absent, Path, children, parse, same, under

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.turns import Conversation, Of


@dataclass(frozen=True, slots=True, eq=False)
class Replacement:
    """At `path` the value `old` gave way to `new`; `MISSING` on a side: nothing was there."""

    path: Path
    old: JsonValue | Absent
    new: JsonValue | Absent

    @property
    def shown(self) -> dict[str, JsonValue]:
        """The entry that tells of it."""
        sides = {"old": self.old, "new": self.new}
        there = {name: side for name, side in sides.items() if not isinstance(side, Absent)}
        return {"path": str(self.path), **there}

    def is_at(self, path: Path) -> bool:
        """Whether it is at the place that `path` names, in whatever form."""
        return _keys(self.path) == _keys(path)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Replacement)
            and self.is_at(other.path)
            and same(self.old, other.old)
            and same(self.new, other.new)
        )

    def __hash__(self) -> int:
        return hash(_keys(self.path))


def entry_of(item: JsonValue) -> Replacement | None:
    """The replacement of which an entry tells, by null where nothing came; None if it is none."""
    if not isinstance(item, dict) or "old" not in item or not isinstance(item.get("path"), str):
        return None
    path = readable(str(item["path"]))
    return None if path is None else Replacement(path, item["old"], item.get("new"))


def replacements_in(
    conversation: Conversation, of: Of, paths: Sequence[Path], last: int
) -> Iterator[list[list[Replacement]]]:
    """For each value that was replaced up to a turn the accounts that may be given of it.

    One account is the replacement from turn to turn, in order. Another, where the working
    state was updated several times within a turn, is that of every step on the way.
    """
    for turn in range(1, last + 1):
        before, after = conversation.counted(of, turn - 1), conversation.counted(of, turn)
        if isinstance(before, Absent) or isinstance(after, Absent):
            continue
        updates = _on_the_way(conversation, turn, before) if of == "active" else []
        for path in places_in(paths, before):
            direct = _replaced(path, (before, after))
            if direct:
                steps = _replaced(path, (before, *updates, after))
                yield [direct, steps] if len(steps) > 1 else [direct]


def places_in(paths: Iterable[Path], *states: JsonValue) -> list[Path]:
    """The places that paths name in some states; of an object those of its values."""
    places: dict[str, None] = {}
    waiting = [found for path in paths for at in states for found in found_at(path, at).items()]
    while waiting:
        place, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting = [(under(place, key), item) for key, item in value.items()] + waiting
        else:
            places[place] = None
    return list(map(parse, places))


def _replaced(path: Path, states: Iterable[JsonValue]) -> list[Replacement]:
    """The replacements at one place from state to state; null and nothing are no values."""
    values = [_value(path, state) for state in states]
    return [
        Replacement(path, old, new)
        for old, new in pairwise(values)
        if old is not None and not equal(old, new)
    ]


def _value(path: Path, state: JsonValue) -> JsonValue:
    value = path.get(state)
    return None if isinstance(value, Absent) else value


def _on_the_way(conversation: Conversation, turn: int, state: JsonValue) -> list[JsonValue]:
    """The working state after each committed update of a turn."""
    states: list[JsonValue] = []
    for update in conversation.updates_in((turn,)):
        after = update.applied_to(states[-1] if states else state)
        if isinstance(after, Absent):
            break
        states.append(after)
    return states


def _keys(path: Path) -> tuple[str, ...]:
    return tuple(map(str, path.segments))


@dataclass(frozen=True, slots=True, eq=False)
class Change(Replacement):
    """A replacement that holds from `step` of `turn` on.

    That is the step of the state update where it is known, else the beginning of the turn.
    """

    turn: int
    step: int = 0

    def precedes(self, turn: int, step: int) -> bool:
        """Whether it holds at a step of a turn."""
        return (self.turn, self.step) < (turn, step)

    def __str__(self) -> str:
        return f"`{self.path}` in turn {self.turn}"


def changes(conversation: Conversation, source: Source, paths: Sequence[Path]) -> list[Change]:
    """How the values at some paths changed from turn to turn, in order; objects by their parts.

    Nothing is said of a turn before or after which the state is not known.
    """
    found: list[Change] = []
    before: JsonValue | Absent = source.after(conversation, 0)
    for turn in range(1, conversation.last + 1):
        after = source.after(conversation, turn)
        if isinstance(after, Absent):
            continue  # what holds then is told by the next one that is known
        if not isinstance(before, Absent):
            found += [
                Change(place, old, new, turn)
                for place in places_in(paths, before, after)
                if (source.of != "world" or conversation.context.bookkeeping.counts(place))
                and not same(old := place.get(before), new := place.get(after))
            ]
        before = after
    return _dated(found, conversation, source)


def _dated(found: list[Change], conversation: Conversation, source: Source) -> list[Change]:
    """The changes with the steps that committed them, where they are of the working state."""
    if source.of != "active":
        return found
    return [_at_step(change, conversation) for change in found]


def _at_step(change: Change, conversation: Conversation) -> Change:
    for update in conversation.updates_in((change.turn,)):
        if any(path.covers(change.path) for path in update.paths):
            return replace(change, step=update.step)
    return change


def listed(conversation: Conversation, source: Source, history: Path) -> list[Change]:
    """The changes of which a list in the state tells, each from the turn where it is new there.

    An entry is an object with `path`, `old` and `new`.
    """
    found: list[Change] = []
    known: list[JsonValue] = []
    for turn in range(conversation.last + 1):
        state = source.after(conversation, turn)
        entries = [entry for _, entry in children(history.get(state))]
        unknown = known.copy()
        for entry in entries:
            if entry in unknown:
                unknown.remove(entry)
            else:
                found += _told(entry, max(turn, 1))
        known = entries or known
    return _dated(found, conversation, source)


def expected_changes(conversation: Conversation) -> list[Change]:
    """The changes that a case itself lists at `superseded` among what it expects of a turn."""
    case = conversation.context.case
    return [
        change
        for turn in range(1, conversation.last + 1)
        for _, entry in children(expected_at(case, turn, "superseded"))
        for change in _told(entry, turn)
    ]


def _told(entry: JsonValue, turn: int) -> list[Change]:
    """The change of which an entry of a history tells; none for what is no such entry."""
    told = entry_of(entry)
    return [] if told is None else [Change(told.path, told.old, told.new, turn)]


def superseded_at(found: Iterable[Change], turn: int, step: int) -> list[Change]:
    """The changes whose old value is superseded at a step: it did not come back meanwhile."""
    current: dict[str, JsonValue | Absent] = {}
    held = [change for change in found if change.precedes(turn, step)]
    for change in held:
        current[str(change.path)] = change.new
    return [
        change
        for change in held
        if not isinstance(change.old, Absent) and not same(change.old, current[str(change.path)])
    ]


def values_at(found: Iterable[Change], turn: int, step: int) -> dict[Path, JsonValue | Absent]:
    """What was at each place that ever changed, when a step was taken."""
    values: dict[Path, JsonValue | Absent] = {}
    for change in found:
        if change.precedes(turn, step):
            values[change.path] = change.new
        else:
            values.setdefault(change.path, change.old)
    return values


def differing(
    one: dict[Path, JsonValue | Absent], other: dict[Path, JsonValue | Absent]
) -> list[Path]:
    """The places with unlike values in two answers of `values_at`."""
    return [path for path, value in one.items() if not same(value, other.get(path, MISSING))]


def knows(conversation: Conversation, change: Change, turn: int, step: int | None) -> bool:
    """Whether the working state held another value than the old one when a step was taken."""
    state: Any = ACTIVE.before(conversation, turn, step)
    value = MISSING if isinstance(state, Absent) else change.path.get(state)
    if isinstance(value, Absent):
        return False
    return isinstance(change.old, Absent) or not equal(change.old, value)
