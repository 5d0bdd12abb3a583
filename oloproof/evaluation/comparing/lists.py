"""How a list became another, told to people: which items came, went, moved and changed.

Which of the items that went are most like which of those that came, deepdiff says. It is
imported here alone, and only when lists are explained to people: it decides nothing.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from oloproof.evaluation.comparing.differences import LONGEST_ALIGNED, explain_place, side_by_side
from oloproof.evaluation.comparing.multisets import form
from oloproof.evaluation.comparing.rules import EXACTLY
from oloproof.records.report import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oloproof.canonical import JsonValue

_WHOLE_NUMBERS: Final = 2.0**63


def nearest(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Pairs of items that share most, by their positions; what shares too little has none."""
    from deepdiff import DeepDiff

    old_items, new_items = [_flat(item) for item in before], [_flat(item) for item in after]
    found = DeepDiff(
        old_items,
        new_items,
        ignore_order=True,
        report_repetition=True,
        ignore_private_variables=False,  # keys that begin with two underscores are keys
        cutoff_intersection_for_pairs=1,  # the lists hold no equal items
        view="tree",
    )
    pairs: dict[int, int] = {}
    for levels in found.values():
        for level in levels:
            old, new = level.all_up.t1_child_rel, level.all_up.t2_child_rel
            # Of items that are alike it counts on beyond those that there are.
            if not _stands(old, old_items) or not _stands(new, new_items):
                continue
            if old.param not in pairs and new.param not in pairs.values():
                pairs[old.param] = new.param
    return pairs


def _stands(relation: Any, items: list[JsonValue]) -> bool:
    """Whether an item stands where a difference says that it does."""
    at = None if relation is None else relation.param
    return isinstance(at, int) and at < len(items) and items[at] == relation.child


def _flat(item: JsonValue) -> JsonValue:
    """An item whose own items are scalars, so that nearness counts the places that differ."""
    if isinstance(item, dict):
        return {key: _scalar(value) for key, value in item.items()}
    if isinstance(item, list):
        return {f"[{index}]": _scalar(value) for index, value in enumerate(item)}
    return _scalar(item)


def _scalar(value: JsonValue) -> JsonValue:
    """Numbers in one form, and what is neither number nor text as a text that no other has."""
    if isinstance(value, bool | dict | list):
        return "\0" + form(value, (), EXACTLY).decode()
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_NUMBERS:
        return int(value)
    return value


_MOST_COMPARED: Final = 400
"""Pairs of items of which is computed how near they are."""

_IDENTIFYING: Final = re.compile(
    r"(?:.*_)?(?i:id|uuid|key|code|name)|\w*[a-z](?:Id|ID|Uuid|UUID|Key|Code|Name)"
)
"""Keys whose name says that they identify an item."""


