"""The tool does its work, and its answer lacks a field: the first of the first object in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.paths import MISSING, Absent
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import replace_first

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _without_first(value: JsonValue) -> JsonValue | Absent:
    return dict(list(value.items())[1:]) if isinstance(value, dict) and value else MISSING


def _answer(result: JsonValue) -> JsonValue | Absent:
    return replace_first(result, _without_first)


PLAN: Final = FaultPlan(fault="missing_field", order=10, runs=1, basis="result", answer=_answer)
