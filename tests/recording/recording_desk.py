"""A small sandbox with tools, and the two ways to run an agent in it."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

import orjson

from oloproof.paths import MISSING
from oloproof.recording.checkpoints import Targets
from oloproof.recording.endings import ReplayStop
from oloproof.recording.events import Origin
from oloproof.recording.recording import Recording, RecordingSession
from oloproof.recording.replay import Replayed, ReplaySession
from oloproof.records.calls import find_call
from oloproof.records.evidence import CaseEvidence, Divergence, Moment, Outcome
from oloproof.records.faults import EffectKind, FaultPlan, ModelPolicy
from oloproof.replaying.comparator import first_difference_at_the_end

ERROR = FaultPlan(fault="error", error="internal error")
APPLIED = FaultPlan(fault="applied_error", runs=1, error="internal error")


def event_of(
    recording: Recording, name: str, occurrence: int = 1, kind: EffectKind = "tool"
) -> int | None:
    """The event of a call, or None where it was not made."""
    steps: Any = recording.trajectory.value["steps"]
    step = find_call(steps, name, occurrence, kind=kind)
    return None if step is None else recording.event_at(step)


class Ending(NamedTuple):
    """How a call ended, what it gave, and the world that it left."""

    status: Any
    output: Any
    state: Any

    @property
    def evidence(self) -> CaseEvidence:
        """What is known of it once it is stored."""
        return CaseEvidence(Outcome(self.status), self.output, worlds=(Moment(self.state),))


class Sandbox:
    """A state that tools change, and a list of what really ran."""

    def __init__(self, initial: Any = None) -> None:
        self.initial = {} if initial is None else initial
        self.ran: list[str] = []
        self.snapshots = 0
        self.reset(orjson.dumps(self.initial))

    def reset(self, state: bytes) -> None:
        self.state = orjson.loads(state)

    def snapshot(self) -> bytes:
        self.snapshots += 1
        return orjson.dumps(self.state)


class Recorded:
    """A recording with how the case ended."""

    def __init__(self, sandbox: Sandbox, recording: Recording, ending: Ending) -> None:
        self.sandbox = sandbox
        self.recording = recording
        self.ending = ending

    def stored(self) -> Recording:
        """The recording as it comes back out of a store."""
        data = orjson.loads(orjson.dumps(self.recording.to_json()))
        return Recording.from_json(data, self.recording.states)

    def call(self, name: str, occurrence: int = 1, kind: EffectKind = "tool") -> int:
        found = event_of(self.recording, name, occurrence, kind)
        assert found is not None
        return found


class Again(Replayed):
    """A replay with how it ended, and the difference of that."""

    ending: Ending
    difference: Divergence | None


def run(agent: Callable[[], Any]) -> Any:
    """Call an agent, sync or async."""
    return asyncio.run(agent()) if inspect.iscoroutinefunction(agent) else agent()


def record(
    sandbox: Sandbox, agent: Callable[[], Any], targets: Targets = "all", **options: Any
) -> Recorded:
    sandbox.reset(orjson.dumps(sandbox.initial))
    sandbox.ran.clear()
    session = RecordingSession(
        Origin("case-1"), targets=targets, snapshot=sandbox.snapshot, **options
    )
    status, output = "completed", MISSING
    try:
        with session:
            output = run(agent)
    except Exception:
        status = "raised"
    recording = session.close(output=output, failed=status == "raised")
    return Recorded(sandbox, recording, Ending(status, output, sandbox.state))


def replay(
    recorded: Recorded,
    agent: Callable[[], Any],
    target: int | None = None,
    fault: FaultPlan | None = None,
    models: ModelPolicy = "live",
    **options: Any,
) -> Again:
    sandbox = recorded.sandbox
    sandbox.reset(orjson.dumps(sandbox.initial))
    sandbox.ran.clear()
    session = ReplaySession(
        recorded.stored(),
        target=target,
        fault=fault,
        models=models,
        reset=sandbox.reset,
        **({"patience_s": 0.2} | options),
    )
    status, output = "completed", MISSING
    try:
        with session:
            output = run(agent)
    except (Exception, ReplayStop, BaseExceptionGroup):
        status = "raised"
    made = Again(*session.close(output=output, failed=status == "raised"))
    made.ending = Ending(status, output, sandbox.state)
    made.difference = made.divergence or first_difference_at_the_end(
        recorded.ending.evidence, made.ending.evidence
    )
    return made


def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives or raises in a thread of its own, without context."""
    done: Future[Any] = Future()

    def job() -> None:
        try:
            done.set_result(function(*args))
        except BaseException as error:
            done.set_exception(error)

    thread = threading.Thread(target=job)
    thread.start()
    thread.join()
    return done.result()
