"""The tool does its work, late: the clock of the case goes on meanwhile."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan, unaltered

DELAY_S: Final = 30.0


PLAN: Final = FaultPlan(
    fault="slow", order=15, runs=1, basis="result", answer=unaltered, delay_s=DELAY_S, visible=False
)
