"""Turns a trajectory that a user's system made into the form it is stored in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from oloproof.canonical import encode, encode_foreign
from oloproof.errors import NotJsonError, OloproofError
from oloproof.records.shapes import TRAJECTORY_SHAPE
from oloproof.records.trajectory import AgentTrajectory, StepKind, TerminalStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.execution.redaction import Redaction

LARGEST_VALUE_BYTES: Final = 1 << 28
"""Of an output, a world or a trajectory; three of them must fit into one row of the store."""

_KINDS: Final = frozenset(get_args(StepKind))
_STATUSES: Final = frozenset(get_args(TerminalStatus))


class StoredTrajectory(NamedTuple):
    """A trajectory as plain JSON and its canonical form, without fields that have their default.

    `latency_ms` by step stands beside it: what is digested must not differ by a clock.
    """

    value: Any
    json: bytes
    latency_ms: Mapping[str, float] = {}


def store_trajectory(given: object, redaction: Redaction) -> StoredTrajectory:
    """The stored form of what a system reported, redacted.

    Raises `OloproofError` where it is no trajectory.
    """
    if not isinstance(given, AgentTrajectory):
        raise OloproofError(
            f"a {type(given).__name__} was given as a trajectory", fix="give an `AgentTrajectory`"
        )
    try:
        dumped = AgentTrajectory.__pydantic_serializer__.to_python(
            given, exclude_defaults=True, by_alias=True, warnings=False
        )
    except Exception as error:
        raise _not_valid(f"reading it raised {type(error).__name__}") from error
    data, value = encode_foreign(dumped, "the trajectory")
    refuse_oversize(data, "the trajectory")
    problem = _misshapen(value)
    if problem is not None:
        raise _not_valid(problem)
    latencies = _take_latencies(value) if b'"latency_ms"' in data else {}
    cleaned = redaction.of_record(value, TRAJECTORY_SHAPE)
    if latencies or cleaned is not value:
        data = encode(cleaned)
    return StoredTrajectory(cleaned, data, latencies)


def refuse_oversize(data: bytes, what: str) -> None:
    """Raise `NotJsonError` for a value too large to be kept."""
    if len(data) > LARGEST_VALUE_BYTES:
        size, most = len(data) >> 20, LARGEST_VALUE_BYTES >> 20
        raise NotJsonError(
            f"{what} has {size} MiB of JSON; at most {most} are kept",
            where="(top)",
            fix="leave out what no check needs",
        )


def _not_valid(problem: str) -> OloproofError:
    return OloproofError(
        f"the trajectory is not valid: {problem}",
        fix="`AgentStep(...)` and `AgentTrajectory(...)` check what they are given; "
        "`model_copy` and `model_construct` do not",
    )


def _misshapen(value: Any) -> str | None:
    """What the program could not rely on in a trajectory that was made without its checks."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return "it has no list of steps"
    if value.get("terminal_status", "unknown") not in _STATUSES:
        return f"its terminal status is {value['terminal_status']!r}"
    for number, step in enumerate(value["steps"], start=1):
        if not isinstance(step, dict) or step.get("kind") not in _KINDS:
            return f"step {number} is of no known kind"
        if step.get("index") != number:
            return f"steps are numbered 1, 2, 3 …: step {number} has index {step.get('index')!r}"
        if not isinstance(step.get("tool_name", ""), str):
            return f"the tool name of step {number} is no text"
    return None


def _take_latencies(value: Any) -> dict[str, float]:
    return {
        str(step["index"]): step.pop("latency_ms")
        for step in value["steps"]
        if "latency_ms" in step
    }
