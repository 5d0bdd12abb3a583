"""What differs between two values, told to people; whether they are equal is decided elsewhere."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal, quote_key
from oloproof.evaluation.contract import Comparison
from oloproof.evaluation.multisets import form
from oloproof.evaluation.rules import EXACTLY
from oloproof.paths import Absent
from oloproof.records.report import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue

_LONGEST_ALIGNED: Final = 2000
"""Longer lists are set side by side as they stand: aligning them may take quadratic time."""


def explain(before: JsonValue, after: JsonValue) -> list[Change]:
    """What was added, removed and changed, each at its deepest place.

    List items are aligned first, so that one inserted item is one addition. What was removed
    has its path in `before`; what was added or changed has its path in `after`.
    """
    return list(_explain(before, after, ""))


def _explain(before: JsonValue, after: JsonValue, path: str) -> Iterator[Change]:
    if equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _explain_object(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _explain_list(before, after, path)
    else:
        yield Change(kind="changed", path=path, before=before, after=after)


def _explain_object(
    before: dict[str, JsonValue], after: dict[str, JsonValue], path: str
) -> Iterator[Change]:
    for key, item in before.items():
        if key in after:
            yield from _explain(item, after[key], _under(path, key))
        else:
            yield Change(kind="removed", path=_under(path, key), before=item)
    for key, item in after.items():
        if key not in before:
            yield Change(kind="added", path=_under(path, key), after=item)


def _explain_list(before: list[JsonValue], after: list[JsonValue], path: str) -> Iterator[Change]:
    for old_start, old_end, new_start, new_end in _differing_stretches(before, after):
        shared = min(old_end - old_start, new_end - new_start)
        for offset in range(shared):
            place = f"{path}[{new_start + offset}]"
            yield from _explain(before[old_start + offset], after[new_start + offset], place)
        for index in range(old_start + shared, old_end):
            yield Change(kind="removed", path=f"{path}[{index}]", before=before[index])
        for index in range(new_start + shared, new_end):
            yield Change(kind="added", path=f"{path}[{index}]", after=after[index])


def _differing_stretches(
    before: list[JsonValue], after: list[JsonValue]
) -> list[tuple[int, int, int, int]]:
    if max(len(before), len(after)) > _LONGEST_ALIGNED:
        return [(0, len(before), 0, len(after))]
    old = [form(item, (), EXACTLY) for item in before]
    new = [form(item, (), EXACTLY) for item in after]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [stretch for tag, *stretch in matcher.get_opcodes() if tag != "equal"]  # type: ignore[misc]  # four positions


def spread(compared: Iterable[Comparison], at_most: int = 50) -> list[Comparison]:
    """The compared places with equal objects and lists taken apart into their leaves.

    A place with more than `at_most` leaves stays whole.
    """
    places: list[Comparison] = []
    for place in compared:
        if place.passed and not isinstance(place.expected, Absent):
            leaves = list(_leaves(place.expected, place.path, at_most + 1))
            if len(leaves) <= at_most and equal(place.expected, _whole(place)):
                places += [Comparison(p, v, v, passed=True, note=place.note) for p, v in leaves]
                continue
        places.append(place)
    return places


def _whole(place: Comparison) -> JsonValue:
    return None if isinstance(place.actual, Absent) else place.actual


def _leaves(value: JsonValue, path: str, at_most: int) -> Iterator[tuple[str, JsonValue]]:
    if at_most <= 0:
        return
    if isinstance(value, dict) and value:
        items = [(_under(path, key), item) for key, item in value.items()]
    elif isinstance(value, list) and value:
        items = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    else:
        yield path, value
        return
    found = 0
    for place, item in items:
        for leaf in _leaves(item, place, at_most - found):
            found += 1
            yield leaf
        if found >= at_most:
            return


def _under(path: str, key: str) -> str:
    return f"{path}.{quote_key(key)}" if path else quote_key(key)
