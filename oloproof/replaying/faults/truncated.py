"""The tool does its work, and of its answer the second half is lost.

Of a text or list the first half is left. Of an object, the first text or list in it is cut
so; without one, the first half of its fields is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.paths import MISSING, Absent
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import replace_first

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _cut(value: JsonValue) -> JsonValue | Absent:
    return value[: len(value) // 2] if isinstance(value, str | list) and value else MISSING


def _answer(result: JsonValue) -> JsonValue | Absent:
    cut = replace_first(result, _cut)
    if cut is MISSING and isinstance(result, dict) and result:
        return dict(list(result.items())[: len(result) // 2])
    return cut


PLAN: Final = FaultPlan(fault="truncated", order=9, runs=1, basis="result", answer=_answer)
