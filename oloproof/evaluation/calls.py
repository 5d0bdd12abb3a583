"""The tool calls of a trajectory, each with the result it got, and the options that choose some."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AfterValidator, Field

from oloproof.canonical import equal
from oloproof.evaluation.comparing.multisets import form
from oloproof.evaluation.comparing.rules import EXACTLY
from oloproof.records.calls import called, with_turns
from oloproof.records.faults import plan_of
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue


def _named(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if not given:
        raise refuse("no name is given", fix="write one, or a list of them")
    return _each_once(given)


def _each_once(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    listed = (given,) if isinstance(given, str) else given
    for position, name in enumerate(listed):
        place = () if isinstance(given, str) else (position,)
        if not name:
            raise refuse("a name is empty", fix="write the name", at=place)
        if name in listed[:position]:
            raise refuse(f"`{name}` is given twice", fix="keep one of them", at=place)
    return given


Names = Annotated[str | tuple[str, ...], AfterValidator(_named)]
"""A name or a list of names, none of them empty or given twice."""

NameList = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_named)]
"""A list of names, none of them empty or given twice."""

AnyNames = Annotated[tuple[str, ...], AfterValidator(_each_once)]
"""A list of names, maybe without any, none of them empty or given twice."""


def names(given: str | Iterable[str]) -> tuple[str, ...]:
    """The names that `Names` holds."""
    return (given,) if isinstance(given, str) else tuple(given)


WAITING: Final = frozenset({"proposed", "queued"})
"""The statuses after which a call may still come to another one."""

_OF_CALLS: Final = frozenset({"tool_call", "tool_result"})

STOPPED: Final = frozenset({"blocked", "cancelled"})
"""The statuses of a call that was kept from being carried out."""


@dataclass(slots=True, eq=False)
class Call:
    """One call. `completed_index` is the step that holds its result, None while there is none.

    `place` is the step that settled it, another than `index` only where it `waited` before.
    `revision` is that of the working state on which it rests. `fault` is the fault that was
    recorded as delivered to it, and `applied` says that it was although the tool did its work.
    A tool that `reads` is known to change nothing.
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
    of_model: bool = False
    place: int = 0
    revision: int | None = None
    reads: bool = False
    waited: bool = False
    moment: int = 0

    @property
    def executed(self) -> bool:
        """Whether the tool ran, whatever came back: no fault and nobody else kept it from that."""
        if self.status not in (None, "executed"):
            return False
        return self.fault is None or self.applied or plan_of(self.fault).runs > 0

    @property
    def succeeded(self) -> bool:
        """Whether it ran and came back without an error: neither raised, nor in its result."""
        if self.completed_index is None or not self.executed:
            return False
        return not _tells_error(self.result, self.error)

    @property
    def settled(self) -> bool:
        """Whether no later step can tell more of it."""
        open_to_more = self.waited and self.status in (WAITING | STOPPED)
        return self.completed_index is not None and not open_to_more

    @property
    def key(self) -> bytes:
        """Equal for two calls of the same tool with equal arguments."""
        return form([self.tool, self.arguments], (), EXACTLY)


def calls(steps: Iterable[dict[str, Any]]) -> list[Call]:
    """The calls in the order they were made.

    A call step may hold its own result or error. Otherwise its result is the result step
    with its `call_id` or, where one of the two has none, the next one of its tool. A result
    of no call is itself a call: something came back, so something was called.

    A call step of the same tool with the `call_id` of one that waits is that call again. What
    comes back at the moment at which a call is told to wait is its receipt; a result without a
    status that comes later shows that it was executed, also where it was cancelled meanwhile.
    """
    made: list[Call] = []
    unsettled: list[Call] = []
    for moment, step in _moments(steps):
        if step["kind"] == "tool_call":
            call = _continued(step, unsettled)
            if call is None:
                call = _call(step)
                made.append(call)
                unsettled.append(call)
            call.moment = moment
        elif step["kind"] == "tool_result":
            call = _called(step, unsettled)
            if call is not None:
                _settle(call, step, moment)
            elif not _is_told_twice(step, made):
                made.append(_call({"result": None, **step}))
        unsettled = [call for call in unsettled if not call.settled]
    for call in unsettled:
        if call.status == "executed":
            call.completed_index = call.place  # it says that it was done, and nothing came back
    return made


