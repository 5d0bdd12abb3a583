"""The tool does nothing and answers with the empty value of the type it answered with before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.records.faults import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _answer(recorded: JsonValue) -> JsonValue:
    # Booleans are numbers to Python: the type itself is asked for.
    empty: dict[type, JsonValue] = {dict: {}, list: [], str: "", int: 0, float: 0.0, bool: False}
    return empty.get(type(recorded))


PLAN: Final = FaultPlan(fault="empty", order=12, answer=_answer)
