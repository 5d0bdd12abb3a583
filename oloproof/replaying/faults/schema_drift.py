"""The tool does its work, and its answer has a new shape: the first field has another name.

It is the first field of the first object in the answer, called `NAME_v2` in place of `NAME`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.paths import MISSING, Absent
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import replace_first

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue

SUFFIX: Final = "_v2"


def _renamed(value: JsonValue) -> JsonValue | Absent:
    if not isinstance(value, dict) or not value:
        return MISSING
    first = next(iter(value))
    name = first + SUFFIX
    while name in value:
        name += SUFFIX
    return {name if key == first else key: item for key, item in value.items()}


def _answer(result: JsonValue) -> JsonValue | Absent:
    return replace_first(result, _renamed)


PLAN: Final = FaultPlan(fault="schema_drift", order=17, runs=1, basis="result", answer=_answer)
