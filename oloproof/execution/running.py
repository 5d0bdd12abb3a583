"""Runs one case in its sandbox and makes the evidence of it.

The straight path: reset with a fresh copy, call, read the output, snapshot, patch, redact.
Nothing that a user's system does leaves this module as an exception.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from oloproof.canonical import decode, encode, encode_foreign
from oloproof.contract import CurrentCase, open_case
from oloproof.errors import OloproofError
from oloproof.execution.trajectories import StoredTrajectory, refuse_oversize, store_trajectory
from oloproof.execution.worlds import Worlds
from oloproof.paths import MISSING
from oloproof.records.evidence import ENVIRONMENT_STATE, TRAJECTORY, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.execution.calling import Called, Caller
    from oloproof.execution.redaction import Redaction
    from oloproof.execution.retrying import Retries
    from oloproof.systems.python import PythonSystem


class Request(NamedTuple):
    """What a worker is told of a case: nothing that is expected of it."""

    id: str
    input_json: bytes
    state_json: bytes | None
    replicate: int = 1


@dataclass(slots=True)
class Performance:
    """One call in its sandbox, in the form it is stored in but for the value that it gave."""

    called: Called
    outcome: Outcome
    output: Any = MISSING
    trajectory: StoredTrajectory | None = None
    trajectory_problem: str | None = None
    world: dict[str, Any] | None = None
    world_problem: str | None = None

    def sections(self) -> dict[str, Any]:
        """The sections of the evidence."""
        out: dict[str, Any] = {"outcome": self.outcome.to_json()}
        if self.output is not MISSING:
            out["output"] = self.output
        if self.trajectory is not None:
            out[TRAJECTORY] = orjson.Fragment(self.trajectory.json)
        if self.trajectory_problem is not None:
            out["trajectory_problem"] = self.trajectory_problem
        if self.world is not None:
            out[ENVIRONMENT_STATE] = [self.world]
        if self.world_problem is not None:
            out["world_problem"] = self.world_problem
        return out


class Reading(Protocol):
    """What is made of a call: of trajectories reported meanwhile, and of the value it gave."""

    def report(self, trajectory: object) -> None:
        """Take what `current_case().agent_trajectory()` was given; may raise in that code."""

    def read(self, performance: Performance) -> None:
        """Take what the call gave, before anything else touches the sandbox."""


class Recorded(NamedTuple):
    """The evidence of a case as canonical JSON, with the timings that stay outside of it.

    `duration_s` leaves out what was spent waiting between attempts.
    """

    evidence_json: bytes
    duration_s: float
    timings: Mapping[str, Any] = {}


class Execution:
    """Runs cases one after another on one system; `on_report` hears each reported trajectory.

    Whatever it hands out is redacted.
    """

    def __init__(
        self,
        system: PythonSystem,
        caller: Caller,
        redaction: Redaction,
        retries: Retries,
        on_report: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.system = system
        self.redaction = redaction
        self.retries = retries
        self.worlds = Worlds(redaction)
        self._caller = caller
        self._on_report = on_report

    def run(self, request: Request) -> Recorded:
        """The evidence of one case, every attempt with a sandbox freshly reset."""
        started = time.perf_counter()
        performance, before, waited_s = self.retries.run(lambda: self._call(request))
        sections = performance.sections()
        if before:
            sections["attempts"] = [*before, sections["outcome"]]
        trajectory = performance.trajectory
        timings = {"latency_ms": trajectory.latency_ms} if trajectory is not None else {}
        return Recorded(encode(sections), time.perf_counter() - started - waited_s, timings)

    def _call(self, request: Request) -> Performance:
        reading = _CaseReading(self, self._on_report)
        return self.perform(request, reading, self.system.target, decode(request.input_json))

    def perform(
        self,
        request: Request,
        reading: Reading,
        function: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> Performance:
        """Reset the sandbox, call `function` inside the case, and read the sandbox out again."""
        system, state_json = self.system, request.state_json
        if system.stateful:
            state = None if state_json is None else decode(state_json)
            reset = self._caller.call("reset", system.reset, state)
            if reset.outcome.status != "completed":
                problem = f"reset() did not succeed: {reset.outcome.error}"
                return Performance(reset, reset.outcome, world_problem=problem)
        case = CurrentCase(
            id=request.id,
            input_json=request.input_json,
            replicate=request.replicate,
            report=reading.report,
        )
        with open_case(case):
            called = self._caller.call("call", function, *args, **kwargs)
        self.redaction.refresh()
        performance = Performance(called, called.outcome)
        reading.read(performance)
        if system.stateful:
            self._read_world(performance, state_json)
        return performance

    def _read_world(self, performance: Performance, state_json: bytes | None) -> None:
        snapshot = self._caller.call("snapshot", self.system.snapshot)
        if snapshot.outcome.status != "completed":
            performance.world_problem = f"snapshot() did not succeed: {snapshot.outcome.error}"
            return
        try:
            performance.world = self.worlds.store(snapshot.value, state_json)
        except BaseException as error:
            performance.world_problem = self.not_json(error).error

    def not_json(self, error: BaseException) -> Outcome:
        """The outcome of a value that is not JSON, or that raised when it was looked into."""
        if not isinstance(error, OloproofError):
            return Outcome("not_json", self._caller.outcome_of(error, "call").error)
        clean = self.redaction.of_text
        return Outcome("not_json", clean(error.what), error.where and clean(error.where))


class _CaseReading:
    """Reads the call of a case: the last trajectory reported during it, and its output."""

    def __init__(self, execution: Execution, on_report: Callable[[bytes], None]) -> None:
        self._execution = execution
        self._on_report = on_report
        self._trajectory: StoredTrajectory | None = None
        self._problem: str | None = None

    def report(self, trajectory: object) -> None:
        """Keep a report; a wrong one raises in the code that made it."""
        redaction = self._execution.redaction
        redaction.refresh()
        try:
            self._trajectory = store_trajectory(trajectory, redaction)
        except OloproofError as error:
            # The code that made it may swallow the error: the evidence still says it.
            self._problem = redaction.of_text(error.what)
            raise
        self._problem = None
        self._on_report(self._trajectory.json)

    def read(self, performance: Performance) -> None:
        """Take the output, or the outcome that there is none to be kept."""
        performance.trajectory, performance.trajectory_problem = self._trajectory, self._problem
        value = performance.called.value
        if value is MISSING:
            return
        try:
            data, plain = encode_foreign(value, "the output")
            refuse_oversize(data, "the output")
        except BaseException as error:
            performance.outcome = self._execution.not_json(error)
            return
        cleaned = self._execution.redaction.of_value(plain)
        performance.output = orjson.Fragment(data) if cleaned is plain else cleaned
