"""The call is delivered twice, and the agent gets one answer: the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.recording.delivery import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _answer(result: JsonValue) -> JsonValue:
    return result


PLAN: Final = FaultPlan(
    fault="duplicate_delivery", runs=2, basis="result", answer=_answer, visible=False
)
