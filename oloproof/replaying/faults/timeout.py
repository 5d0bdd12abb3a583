"""No answer in time, and nothing was done."""

from __future__ import annotations

from typing import Final

from oloproof.recording.delivery import FaultPlan

PLAN: Final = FaultPlan(fault="timeout", error="timeout", timeout=True)
