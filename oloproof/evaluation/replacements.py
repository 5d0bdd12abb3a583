"""Values that were replaced by others in the course of a conversation."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import equal
from oloproof.errors import ConfigurationError
from oloproof.evaluation.expression_nodes import found_at
from oloproof.evaluation.turns import with_changes
from oloproof.patches import PatchError
from oloproof.paths import Absent, Path, parse, under

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation, Of


class Replacement(NamedTuple):
    """At `path` the value `old` gave way to `new`, which is null where nothing came instead."""

    path: Path
    old: JsonValue
    new: JsonValue

    @property
    def shown(self) -> dict[str, JsonValue]:
        """The entry that tells of it."""
        return {"path": str(self.path), "old": self.old, "new": self.new}

    def is_at(self, path: Path) -> bool:
        """Whether it is at the place that `path` names, in whatever form."""
        return _keys(self.path) == _keys(path)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Replacement)
            and self.is_at(other.path)
            and equal(self.old, other.old)
            and equal(self.new, other.new)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_keys(self.path))


def entry_of(item: JsonValue) -> Replacement | None:
    """The replacement of which an entry tells; None where it is none."""
    if not isinstance(item, dict) or "old" not in item or not isinstance(item.get("path"), str):
        return None
    try:
        return Replacement(parse(str(item["path"])), item["old"], item.get("new"))
    except ConfigurationError:
        return None


def replacements_in(
    conversation: Conversation, of: Of, paths: Sequence[Path], last: int
) -> Iterator[list[list[Replacement]]]:
    """For each value that was replaced up to a turn the accounts that may be given of it.

    One account is the replacement from turn to turn, in order. Another, where the working
    state was updated several times within a turn, is that of every step on the way.
    """
    for turn in range(1, last + 1):
        before, after = conversation.state(of, turn - 1), conversation.state(of, turn)
        if isinstance(before, Absent) or isinstance(after, Absent):
            continue
        updates = _on_the_way(conversation, turn, before) if of == "active" else []
        for place in _places(paths, before):
            path = parse(place)
            direct = _replaced(path, (before, after))
            if direct:
                steps = _replaced(path, (before, *updates, after))
                yield [direct, steps] if len(steps) > 1 else [direct]


def _places(paths: Iterable[Path], state: JsonValue) -> dict[str, None]:
    """The texts of the places that paths name in a state; of an object those of its values."""
    places: dict[str, None] = {}
    waiting = [found for path in paths for found in found_at(path, state).items()]
    while waiting:
        place, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting = [(under(place, key), item) for key, item in value.items()] + waiting
        else:
            places[place] = None
    return places


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
    for _, step in conversation.steps_in((turn,)):
        update = step.get("state_update")
        if update is not None and update["committed"]:
            try:
                state = with_changes(state, update.get("changes", {}))
            except (PatchError, ConfigurationError):
                return states  # changes that fit no state tell nothing of what was on the way
            states.append(state)
    return states


def _keys(path: Path) -> tuple[str, ...]:
    return tuple(map(str, path.segments))
