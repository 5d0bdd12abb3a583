"""Where in a recording a declared fault strikes."""

from __future__ import annotations

from typing import Any

from oloproof.canonical import equal


def find_call(
    steps: list[dict[str, Any]], tool: str, occurrence: int, turn: int | None = None
) -> int | None:
    """The index of the `occurrence`-th call (from 1) of `tool`, or None when it was not made.

    With a `turn`, only the calls of that turn are counted. A step that names no turn belongs to
    that of the step before it, the first to turn 1.
    """
    seen, at = 0, 1
    for step in steps:
        at = step.get("turn", at)
        if turn is not None and at != turn:
            continue
        if step["kind"] == "tool_call" and step.get("tool_name") == tool:
            seen += 1
            if seen == occurrence:
                return int(step["index"])
    return None


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
    if any(call.get(field) != recorded.get(field) for field in same) or not equal(
        call.get("arguments"), recorded.get("arguments")
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
    for kind in ("final", "message"):
        for step in reversed(steps):
            if step["kind"] == kind and "result" in step:
                return True, step["result"]
    return False, None
