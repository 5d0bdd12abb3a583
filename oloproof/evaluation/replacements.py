"""Values that were replaced by others in the course of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from oloproof.canonical import equal
from oloproof.evaluation.expression_nodes import found_at
from oloproof.evaluation.turns import readable
from oloproof.paths import Absent, Path, parse, same, under

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue
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
