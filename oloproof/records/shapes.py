"""Shapes that the records share: JSON values, defaults, redacted places and steps."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator

from oloproof.canonical import JsonValue, to_json
from oloproof.errors import NotJsonError


def empty_list() -> list[Any]:
    """A list of its own."""
    return []


def empty_object() -> dict[str, Any]:
    """An object of its own."""
    return {}


def _json(value: object) -> JsonValue:
    try:
        return to_json(value, "the value")
    except NotJsonError as error:
        raise ValueError(error.what) from None


Json = Annotated[Any, BeforeValidator(_json)]
"""A field that holds any JSON value; what JSON cannot hold is refused with its path."""


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


REDACTED: Final = "[redacted:"
"""How every redacted place begins; what follows names the rule. It cannot be served again."""
