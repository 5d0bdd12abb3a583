"""The call is delivered twice, and the agent gets one answer: the first."""

from __future__ import annotations

from typing import Final

from oloproof.recording.delivery import FaultPlan, unaltered

PLAN: Final = FaultPlan(
    fault="duplicate_delivery", runs=2, basis="result", answer=unaltered, visible=False
)
