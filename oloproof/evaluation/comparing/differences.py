"""What differs between two values, told to people; whether they are equal is decided elsewhere."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.canonical import encode_in_order, equal
from oloproof.errors import shorten
from oloproof.evaluation.comparing.multisets import form
from oloproof.evaluation.comparing.rules import EXACTLY
from oloproof.paths import Absent, under
from oloproof.records.report import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison

LONGEST_ALIGNED: Final = 2000
"""Longer lists are set side by side as they stand: aligning them may take quadratic time."""

ListExplainer: TypeAlias = (
    "Callable[[list[JsonValue], list[JsonValue], str, str], Iterator[Change]]"
)
"""The changes of a list, whose path was the third and is the fourth."""


def explain(
    before: JsonValue, after: JsonValue, lists: ListExplainer | None = None
) -> list[Change]:
    """What was added, removed and changed, each at its deepest place.

    List items are aligned first, so that one inserted item is one addition; `lists` is another
    way to explain lists. What was removed has its path in `before`; what was added or changed
    has its path in `after`.
    """
    return list(explain_place(before, after, "", "", lists or side_by_side))


def explain_place(
    before: JsonValue, after: JsonValue, old: str, new: str, lists: ListExplainer
) -> Iterator[Change]:
    """The changes of one place, whose path was `old` and is `new`: items may have moved."""
    if equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _explain_object(before, after, old, new, lists)
    elif isinstance(before, list) and isinstance(after, list):
        yield from lists(before, after, old, new)
    else:
        yield Change(kind="changed", path=new, before=before, after=after)


def _explain_object(
    before: dict[str, JsonValue],
    after: dict[str, JsonValue],
    old: str,
    new: str,
    lists: ListExplainer,
) -> Iterator[Change]:
    for key, item in before.items():
        if key in after:
            yield from explain_place(item, after[key], under(old, key), under(new, key), lists)
        else:
            yield Change(kind="removed", path=under(old, key), before=item)
    for key, item in after.items():
        if key not in before:
            yield Change(kind="added", path=under(new, key), after=item)


def side_by_side(
    before: list[JsonValue], after: list[JsonValue], old: str, new: str
) -> Iterator[Change]:
    """The changes of a list whose items keep their order: what stands in one place is one item."""
    for old_start, old_end, new_start, new_end in _differing_stretches(before, after):
        shared = min(old_end - old_start, new_end - new_start)
        for i, j in zip(range(old_start, old_end), range(new_start, new_end), strict=False):
            yield from explain_place(
                before[i], after[j], f"{old}[{i}]", f"{new}[{j}]", side_by_side
            )
        for index in range(old_start + shared, old_end):
            yield Change(kind="removed", path=f"{old}[{index}]", before=before[index])
        for index in range(new_start + shared, new_end):
            yield Change(kind="added", path=f"{new}[{index}]", after=after[index])


def _differing_stretches(
    before: list[JsonValue], after: list[JsonValue]
) -> list[tuple[int, int, int, int]]:
    if max(len(before), len(after)) > LONGEST_ALIGNED:
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
        found = _equal_leaves(place, at_most)
        places += (
            [place]
            if found is None
            else [place._replace(path=path, expected=item, actual=item) for path, item in found]
        )
    return places


def _equal_leaves(place: Comparison, at_most: int) -> list[tuple[str, JsonValue]] | None:
    """The leaves of a place whose sides are equal; None where they are not, or too many."""
    expected, actual = place.expected, place.actual
    if isinstance(expected, Absent) or isinstance(actual, Absent) or not equal(expected, actual):
        return None
    found = list(islice(leaves(expected, place.path), at_most + 1))
    return found if len(found) <= at_most else None


def leaves(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    """The leaves of a value with their paths, at least one: an empty object or list is one."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, under(path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def show(value: JsonValue | Absent) -> str:
    """A value as JSON, cut where it is long; `nothing` where none is there."""
    if isinstance(value, Absent):
        return "nothing"
    return shorten(encode_in_order(value).decode())


def tell_difference(compared: Sequence[Comparison], whole: str) -> str:
    """The first failing place in words, and how many more there are; `whole` names the whole."""
    failing = [place for place in compared if not place.passed]
    first = failing[0]
    told = f"{first.path or whole} is {show(first.actual)}, not {show(first.expected)}"
    return told + told_more(failing)


def told_more(found: Sequence[object]) -> str:
    """How many there are beside the first."""
    return f" (and {len(found) - 1} more)" if len(found) > 1 else ""
