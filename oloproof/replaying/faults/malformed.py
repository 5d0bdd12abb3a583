"""The tool does nothing, and its answer breaks off in the middle of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.recording.delivery import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _answer(_: JsonValue) -> JsonValue:
    return {"raw": '{"status": '}


PLAN: Final = FaultPlan(fault="malformed", basis="nothing", answer=_answer)