def model_calls(steps: Iterable[dict[str, Any]]) -> list[Call]:
    """The calls of models in the order they were made: each is one step, with what it gave."""
    made = []
    for step in steps:
        found = called(step)
        if found is not None and found[0] == "model":
            call = _call({"result": None, **step, "tool_name": found[1]})
            call.of_model = True
            made.append(call)
    return made


def _moments(steps: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The steps, each with the number of its moment: calls, and what comes back of them.

    The next one begins with a new turn, a further call, a call that is stopped, or anything else.
    """
    moment, before, came_back = 0, 1, False
    for turn, step in with_turns(steps):
        of_calls = step["kind"] in _OF_CALLS and step.get("status") not in STOPPED
        further = came_back and step["kind"] == "tool_call"
        moment += further or not of_calls or turn != before
        before = turn
        came_back = step["kind"] == "tool_result" or "result" in step
        yield moment, step


def _call(step: dict[str, Any]) -> Call:
    call = Call(
        tool=str(step.get("tool_name")),
        arguments=step.get("arguments"),
        index=step["index"],
        call_id=step.get("call_id"),
        status=step.get("status"),
        place=step["index"],
        revision=step.get("state_revision"),
        reads=step.get("reads") is True,
        waited=step.get("status") in WAITING,
    )
    _note_fault(call, step)
    if "result" in step or "error" in step:
        _complete(call, step)
    return call


def _continued(step: dict[str, Any], unsettled: Iterable[Call]) -> Call | None:
    """The waiting call of which a call step tells again, with what that adds; else None.

    It rests on what it rested on when it was made.
    """
    name, tool = step.get("call_id"), str(step.get("tool_name"))
    for call in unsettled if name is not None else ():
        if (call.call_id, call.tool) == (name, tool) and call.status in WAITING:
            later = _call(step)
            call.status, call.place = later.status, later.place
            call.result, call.error = later.result, later.error
            call.completed_index = later.completed_index
            call.arguments = call.arguments if later.arguments is None else later.arguments
            call.revision = later.revision if call.revision is None else call.revision
            _note_fault(call, step)
            return call
    return None


def _called(step: dict[str, Any], unsettled: Iterable[Call]) -> Call | None:
    """The unsettled call that a result belongs to; by its tool alone none that was stopped."""
    name, tool = step.get("call_id"), step.get("tool_name")
    found = [call for call in unsettled if name is not None and call.call_id == name] or [
        call
        for call in unsettled
        if (name is None or call.call_id is None)
        and tool in (None, call.tool)
        and not (call.waited and call.status in STOPPED)
    ]
    # One that nothing came back of yet goes before one that waits with its receipt.
    return min(found, key=lambda call: call.completed_index is not None, default=None)


def _settle(call: Call, step: dict[str, Any], moment: int) -> None:
    """Take in a result; one without a status may show that a call which waited was executed."""
    status, told = step.get("status"), [step.get("result"), step.get("error")]
    if status is None and call.waited:
        had_result = call.completed_index is not None
        if had_result and equal(told, [call.result, call.error]):
            return  # the receipt is told twice
        if call.status in STOPPED:
            status = None if _tells_error(*told) else "executed"
        elif call.status in WAITING and (had_result or moment != call.moment):
            status = "executed"
    if call.waited and status not in (None, call.status):
        call.place = step["index"]
    _complete(call, {**step, "status": status})


def _is_told_twice(step: dict[str, Any], made: list[Call]) -> bool:
    """Whether a result step tells what another step told already: the same result of a call."""
    name, told = step.get("call_id"), [step.get("result"), step.get("error")]
    return any(
        name == call.call_id
        if name is not None and call.call_id is not None
        else step.get("tool_name") in (None, call.tool) and equal(told, [call.result, call.error])
        for call in made
    )


def _tells_error(result: JsonValue, error: JsonValue) -> bool:
    told = result.get("error") if isinstance(result, dict) else None
    return error is not None or bool(told)


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
