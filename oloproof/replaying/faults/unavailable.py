"""The service is down, and says when it may be back; the clock of the case goes on so far."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

RETRY_AFTER_S: Final = 60.0

PLAN: Final = FaultPlan(
    fault="unavailable",
    order=7,
    error=f"service unavailable, retry after {RETRY_AFTER_S:g} s",
    retry_after_s=RETRY_AFTER_S,
    status_code=503,
)
