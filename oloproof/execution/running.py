"""Runs one case in its sandbox and makes the evidence of it.

The straight path: reset with a fresh copy, call (or talk, turn by turn), read the output,
snapshot, patch, redact. Nothing that a user's system does leaves this module as an exception.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from oloproof.canonical import JsonValue, decode, encode, encode_foreign, encode_in_order
from oloproof.contract import CurrentCase, open_case
from oloproof.errors import OloproofError
from oloproof.execution.opening import Opening
from oloproof.execution.performing import Act, Performance, Reading, Request
from oloproof.execution.reading import CaseReading
from oloproof.execution.recorder import Recorder
from oloproof.execution.states import States
from oloproof.execution.trajectories import refuse_oversize
from oloproof.execution.worlds import Worlds
from oloproof.paths import MISSING
from oloproof.records.evidence import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oloproof.execution.calling import Called, Caller
    from oloproof.execution.redaction import Redaction
    from oloproof.execution.retrying import Retries
    from oloproof.recording.session import Session
    from oloproof.systems.python import PythonSystem


CALLS_S: Final = 0.5
"""How long the next case waits for tools of the last one that are still at work."""


class Recorded(NamedTuple):
    """The evidence of a case as canonical JSON, with the timings that stay outside of it.

    `duration_s` leaves out what was spent waiting between attempts.
    """

    evidence_json: bytes
    duration_s: float
    timings: Mapping[str, Any] = {}


class Execution:
    """Runs cases one after another on one system; `on_report` hears each reported trajectory.

    `on_step` hears each step that is recorded, `on_turn` how each turn but the last ended, and
    `on_attempt` that a case is begun, be it once more. `is_loaded` says whether a module is: a
    system that uses the recorder has loaded it; `is_recorder_asked_for` whether it may do so.
    Whatever it hands out is redacted.
    """

    def __init__(
        self,
        system: PythonSystem,
        caller: Caller,
        redaction: Redaction,
        retries: Retries,
        on_report: Callable[[bytes], None] = lambda _: None,
        on_step: Callable[[bytes], None] = lambda _: None,
        on_turn: Callable[[bytes], None] = lambda _: None,
        on_attempt: Callable[[], None] = lambda: None,
        is_loaded: Callable[[str], bool] = lambda _: False,
        is_recorder_asked_for: Callable[[], bool] = lambda: False,
    ) -> None:
        self.redaction = redaction
        self.retries = retries
        self.worlds = Worlds(redaction)
        self.recorder = Recorder(
            lambda: self.system, redaction, self.worlds, on_step, is_loaded, is_recorder_asked_for
        )
        self._caller = caller
        self._states = States(self, caller)
        self.opening = Opening(system, caller, self.recorder.outside_of_cases)
        self._on_report = on_report
        self._on_turn = on_turn
        self._on_attempt = on_attempt
        self._sessions: list[Session] = []

    @property
    def system(self) -> PythonSystem:
        """The system, as it is once it was opened."""
        return self.opening.system

    def run(self, request: Request, targets: Sequence[tuple[str, int]] = ()) -> Recorded:
        """The evidence of one case, every attempt with a sandbox freshly reset.

        `targets` are the calls (tool, occurrence) before which the sandbox is kept, so that a
        replay can begin there.
        """
        started = time.perf_counter()
        performance, before, waited_s = self.retries.run(lambda: self._call(request, targets))
        sections = performance.sections()
        if before:
            sections["attempts"] = [*before, sections["outcome"]]
        trajectory = performance.trajectory
        timings = {"latency_ms": trajectory.latency_ms} if trajectory is not None else {}
        return Recorded(encode(sections), time.perf_counter() - started - waited_s, timings)

    def _call(self, request: Request, targets: Sequence[tuple[str, int]]) -> Performance:
        self._on_attempt()
        session = self.recorder.open(request, targets)
        reading = CaseReading(self, self._on_report)
        acts = self.acts(request)
        performance = self.perform(request, reading, acts, session, self._on_turn)
        if session is not None:
            self.recorder.close(session, performance, request)
        elif self.recorder.is_asked_for:
            # The package was imported only during the call: run again, recorded.
            return self._call(request, targets)
        return performance

    def listen(self, hear: Callable[[str], None]) -> None:
        """Have told which tools are still called of what was performed since this was last asked.

        What was called before its evidence was made stands in that.
        """
        sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.late.listen(hear)

    @property
    def is_unclear(self) -> bool:
        """Whether what was performed last may lack a call, for other cases were open beside it."""
        return any(session.is_unclear for session in self._sessions)

    def _late_calls(self) -> list[str]:
        """The tools that any attempt called when it had ended, each once."""
        calls = [name for session in self._sessions for name in session.late.so_far()]
        return list(dict.fromkeys(calls))

    def acts(self, request: Request) -> list[Act]:
        """The calls that a request asks for."""
        value: Any = decode(request.input_json)
        if not request.talks:
            return [Act(self.system.target, (value,), request.input_json)]
        return [
            Act(self.system.turn, (turn["user"],), encode_in_order(turn), number, turn["user"])
            for number, turn in enumerate(value["turns"], start=1)
        ]

    def perform(
        self,
        request: Request,
        reading: Reading,
        acts: list[Act],
        session: Session | None = None,
        on_turn: Callable[[bytes], None] | None = None,
    ) -> Performance:
        """Reset the sandbox, do the acts inside the case, and read the sandbox out after each.

        What is called inside a `session` is recorded, or replayed. `on_turn` hears how each
        turn but the last ended.
        """
        case = CurrentCase(
            id=request.id,
            input_json=request.input_json,
            replicate=request.replicate,
            report=reading.report,
        )
        closed = self.opening.open_again()
        if closed is not None:
            problem = f"the system could not be opened again: {closed.outcome.error}"
            return Performance(closed, closed.outcome, world_problem=problem)
        if session is not None:
            session.sandbox = self
            self._sessions.append(session)
        try:
            with open_case(case), self.recorder.case(session):
                unready = self._reset(request.state_json, session)
                if unready is not None:
                    return unready
                performance = self._act(request, case, reading, acts, session, on_turn)
        finally:
            self._caller.end_case(lingers=session is not None)
            if session is not None:
                session.late.wait(CALLS_S)
        performance.late = self._late_calls()
        reading.finish(performance)
        return performance

    def _act(
        self,
        request: Request,
        case: CurrentCase,
        reading: Reading,
        acts: list[Act],
        session: Session | None,
        on_turn: Callable[[bytes], None] | None,
    ) -> Performance:
        """Make the calls of the system one after another, until one does not complete."""
        performance: Performance | None = None
        for act in acts:
            performance = self._do(act, case, performance, session)
            reading.read(performance)
            self._states.read(performance, request.state_json, act.turn, session)
            if performance.outcome.status != "completed" or act is acts[-1]:
                break
            if session is not None:
                self.recorder.end_turn(session, performance.called.value)
            if on_turn is not None:
                # So that it outlives a process that a later turn ends.
                on_turn(encode(performance.last_turn()))
        assert performance is not None
        return performance

    def _reset(self, state_json: bytes | None, session: Session | None) -> Performance | None:
        """Put the sandbox into the initial state; what there is of a case where that failed."""
        if not self.system.stateful:
            return None
        if session is not None:
            session.preparing = True

        def reset_once() -> Called:
            state = None if state_json is None else decode(state_json)
            with self.recorder.undisturbed(session):
                return self._caller.call("reset", self.system.reset, state)

        reset = reset_once()
        if self._caller.shed():
            reset = reset_once()
        if reset.outcome.status != "completed":
            problem = f"reset() did not succeed: {reset.outcome.error}"
            return Performance(reset, reset.outcome, world_problem=problem)
        if session is not None:
            session.prepared()
        return None

    def _do(
        self, act: Act, case: CurrentCase, performance: Performance | None, session: Session | None
    ) -> Performance:
        """Make one call of the system."""
        case.begin_turn(act.turn, act.input_json)
        if session is not None:
            self.recorder.begin_turn(session, act)
        called = self._caller.call("call", act.function, *act.args)
        self.redaction.refresh()
        if performance is None:
            performance = Performance(called, called.outcome)
            performance.replies = None if act.turn is None else []
            return performance
        performance.called, performance.outcome, performance.output = (
            called,
            called.outcome,
            MISSING,
        )
        return performance

    def plain(self, value: object, what: str) -> JsonValue | orjson.Fragment:
        """A user's value as JSON without secrets; raises where it is none, or too large."""
        data, plain = encode_foreign(value, what)
        refuse_oversize(data, what)
        cleaned = self.redaction.of_value(plain)
        return orjson.Fragment(data) if cleaned is plain else cleaned

    def not_json(self, error: BaseException) -> Outcome:
        """The outcome of a value that is not JSON, or that raised when it was looked into."""
        if not isinstance(error, OloproofError):
            return Outcome("not_json", self._caller.outcome_of(error, "call").error)
        clean = self.redaction.of_text
        return Outcome("not_json", clean(error.what), error.where and clean(error.where))
