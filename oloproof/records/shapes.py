"""Which fields of a stored record hold what a user's code wrote."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias


class _Free(Enum):
    FREE = "free"


FREE: Final = _Free.FREE
"""Any JSON value or text, down to its leaves."""

Shape: TypeAlias = "_Free | dict[str, Shape]"
"""A free value, or a record by its fields; a field that is not named holds no free text.
A list has the shape of its items."""

_STEP: Final[Shape] = {
    "tool_name": FREE,
    "call_id": FREE,
    "arguments": FREE,
    "result": FREE,
    "error": FREE,
    "agent": FREE,
    "to_agent": FREE,
    "claims": {"subject": FREE, "path": FREE, "value": FREE},
    "state_update": {"changes": FREE},
    "artefact": {"name": FREE, "kind": FREE, "content": FREE},
    "metadata": FREE,
}

TRAJECTORY_SHAPE: Final[Shape] = {
    "steps": _STEP,
    "constraints": {"name": FREE, "detail": FREE},
    "checkpoints": {"checkpoint_id": FREE, "description": FREE, "payload": FREE},
}
"""The shape of `AgentTrajectory`; a test holds it to the fields that the records have."""