def list_changes(
    before: list[JsonValue], after: list[JsonValue], old: str, new: str
) -> Iterator[Change]:
    """The changes of a list, whose path was `old` and is `new`."""
    items = _Items.of(before, after)
    if items is None:
        yield from side_by_side(before, after, old, new)
        return
    origin = {j: i for i, j in (items.moved | items.changed()).items()}
    left = set(origin.values())
    for i in items.gone:
        if i not in left:
            yield Change(kind="removed", path=f"{old}[{i}]", before=before[i])
    for j in sorted({*items.come, *origin}):
        place = f"{new}[{j}]"
        if j not in origin:
            yield Change(kind="added", path=place, after=after[j])
            continue
        source = f"{old}[{origin[j]}]"
        if items.gap_before(origin[j]) != items.gap_after(j):
            yield Change(kind="moved", path=place, moved_from=source, after=after[j])
        yield from explain_place(before[origin[j]], after[j], source, place, list_changes)


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of two lists by their positions: equal ones in order and not, and the others.

    A gap is what lies between two neighbours that are equal and in order.
    """

    before: list[JsonValue]
    after: list[JsonValue]
    kept: list[tuple[int, int]]
    moved: dict[int, int]
    gone: list[int]
    come: list[int]

    @classmethod
    def of(cls, before: list[JsonValue], after: list[JsonValue]) -> _Items | None:
        """None where too much lies between what both begin and what both end with."""
        old = [form(item, (), EXACTLY) for item in before]
        new = [form(item, (), EXACTLY) for item in after]
        head = _shared(old, new)
        tail = _shared(reversed(old[head:]), reversed(new[head:]))
        middle = old[head : len(old) - tail], new[head : len(new) - tail]
        if max(map(len, middle)) > LONGEST_ALIGNED:
            return None
        blocks = SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks()
        kept = [(n, n) for n in range(head)]
        kept += [(head + i + n, head + j + n) for i, j, size in blocks for n in range(size)]
        kept += [(len(old) - n, len(new) - n) for n in range(tail, 0, -1)]
        gone = _without(range(len(old)), [i for i, _ in kept])
        come = _without(range(len(new)), [j for _, j in kept])
        places = defaultdict(list)
        for j in reversed(come):
            places[new[j]].append(j)
        moved = {i: places[old[i]].pop() for i in gone if places[old[i]]}
        gone, come = _without(gone, moved), _without(come, moved.values())
        return cls(before, after, kept, moved, gone, come)

    def gap_before(self, i: int) -> int:
        """The gap in which an item stood."""
        return bisect(self.kept, i, key=lambda pair: pair[0])

    def gap_after(self, j: int) -> int:
        """The gap in which an item stands."""
        return bisect(self.kept, j, key=lambda pair: pair[1])

    def changed(self) -> dict[int, int]:
        """Which of the items that went are which of those that came."""
        if not self.gone or not self.come:
            return {}
        key = _identifying_key(self.before, self.after)
        if key is not None:
            places = {_value(self.after[j], key): j for j in self.come}
            ids = {i: _value(self.before[i], key) for i in self.gone}
            return {i: places[value] for i, value in ids.items() if value in places}
        if len(self.gone) == len(self.come) == 1 and (only := self._left_in_place({})):
            return only
        pairs: dict[int, int] = {}
        if len(self.gone) * len(self.come) <= _MOST_COMPARED:
            near = nearest([self.before[i] for i in self.gone], [self.after[j] for j in self.come])
            pairs = {self.gone[i]: self.come[j] for i, j in near.items()}
        return pairs | self._left_in_place(pairs)

    def _left_in_place(self, pairs: dict[int, int]) -> dict[int, int]:
        """What is left of a gap, in order, where as many items went as came."""
        gaps: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for i in _without(self.gone, pairs):
            gaps[self.gap_before(i)][0].append(i)
        for j in _without(self.come, pairs.values()):
            gaps[self.gap_after(j)][1].append(j)
        return {
            i: j
            for gone, come in gaps.values()
            if len(gone) == len(come)
            for i, j in zip(gone, come, strict=True)
        }


def _shared(some: Iterable[bytes], others: Iterable[bytes]) -> int:
    """How many items both begin with."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))
    )


def _without(positions: Iterable[int], others: Iterable[int]) -> list[int]:
    left_out = set(others)
    return [position for position in positions if position not in left_out]


def _identifying_key(before: list[JsonValue], after: list[JsonValue]) -> str | None:
    """A key that each item has, that no two of a list share, and by which some are in both."""
    first = before[0]
    if not isinstance(first, dict):
        return None
    named = [key for key in first if _IDENTIFYING.fullmatch(key)]
    for key in sorted(named, key=len):  # an item's own `id` before the `order_id` it belongs to
        old = [_value(item, key) for item in before]
        new = [_value(item, key) for item in after]
        unique = len(set(old)) == len(old) and len(set(new)) == len(new)
        if unique and None not in {*old, *new} and not set(old).isdisjoint(new):
            return key
    return None


def _value(item: JsonValue, key: str) -> bytes | None:
    """The scalar at a key, so that equal ones are equal; None where there is none."""
    value = item.get(key) if isinstance(item, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return form(value, (), EXACTLY)
