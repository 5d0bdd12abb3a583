"""The tool does its work, late: the clock of the case goes on meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.recording.delivery import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue

DELAY_S: Final = 30.0


def _answer(result: JsonValue) -> JsonValue:
    return result


PLAN: Final = FaultPlan(
    fault="slow", runs=1, basis="result", answer=_answer, delay_s=DELAY_S, visible=False
)
