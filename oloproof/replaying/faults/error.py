"""The tool fails before it does anything, and says so."""

from __future__ import annotations

from typing import Final

from oloproof.recording.delivery import FaultPlan

PLAN: Final = FaultPlan(fault="error", error="internal error", status_code=500)
