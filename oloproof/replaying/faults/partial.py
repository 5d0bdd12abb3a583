"""The tool does its work, and of the first list in its answer the second half is not there.

Nothing in the answer says so. A list of one item or none has no part that could be missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.paths import MISSING, Absent
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import replace_first

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _first_half(value: JsonValue) -> JsonValue | Absent:
    return value[: len(value) // 2] if isinstance(value, list) and len(value) > 1 else MISSING


def _answer(result: JsonValue) -> JsonValue | Absent:
    return replace_first(result, _first_half)


PLAN: Final = FaultPlan(
    fault="partial", order=18, runs=1, basis="result", answer=_answer, visible=False
)
