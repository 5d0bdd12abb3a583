"""The tool does its work, and its answer does not come in time."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

PLAN: Final = FaultPlan(fault="applied_timeout", order=5, runs=1, error="timeout", timeout=True)
