"""Runs one case in its sandbox and makes the evidence of it.

The straight path: reset with a fresh copy, call, read the output, snapshot, patch, redact.
Nothing that a user's system does leaves this module as an exception.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from oloproof.canonical import JsonValue, decode, digest, encode, encode_foreign
from oloproof.contract import CurrentCase, open_case
from oloproof.errors import NotJsonError, OloproofError
from oloproof.execution.calling import Called, Caller
from oloproof.patches import difference
from oloproof.paths import MISSING
from oloproof.records.evidence import ENVIRONMENT_STATE, TRAJECTORY, Outcome
from oloproof.records.trajectory import AgentTrajectory

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.execution.redaction import Redaction
    from oloproof.execution.retrying import Retries
    from oloproof.systems.python import PythonSystem

PATCH_FROM_BYTES: Final = 512
"""A smaller world is stored whole: a patch would save nothing worth its cost."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is told of a case: nothing that is expected of it."""

    id: str
    input_json: bytes
    state_json: bytes | None
    replicate: int = 1


@dataclass(slots=True)
class Performance:
    """One call in its sandbox: how it ended, what was reported, the world it left."""

    called: Called
    trajectory_json: bytes | None
    trajectory_problem: str | None
    world_json: bytes | None = None
    world_value: JsonValue = None
    world_problem: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The evidence of a case as canonical JSON, with the timings that stay outside of it."""

    evidence_json: bytes
    duration_s: float
    timings: dict[str, Any] = field(default_factory=dict)


class Execution:
    """Runs cases one after another on one system; `on_report` hears each reported trajectory."""

    def __init__(
        self,
        system: PythonSystem,
        caller: Caller,
        redaction: Redaction,
        retries: Retries,
        on_report: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.system = system
        self._caller = caller
        self._redaction = redaction
        self._retries = retries
        self._on_report = on_report
        self._pristine: tuple[bytes, JsonValue] = (b"", None)

    def run(self, request: Request) -> Recorded:
        """The evidence of one case, every attempt with a sandbox freshly reset."""
        started = time.perf_counter()
        target = self.system.target

        def attempt() -> Performance:
            return self.perform(request, target, decode(request.input_json))

        performance, failed_attempts = self._retries.run(attempt)
        timings = self._take_latencies(performance)
        evidence = self.evidence(request, performance)
        if failed_attempts:
            evidence["attempts"] = [*failed_attempts, performance.called.outcome.to_json()]
        return Recorded(self.seal(evidence), time.perf_counter() - started, timings)

    def perform(
        self, request: Request, function: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Performance:
        """Reset the sandbox, call `function` inside the case, and read the sandbox out again."""
        owner, stateful = self.system.owner, self.system.stateful
        if stateful:
            state = decode(request.state_json) if request.state_json is not None else None
            reset = self._caller.call("reset", owner.reset, state)
            if reset.outcome.status != "completed":
                problem = f"reset did not succeed: {reset.outcome.error}"
                return Performance(reset, None, None, world_problem=problem)
        reported: list[bytes] = []
        case = CurrentCase(
            id=request.id,
            input_json=request.input_json,
            replicate=request.replicate,
            report=lambda trajectory: self._accept(trajectory, reported),
        )
        with open_case(case):
            called = self._caller.call("call", function, *args, **kwargs)
        performance = Performance(called, reported[-1] if reported else None, None)
        if stateful:
            self._read_world(performance)
        return performance

    def _accept(self, trajectory: object, reported: list[bytes]) -> None:
        if not isinstance(trajectory, AgentTrajectory):
            raise OloproofError(
                f"agent_trajectory() was given a {type(trajectory).__name__}",
                mend="give it an `AgentTrajectory`",
            )
        data = trajectory_json(trajectory)
        reported.append(data)
        self._on_report(data)

    def _read_world(self, performance: Performance) -> None:
        snapshot = self._caller.call("snapshot", self.system.owner.snapshot)
        if snapshot.outcome.status != "completed":
            performance.world_problem = f"snapshot() did not succeed: {snapshot.outcome.error}"
            return
        try:
            performance.world_json = encode_foreign(snapshot.value, "snapshot()")
            performance.world_value = snapshot.value
        except NotJsonError as error:
            performance.world_problem = error.what

    def _take_latencies(self, performance: Performance) -> dict[str, Any]:
        """Timings leave the trajectory: what is digested must not differ by a clock."""
        data = performance.trajectory_json
        if data is None or b'"latency_ms"' not in data:
            return {}
        trajectory: Any = decode(data)
        latencies = {
            str(step["index"]): step.pop("latency_ms")
            for step in trajectory["steps"]
            if "latency_ms" in step
        }
        performance.trajectory_json = encode(trajectory)
        return {"latency_ms": latencies}

    def evidence(self, request: Request, performance: Performance) -> dict[str, Any]:
        """The sections of a case's evidence, not yet redacted."""
        outcome, sections = performance.called.outcome, {}
        if performance.called.value is not MISSING and outcome.status == "completed":
            try:
                output = encode_foreign(performance.called.value, "the output")
                sections["output"] = orjson.Fragment(output)
            except NotJsonError as error:
                outcome = Outcome("not_json", error.what, error.where)
        sections["outcome"] = outcome.to_json()
        if performance.trajectory_json is not None:
            sections[TRAJECTORY] = orjson.Fragment(performance.trajectory_json)
        if performance.trajectory_problem is not None:
            sections["trajectory_problem"] = performance.trajectory_problem
        if performance.world_json is not None:
            sections[ENVIRONMENT_STATE] = [self._world(request, performance)]
        if performance.world_problem is not None:
            sections["world_problem"] = performance.world_problem
        return sections

    def _world(self, request: Request, performance: Performance) -> dict[str, Any]:
        """A world as it is stored: whole, or as a patch where that is smaller."""
        data = performance.world_json
        assert data is not None
        value = performance.world_value
        if self._redaction:
            data = self._redaction.of_json(data)
            value = decode(data)
        world: dict[str, Any] = {"digest": digest(data)}
        if len(data) >= PATCH_FROM_BYTES and request.state_json is not None:
            patch = encode(difference(self._initial(request.state_json), decode(data)))  # type: ignore[arg-type]  # operations are JSON objects
            if len(patch) < len(data):
                return world | {"patch": orjson.Fragment(patch)}
        return world | {"state": orjson.Fragment(data)}

    def _initial(self, state_json: bytes) -> JsonValue:
        """The initial state as nobody has touched it, parsed once for the cases that share it."""
        if self._pristine[0] != state_json:
            data = self._redaction.of_json(state_json) if self._redaction else state_json
            self._pristine = (state_json, decode(data))
        return self._pristine[1]

    def seal(self, evidence: dict[str, Any]) -> bytes:
        """Evidence as the canonical, redacted bytes that leave the process."""
        return self._redaction.of_json(encode(evidence))


def trajectory_json(trajectory: AgentTrajectory) -> bytes:
    """A trajectory in canonical form, without fields that have their default."""
    return encode(
        decode(trajectory.__pydantic_serializer__.to_json(trajectory, exclude_defaults=True))
    )
