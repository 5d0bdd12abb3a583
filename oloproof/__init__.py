"""A release gate for stateful AI agents: the public names, and nothing else."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from oloproof.contract import Conversational, Replayable, Stateful, current_case
    from oloproof.errors import GateError, OloproofError, TransientError
    from oloproof.recording.determinism import now, rng, uuid4
    from oloproof.recording.effects import model, tool
    from oloproof.recording.narration import finish, record
    from oloproof.records.trajectory import (
        AgentCheckpoint,
        AgentConstraintCheck,
        AgentStep,
        AgentTrajectory,
        EnvironmentState,
        ReplayChange,
    )
    from oloproof.workflows.gate import assert_gate

__all__ = [
    "AgentCheckpoint",
    "AgentConstraintCheck",
    "AgentStep",
    "AgentTrajectory",
    "Conversational",
    "EnvironmentState",
    "GateError",
    "OloproofError",
    "ReplayChange",
    "Replayable",
    "Stateful",
    "TransientError",
    "assert_gate",
    "current_case",
    "finish",
    "model",
    "now",
    "record",
    "rng",
    "tool",
    "uuid4",
]

_HOMES: Final = {
    "contract": ("Conversational", "Replayable", "Stateful", "current_case"),
    "errors": ("GateError", "OloproofError", "TransientError"),
    "recording.determinism": ("now", "rng", "uuid4"),
    "recording.effects": ("model", "tool"),
    "recording.narration": ("finish", "record"),
    "records.trajectory": (
        "AgentCheckpoint",
        "AgentConstraintCheck",
        "AgentStep",
        "AgentTrajectory",
        "EnvironmentState",
        "ReplayChange",
    ),
    "workflows.gate": ("assert_gate",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: the command line needs few of them."""
    for home, names in _HOMES.items():
        if name in names:
            found = getattr(importlib.import_module(f"oloproof.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'oloproof' has no attribute {name!r}")
