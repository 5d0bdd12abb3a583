"""Which values were replaced in a conversation, from when on, and which came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oloproof.canonical import equal
from oloproof.errors import ConfigurationError
from oloproof.evaluation.locus import same
from oloproof.evaluation.sources import ACTIVE, expected_at
from oloproof.paths import MISSING, Absent, Path, children, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.sources import Source
    from oloproof.evaluation.turns import Conversation


@dataclass(frozen=True, slots=True)
class Change:
    """At `path` a value became another; `MISSING` on a side means that nothing was there.

    It holds from `step` of `turn` on, where the step of the state update is known, else from
    the beginning of the turn.
    """

    path: Path
    old: JsonValue | Absent
    new: JsonValue | Absent
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
            found += _between(before, after, paths, turn)
        before = after
    return _dated(found, conversation, source)


def _between(
    before: JsonValue, after: JsonValue, paths: Iterable[Path], turn: int
) -> Iterator[Change]:
    for path in paths:
        places = {place for state in (before, after) for place, _ in path.select(state)}
        for place in sorted(places, key=str):
            if not place.has_wildcard:
                yield from _parts(place, place.get(before), place.get(after), turn)


def _parts(
    path: Path, old: JsonValue | Absent, new: JsonValue | Absent, turn: int
) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            inner = Path((*path.segments, key))
            yield from _parts(inner, old.get(key, MISSING), new.get(key, MISSING), turn)
    elif isinstance(old, Absent) or isinstance(new, Absent):
        if old is not new:
            yield Change(path, old, new, turn)
    elif not equal(old, new):
        yield Change(path, old, new, turn)


def _dated(found: list[Change], conversation: Conversation, source: Source) -> list[Change]:
    """The changes with the steps that committed them, where they are of the working state."""
    if source.of != "active":
        return found
    return [_at_step(change, conversation) for change in found]


def _at_step(change: Change, conversation: Conversation) -> Change:
    for _, step in conversation.steps_in((change.turn,)):
        update = step.get("state_update")
        if update is None or not update["committed"]:
            continue
        if any(_names(text, change.path) for text in update.get("changes", {})):
            return Change(change.path, change.old, change.new, change.turn, step["index"])
    return change


def _names(text: str, path: Path) -> bool:
    """Whether a change of a state update is of a path, or of something around it."""
    try:
        return parse(text).covers(path)
    except ConfigurationError:
        return False


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
                found += _entry(entry, max(turn, 1))
        known = entries or known
    return _dated(found, conversation, source)


def expected_changes(conversation: Conversation) -> list[Change]:
    """The changes that a case itself lists at `superseded` among what it expects of a turn."""
    case = conversation.context.case
    return [
        change
        for turn in range(1, conversation.last + 1)
        for _, entry in children(expected_at(case, turn, "superseded"))
        for change in _entry(entry, turn)
    ]


def _entry(entry: JsonValue, turn: int) -> list[Change]:
    """The change that an entry of a history tells of; none for what is no such entry."""
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        return []
    try:
        path = parse(str(entry["path"]))
    except ConfigurationError:
        return []
    return [Change(path, entry.get("old", MISSING), entry.get("new", MISSING), turn)]


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
