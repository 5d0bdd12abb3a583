"""Changes the first place of an answer for which there is a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.paths import MISSING, Absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue


def replace_first(
    value: JsonValue, change: Callable[[JsonValue], JsonValue | Absent]
) -> JsonValue | Absent:
    """`value` with the first place changed that `change` has something for, else `MISSING`.

    A container comes before what is in it, and items and fields in their order.
    """
    changed = change(value)
    if changed is not MISSING:
        return changed
    if isinstance(value, list):
        for index, item in enumerate(value):
            found = replace_first(item, change)
            if not isinstance(found, Absent):
                return [*value[:index], found, *value[index + 1 :]]
    if isinstance(value, dict):
        for key, item in value.items():
            found = replace_first(item, change)
            if not isinstance(found, Absent):
                return {**value, key: found}
    return MISSING
