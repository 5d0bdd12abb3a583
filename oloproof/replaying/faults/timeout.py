"""No answer in time, and nothing was done."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

PLAN: Final = FaultPlan(fault="timeout", order=2, by_hand=True, error="timeout", timeout=True)
