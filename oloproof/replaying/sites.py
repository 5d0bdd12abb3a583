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


def shows_result(steps: list[dict[str, Any]], step_index: int, result: dict[str, str]) -> bool:
    """Whether the steps show that the call at `step_index` ended in a fault's `result`.

    It stands there as the result, or its text stands in the error, in whatever words around it.
    """
    if len(steps) < step_index or steps[step_index - 1]["kind"] != "tool_call":
        return False
    call = steps[step_index - 1]
    name = "call_id" if "call_id" in call else "tool_name"
    ended = next(
        (
            step
            for step in steps[step_index:]
            if step["kind"] == "tool_result" and step.get(name) == call.get(name)
        ),
        {},
    )
    return any(
        step.get("result") == result
        or any(
            step.get("result") == text or text in str(step.get("error")) for text in result.values()
        )
        for step in (call, ended)
    )


def shown_output(steps: list[dict[str, Any]]) -> tuple[bool, Any]:
    """Whether the steps show an output, and which.

    It is the result of the last final step, else that of the last message with one.
    """
    for kind in ("final", "message"):
        for step in reversed(steps):
            if step["kind"] == kind and "result" in step:
                return True, step["result"]
    return False, None
