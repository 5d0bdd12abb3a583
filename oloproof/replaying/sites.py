"""Where in a recording a declared fault strikes."""

from __future__ import annotations

from typing import Any, Final

REPLAY_VERSION: Final = 1
"""Raised when replays of the same change may come out differently; part of every replay's key."""


def find_call(steps: list[dict[str, Any]], tool: str, occurrence: int) -> int | None:
    """The index of the `occurrence`-th call (from 1) of `tool`, or None when it was not made."""
    seen = 0
    for step in steps:
        if step["kind"] == "tool_call" and step.get("tool_name") == tool:
            seen += 1
            if seen == occurrence:
                return int(step["index"])
    return None


def shown_output(steps: list[dict[str, Any]]) -> tuple[bool, Any]:
    """Whether the steps show an output, and which.

    It is the result of the last final step, else that of the last message with one.
    """
    for kind in ("final", "message"):
        for step in reversed(steps):
            if step["kind"] == kind and "result" in step:
                return True, step["result"]
    return False, None
