"""The tool fails before it does anything, and says so."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

PLAN: Final = FaultPlan(
    fault="error", order=1, by_hand=True, error="internal error", status_code=500
)
