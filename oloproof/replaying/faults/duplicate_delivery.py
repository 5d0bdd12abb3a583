"""The call is delivered twice, and the agent gets one answer: the first."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan, unaltered

PLAN: Final = FaultPlan(
    fault="duplicate_delivery", order=14, runs=2, basis="result", answer=unaltered, visible=False
)
