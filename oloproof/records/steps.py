"""What a step of a trajectory says that somebody called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.records.faults import EffectKind


def called(step: Mapping[str, Any]) -> tuple[EffectKind, str] | None:
    """The tool or model that a step calls, by its name; None where it calls none.

    A model is called by a `decision` whose `metadata.model` names it.
    """
    if step["kind"] == "tool_call":
        return "tool", str(step.get("tool_name"))
    if step["kind"] == "decision":
        name = (step.get("metadata") or {}).get("model")
        return ("model", name) if isinstance(name, str) else None
    return None
