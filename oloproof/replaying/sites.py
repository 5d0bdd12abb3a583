"""Where in a recording a declared fault strikes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.canonical import equal
from oloproof.records.shapes import called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.records.faults import EffectKind


class CallSite(NamedTuple):
    """A call of a tool or a model: its step, and which of the calls of its name it is."""

    step: int
    kind: EffectKind
    name: str
    occurrence: int


def call_sites(steps: Iterable[dict[str, Any]]) -> Iterator[CallSite]:
    """Every call of a tool or a model, in the order they were made."""
    counts: Counter[tuple[EffectKind, str]] = Counter()
    for step in steps:
        found = called(step)
        if found is not None:
            counts[found] += 1
            yield CallSite(int(step["index"]), *found, counts[found])


def find_call(
    steps: list[dict[str, Any]],
    name: str,
    occurrence: int,
    turn: int | None = None,
    kind: EffectKind = "tool",
) -> int | None:
    """The index of the `occurrence`-th call (from 1) of `name`, or None when it was not made.

    What was never called as a tool may be a model, and the other way round. With a `turn`, only
    the calls of that turn are counted. A step that names no turn belongs to that of the step
    before it, the first to turn 1.
    """
    wanted: tuple[EffectKind, str] = (kind, name)
    if not any(called(step) == wanted for step in steps):
        wanted = ("model" if kind == "tool" else "tool", name)
    seen, at = 0, 1
    for step in steps:
        at = step.get("turn", at)
        if called(step) == wanted and turn in (None, at):
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
