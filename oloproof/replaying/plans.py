"""The declared faults by name, as the plain data that a replay delivers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oloproof.errors import ConfigurationError, suggest
from oloproof.paths import MISSING, Absent
from oloproof.records.faults import fault_names, is_duration, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.records.faults import Duration, FaultPlan


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


def fault_plan(kind: str, duration: Duration = "once") -> FaultPlan:
    """The plan of a fault; `ConfigurationError` for one that there is not."""
    if kind not in fault_names():
        raise ConfigurationError(f"there is no fault `{kind}`", fix=suggest(kind, fault_names()))
    return replace(plan_of(kind), calls=_calls(duration))


def _calls(duration: Duration) -> int | None:
    if not is_duration(duration):
        raise ConfigurationError(
            f"a fault cannot last {duration!r} calls",
            fix="`duration` is `once`, `always` or a number of calls",
        )
    if duration == "always":
        return None
    return 1 if duration == "once" else duration
