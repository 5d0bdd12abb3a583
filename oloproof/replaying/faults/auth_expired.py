"""The tool refuses: the credentials are not valid any more."""

from __future__ import annotations

from typing import Final

from oloproof.records.faults import FaultPlan

PLAN: Final = FaultPlan(
    fault="auth_expired", order=8, error="authentication expired", status_code=401
)
