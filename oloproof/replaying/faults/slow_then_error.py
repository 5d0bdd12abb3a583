"""The tool fails before it does anything, and says so late: the clock of the case goes on."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

DELAY_S: Final = 30.0

PLAN: Final = FaultPlan(
    fault="slow_then_error", order=19, error="internal error", delay_s=DELAY_S, status_code=500
)
