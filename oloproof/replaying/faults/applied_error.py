"""The tool does its work, and the agent is told that it failed."""

from __future__ import annotations

from typing import Final

from oloproof.recording.delivery import FaultPlan

PLAN: Final = FaultPlan(fault="applied_error", runs=1, error="internal error")
