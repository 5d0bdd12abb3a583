"""The tool does its work, and the agent is told that it failed."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

PLAN: Final = FaultPlan(fault="applied_error", order=4, runs=1, error="internal error")
