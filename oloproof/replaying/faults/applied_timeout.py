"""The tool does its work, and its answer does not come in time."""

from __future__ import annotations

from typing import Final

from oloproof.recording.delivery import FaultPlan

PLAN: Final = FaultPlan(fault="applied_timeout", runs=1, error="timeout", timeout=True)
