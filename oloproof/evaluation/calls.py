"""The tool calls of a trajectory: each call step with the result it got."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import equal
from oloproof.evaluation.multisets import form
from oloproof.evaluation.rules import EXACTLY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue

UNEXECUTED: Final = frozenset(
    {
        "error",
        "timeout",
        "malformed",
        "rate_limit",
        "unavailable",
        "auth_expired",
        "empty",
        "stale",
        "slow_then_error",
    }
)
"""The faults under which the tool does not run."""


@dataclass(slots=True, eq=False)
class Call:
    """One call. `completed_index` is the step that holds its result, None while there is none.

    `fault` is the fault that was recorded as delivered to it, and `applied` says that it was
    although the tool did its work.
    """

    tool: str
    arguments: JsonValue
    index: int
    call_id: str | None = None
    status: str | None = None
    result: JsonValue = None
    error: JsonValue = None
    completed_index: int | None = None
    applied: bool = False
    fault: str | None = None

    @property
    def executed(self) -> bool:
        """Whether the tool ran, whatever came back: no fault and nobody else kept it from that."""
        struck_before = self.fault in UNEXECUTED and not self.applied
        return self.status in (None, "executed") and not struck_before

    @property
    def succeeded(self) -> bool:
        """Whether it ran and came back without an error: neither raised, nor in its result."""
        if self.completed_index is None or not self.executed:
            return False
        told = self.result.get("error") if isinstance(self.result, dict) else None
        return self.error is None and not told

    @property
    def key(self) -> bytes:
        """Equal for two calls of the same tool with equal arguments."""
        return form([self.tool, self.arguments], (), EXACTLY)


def calls(steps: Iterable[dict[str, Any]]) -> list[Call]:
    """The calls in the order they were made.

    A call step may hold its own result or error. Otherwise its result is the result step
    with its `call_id` or, where one of the two has none, the next one of its tool. A result
    of no call is itself a call: something came back, so something was called.
    """
    made: list[Call] = []
    waiting: list[Call] = []
    for step in steps:
        if step["kind"] == "tool_call":
            call = _call(step)
            made.append(call)
            if call.completed_index is None:
                waiting.append(call)
        elif step["kind"] == "tool_result":
            found = _called(step, waiting)
            if found is not None:
                waiting.remove(found)
                _complete(found, step)
            elif not _is_told_twice(step, made):
                made.append(_call({"result": None, **step}))
    for call in waiting:
        if call.status == "executed":
            call.completed_index = call.index  # it says that it was done, and nothing came back
    return made


def _call(step: dict[str, Any]) -> Call:
    call = Call(
        tool=str(step.get("tool_name")),
        arguments=step.get("arguments"),
        index=step["index"],
        call_id=step.get("call_id"),
        status=step.get("status"),
    )
    _note_fault(call, step)
    if "result" in step or "error" in step:
        _complete(call, step)
    return call


def _called(step: dict[str, Any], waiting: list[Call]) -> Call | None:
    """The waiting call that a result belongs to."""
    name, tool = step.get("call_id"), step.get("tool_name")
    if name is not None:
        for call in waiting:
            if call.call_id == name:
                return call
    for call in waiting:
        nameless = name is None or call.call_id is None
        if nameless and (tool is None or call.tool == tool):
            return call
    return None


def _is_told_twice(step: dict[str, Any], made: list[Call]) -> bool:
    """Whether a result step tells what another step told already: the same result of a call."""
    name, told = step.get("call_id"), [step.get("result"), step.get("error")]
    return any(
        name == call.call_id
        if name is not None and call.call_id is not None
        else step.get("tool_name") in (None, call.tool) and equal(told, [call.result, call.error])
        for call in made
    )


def _note_fault(call: Call, step: dict[str, Any]) -> None:
    delivery = step.get("fault")
    if delivery:
        call.fault = delivery["fault"]
        call.applied = call.applied or delivery["applied"]


def _complete(call: Call, step: dict[str, Any]) -> None:
    call.result = step.get("result")
    call.error = step.get("error")
    call.completed_index = step["index"]
    call.status = step.get("status") or call.status
    _note_fault(call, step)


def most_repeated(made: Iterable[Call]) -> int:
    """How often the most frequent call was made with equal arguments."""
    return max(Counter(call.key for call in made).values(), default=0)
