"""Which of the items that went are most like which of those that came, by deepdiff.

It is imported here alone, and only when lists are explained to people: it decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.multisets import form
from oloproof.evaluation.rules import EXACTLY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.canonical import JsonValue

_WHOLE_NUMBERS: Final = 2.0**63


def nearest(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Pairs of items that share most, by their positions; what shares too little has none."""
    from deepdiff import DeepDiff

    found = DeepDiff(
        [_flat(item) for item in before],
        [_flat(item) for item in after],
        ignore_order=True,
        report_repetition=True,
        ignore_private_variables=False,  # keys that begin with two underscores are keys
        cutoff_intersection_for_pairs=1,  # the lists hold no equal items
        view="tree",
    )
    pairs: dict[int, int] = {}
    for levels in found.values():
        for level in levels:
            item = level.all_up
            old, new = item.t1_child_rel, item.t2_child_rel
            if old is None or new is None or new.param is None or new.param in pairs.values():
                continue
            pairs.setdefault(old.param, new.param)
    return pairs


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
