"""The tool does nothing and answers as it did to the same call before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.recording.delivery import FaultPlan

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def _answer(earlier: JsonValue) -> JsonValue:
    return earlier


PLAN: Final = FaultPlan(fault="stale", basis="earlier", answer=_answer, visible=False)
