"""The `agent_trajectory/v1` of a session: its events as steps, in the order they happened.

A tool call is a `tool_call` step where it began and a `tool_result` step where it came back,
joined by `call_id`. A model call is one `decision` step where it began: `metadata.model` names
the model function, `arguments` and `result` are its own. What the agent records of itself
stands where it was recorded. Fields that have their default are left out, and timings stand
beside the steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import orjson

from oloproof.canonical import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.recording.events import Event, Said

_NAMES: Final = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost_usd": ("cost_usd",),
}


def usage_of(events: Iterable[Event]) -> dict[str, JsonValue] | None:
    """The sums over all model calls that came back, or None where there was no model call.

    A number that one of them did not tell is unknown for all: half a sum is none.
    """
    calls = [event for event in events if event.kind == "model"]
    if not calls:
        return None
    told = [_told(event) for event in calls if event.ending in ("returned", "abandoned")]
    out: dict[str, JsonValue] = {}
    for name, spellings in _NAMES.items():
        found = [_number(usage, spellings, whole=name != "cost_usd") for usage in told]
        known = [number for number in found if number is not None]
        if known and len(known) == len(found):
            out[name] = sum(known)
    out["model_calls"] = len(calls)
    return out


def _told(event: Event) -> dict[str, Any]:
    """The usage in a result; of a stream, the last one in its items."""
    if event.result is None or '"usage"' not in event.result:
        return {}
    value: Any = decode(event.result.encode())
    for item in reversed(value) if event.streamed else (value,):
        usage = item.get("usage") if isinstance(item, dict) else None
        if isinstance(usage, dict):
            return usage
    return {}


def _number(
    usage: dict[str, Any], spellings: tuple[str, ...], *, whole: bool
) -> int | float | None:
    for name in spellings:
        value = usage.get(name)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            continue
        if value >= 0:
            return value
    return None


_Moment: TypeAlias = "tuple[int, str, Event | dict[str, JsonValue]]"

_Value: TypeAlias = "Callable[[str], Any]"
"""What makes the value in a step of its JSON text."""

_STATUSES = {"returned": "executed", "raised": "executed", "abandoned": "executed"}


class Trajectory(NamedTuple):
    """A trajectory as plain JSON, with what stands beside it.

    `latency_ms` is by step, `call_steps` gives the step at which each event begins.
    """

    value: dict[str, JsonValue]
    latency_ms: dict[str, float]
    call_steps: dict[int, int]


class Timeline:
    """Tells of each step while it happens.

    With `whole` the values in a step are JSON; else they are the text they were kept as, which
    is all that is needed to write them down, and costs no parsing.
    """

    def __init__(
        self, on_step: Callable[[dict[str, JsonValue]], None] | None, *, whole: bool = True
    ) -> None:
        self._on_step = on_step
        self._value: _Value = orjson.loads if whole else orjson.Fragment
        self._count = 0
        self._began: dict[int, int] = {}

    def begin(self, event: Event) -> None:
        """A call began."""
        self._count += 1
        self._began[event.index] = self._count
        if self._on_step is not None:
            self._on_step(call_step(event, self._count, self._value))

    def end(self, event: Event) -> None:
        """A call came back."""
        self._count += event.kind == "tool"
        if self._on_step is None:
            return
        if event.kind == "tool":
            self._on_step(result_step(event, self._count, self._value))
        else:
            self._on_step(call_step(event, self._began[event.index], self._value))

    def say(self, said: Said) -> None:
        """The agent told of a step."""
        self._count += 1
        if self._on_step is not None:
            self._on_step({"index": self._count} | said.content)


def make_trajectory(
    events: Sequence[Event],
    said: Sequence[Said],
    *,
    failed: bool,
    final: dict[str, JsonValue] | None = None,
) -> Trajectory:
    """The trajectory of a session that ended; `final` is a last step to be appended."""
    moments = _moments(events, said)
    steps: list[JsonValue] = []
    latency_ms: dict[str, float] = {}
    began: dict[int, int] = {}
    for number, (_, what, content) in enumerate(moments, start=1):
        if isinstance(content, dict):
            steps.append({"index": number} | content)
            continue
        if what == "call":
            steps.append(call_step(content, number))
            began[content.index] = number
        else:
            steps.append(result_step(content, number))
        if content.latency_ms is not None and (what == "result" or content.kind == "model"):
            latency_ms[str(number)] = content.latency_ms
    if final is not None:
        steps.append({"index": len(steps) + 1} | final)
    value: dict[str, JsonValue] = {"steps": steps}
    status = terminal_status(said, failed=failed)
    checks: list[JsonValue] = [_placed(one, moments) for one in said if one.what == "check"]
    if checks:
        value["constraints"] = checks
    usage = usage_of(events)
    if usage is not None:
        value["usage"] = usage
    if status != "unknown":
        value["terminal_status"] = status
    return Trajectory(value, latency_ms, began)


def terminal_status(said: Sequence[Said], *, failed: bool) -> str:
    """How the agent ended: it failed if it raised, else what it said last."""
    if failed:
        return "failure"
    return next((str(s.content["status"]) for s in reversed(said) if s.what == "finish"), "unknown")


def _moments(events: Sequence[Event], said: Sequence[Said]) -> list[_Moment]:
    """Everything that makes a step, in the order in which it happened."""
    moments: list[_Moment] = []
    for event in events:
        moments.append((event.started, "call", event))
        if event.ended is not None and event.kind == "tool":
            moments.append((event.ended, "result", event))
    moments += [(one.at, "said", one.content) for one in said if one.what == "step"]
    moments.sort(key=lambda moment: moment[0])
    return moments


def call_step(event: Event, index: int, value: _Value = orjson.loads) -> dict[str, JsonValue]:
    """The step with which a call begins, as far as it is known."""
    step: dict[str, JsonValue] = {"index": index}
    if event.kind == "model":
        step |= {"kind": "decision", "call_id": event.shown_id}
        step["arguments"] = value(event.arguments)
        step["metadata"] = {"model": event.name}
        _add_outcome(step, event, value)
        if event.fault is not None:
            step["fault"] = event.fault
    else:
        step |= {"kind": "tool_call", "tool_name": event.name, "call_id": event.shown_id}
        step["arguments"] = value(event.arguments)
        if event.reads:
            step["reads"] = True
        _add_ending(step, event)
    if event.turn is not None:
        step["turn"] = event.turn
    if event.revision is not None:
        step["state_revision"] = event.revision
    return step


def result_step(event: Event, index: int, value: _Value = orjson.loads) -> dict[str, JsonValue]:
    """The step with which a tool call came back."""
    step: dict[str, JsonValue] = {
        "index": index,
        "kind": "tool_result",
        "tool_name": event.name,
        "call_id": event.shown_id,
    }
    _add_outcome(step, event, value)
    _add_ending(step, event)
    if event.turn is not None:
        step["turn"] = event.turn
    return step


def _add_outcome(step: dict[str, JsonValue], event: Event, value: _Value) -> None:
    if event.failure is not None:
        step["error"] = event.failure.line
    if event.result is not None and (event.failure is None or event.streamed):
        result = value(event.result)
        if result is not None:
            step["result"] = result


def _add_ending(step: dict[str, JsonValue], event: Event) -> None:
    status = _status(event)
    if status is not None:
        step["status"] = status
    if event.fault is not None:
        step["fault"] = event.fault


def _status(event: Event) -> str | None:
    """A call that did not come back has none: nobody knows how far it got."""
    if event.ended is None:
        return event.status
    return event.status or _STATUSES.get(event.ending, "cancelled")


def _placed(said: Said, moments: list[_Moment]) -> dict[str, JsonValue]:
    """A check with the step after which it was made, unless it names one."""
    before = sum(at < said.at for at, _, _ in moments)
    if said.content.get("step_index") or not before:
        return said.content
    return said.content | {"step_index": before}
