"""The tool does nothing, and its answer breaks off in the middle of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.records.faults import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _answer(_: JsonValue) -> JsonValue:
    return {"raw": '{"status": '}


PLAN: Final = FaultPlan(fault="malformed", order=3, by_hand=True, basis="nothing", answer=_answer)
