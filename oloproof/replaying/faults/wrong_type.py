"""The tool does its work, and the first value in its answer has another type.

A number, true, false or null comes as text, and a text as a list with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.canonical import encode
from oloproof.paths import MISSING, Absent
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import replace_first

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _other_type(value: JsonValue) -> JsonValue | Absent:
    if isinstance(value, dict | list):
        return MISSING
    return [value] if isinstance(value, str) else encode(value).decode()


def _answer(result: JsonValue) -> JsonValue | Absent:
    return replace_first(result, _other_type)


PLAN: Final = FaultPlan(fault="wrong_type", order=11, runs=1, basis="result", answer=_answer)
