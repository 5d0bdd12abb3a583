"""What the steps of a case show: the result that a fault gave a call, and the output."""

from __future__ import annotations

from typing import Any

from oloproof.canonical import equal
from oloproof.records.calls import called


def shows_result(
    steps: list[dict[str, Any]], recorded: dict[str, Any], result: dict[str, str]
) -> bool:
    """Whether the steps show that the call that was `recorded` ended in a fault's `result`.

    The same call has to stand at its place, with the result as it was given; where there is
    no result, its text has to be the error.
    """
    step_index = recorded["index"]
    if len(steps) < step_index:
        return False
    call = steps[step_index - 1]
    same = ("kind", "tool_name", "agent", "turn")
    if (
        any(call.get(field) != recorded.get(field) for field in same)
        or called(call) != called(recorded)
        or not equal(call.get("arguments"), recorded.get("arguments"))
    ):
        return False
    name = "call_id" if "call_id" in call else "tool_name"
    ended = next(
        (
            step
            for step in steps[step_index:]
            if step["kind"] == "tool_result" and step.get(name) == call.get(name)
        ),
        {},
    )
    ended = call if "result" in call or "error" in call else ended
    if "result" in ended:
        return ended["result"] == result or ended["result"] in result.values()
    error = ended.get("error")
    # As the text itself, or behind the name of an exception.
    return error == result or any(
        error == text or str(error).endswith(f": {text}") for text in result.values()
    )


def shown_output(steps: list[dict[str, Any]]) -> tuple[bool, Any]:
    """Whether the steps show an output, and which.

    It is the result of the last final step, else that of the last message with one.
    """
    found = final_output(steps)
    return found if found[0] else _last_result(steps, "message")


def final_output(steps: list[dict[str, Any]]) -> tuple[bool, Any]:
    """Whether a final step shows an output, and which the last one does."""
    return _last_result(steps, "final")


def _last_result(steps: list[dict[str, Any]], kind: str) -> tuple[bool, Any]:
    for step in reversed(steps):
        if step["kind"] == kind and "result" in step:
            return True, step["result"]
    return False, None
