"""The tool does nothing and answers as it did to the same call before."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan, unaltered

PLAN: Final = FaultPlan(fault="stale", order=13, basis="earlier", answer=unaltered, visible=False)
