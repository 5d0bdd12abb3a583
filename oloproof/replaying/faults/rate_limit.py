"""The tool refuses for now, and says when to try again; the clock of the case goes on so far."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

RETRY_AFTER_S: Final = 30.0

PLAN: Final = FaultPlan(
    fault="rate_limit",
    order=6,
    error=f"rate limit exceeded, retry after {RETRY_AFTER_S:g} s",
    retry_after_s=RETRY_AFTER_S,
    status_code=429,
)
