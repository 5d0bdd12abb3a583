"""Replays a case from the recording of its tools and models, with no code of its author's."""

from __future__ import annotations

import contextlib
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import decode, encode
from oloproof.execution.reading import OutputReading
from oloproof.execution.recorder import NOT_STORABLE
from oloproof.paths import MISSING
from oloproof.recording.replay import Replayed, ReplaySession
from oloproof.records.evidence import (
    ENVIRONMENT_STATE,
    LATE,
    OUTAGE,
    RECORDING,
    CaseEvidence,
    ReplayEvidence,
    counts,
    is_trusted,
)
from oloproof.records.faults import read_fault_label
from oloproof.replaying.comparator import first_difference_at_the_end
from oloproof.replaying.plans import fault_plan

if TYPE_CHECKING:
    from oloproof.bookkeeping import Bookkeeping
    from oloproof.execution.calling import Called
    from oloproof.execution.performing import Performance, Request
    from oloproof.execution.running import Execution
    from oloproof.recording.recording import Recording
    from oloproof.records.evidence import Divergence
    from oloproof.records.faults import ModelPolicy


class _Attempt(NamedTuple):
    """One attempt at a replay: what was performed, and what its session found.

    `turn` is that in which the sandbox is put into the state of a checkpoint, None where it
    has been live from the start. `called` is the last call of the system, without an error
    where the agent let the fault itself through: that is no outage, whatever its class is.
    """

    performance: Performance
    replayed: Replayed
    turn: int | None
    called: Called

    def met_outage(self) -> None:
        """Take note that it ended for something that was down."""
        self.performance.met_outage()


class RecordedReplay:
    """Replays one recording, evidence as it was stored, at one of its tool calls.

    `models` says where model calls behind a fault are answered.
    """

    def __init__(
        self,
        execution: Execution,
        request: Request,
        recording_json: bytes,
        models: ModelPolicy = "live",
        bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    ) -> None:
        self._execution = execution
        self._bookkeeping = bookkeeping
        self._request = request
        self._models: ModelPolicy = models
        self._stored: Any = decode(recording_json)
        self._restores: set[int] = set()

    def control(self, step_index: int) -> tuple[bytes, float]:
        """The replay that changes nothing, compared with the recording; and its seconds.

        It begins at the start, with tools that run again: so the agent keeps what it remembers,
        and what it refers to. Only where that does not reproduce, for tools that do not give the
        same again, the sandbox is put into the state of the checkpoint, and the prefix served.
        """
        self._restores.discard(step_index)
        made, seconds = self._replay(step_index, None)
        if is_trusted(decode(made)):
            return made, seconds
        self._restores.add(step_index)
        restored, more = self._replay(step_index, None)
        if is_trusted(decode(restored)):
            return restored, seconds + more
        self._restores.discard(step_index)
        return made, seconds + more

    def faulted(self, step_index: int, fault: str) -> tuple[bytes, float]:
        """The replay in which a fault strikes the call at `step_index`; and its seconds.

        `fault` is a kind of fault with its duration, as `fault_label` writes it.
        """
        return self._replay(step_index, fault)

    def _replay(self, step_index: int, fault: str | None) -> tuple[bytes, float]:
        started = time.perf_counter()
        evidence = ReplayEvidence(
            kind="inject_fault" if fault else "resume",
            step_index=step_index,
            fault=fault,
            method="recorded",
            case=None,
        )
        if self._execution.system.stateful and ENVIRONMENT_STATE not in self._stored:
            return encode(evidence._replace(reason="no_recorded_state").to_json(None)), 0.0
        (performance, replayed, turn, _), before, waited_s = self._execution.retries.run(
            lambda: self._attempt(step_index, fault)
        )
        recorder = self._execution.recorder
        try:
            performance.trajectory = recorder.stored_trajectory(replayed.trajectory)
        except NOT_STORABLE as error:
            detail = self._execution.not_json(error).error
            unstored = evidence._replace(reason="replay_not_json", detail=detail)
            return encode(unstored.to_json(None)), time.perf_counter() - started - waited_s
        sections = performance.sections()
        if before:
            sections["attempts"] = [*before, sections["outcome"]]
        case_json = encode(sections)
        divergence, reason = replayed.divergence, self._reason(replayed, performance, fault)
        if fault is None and counts(reason, divergence):
            divergence = self._difference(case_json, turn)
        notes = [f"{note.kind}: {note.detail}" for note in replayed.notes]
        redaction = self._execution.redaction
        sealed = evidence._replace(
            reason=reason,
            detail=None if replayed.detail is None else redaction.of_text(replayed.detail),
            divergence=None if reason is not None or divergence is None else self._told(divergence),
            notes=tuple(map(redaction.of_text, notes)),
        ).to_json(orjson.Fragment(case_json), self._around(replayed))
        return encode(sealed), time.perf_counter() - started - waited_s

    def _around(self, replayed: Replayed) -> dict[str, Any]:
        """The worlds around the struck call as they are stored, as far as they can be."""
        out: dict[str, Any] = {}
        around = replayed.around
        if around is None:
            return out
        with contextlib.suppress(*NOT_STORABLE):
            store = partial(self._execution.worlds.store, state_json=self._request.state_json)
            if around.before is not None:
                out["before"] = store(decode(around.before))
            if around.after is not None:
                out["after"] = store(decode(around.after))
            elif not around.ran:
                out["after"] = None
        return out

    def _told(self, divergence: Divergence) -> Divergence:
        """A divergence without secrets: what was live in the replay stands in it."""
        clean = self._execution.redaction
        return divergence._replace(
            where=clean.of_text(divergence.where),
            expected=clean.of_value(divergence.expected),
            actual=clean.of_value(divergence.actual),
            path=None if divergence.path is None else clean.of_text(divergence.path),
        )

    def _attempt(self, step_index: int, fault: str | None) -> _Attempt:
        """One attempt, with a recording of its own: a replay marks what it has used."""
        execution = self._execution
        initial = execution.worlds.initial(self._request.state_json)
        recording = execution.recorder.restored(self._stored[RECORDING], initial)
        target = recording.event_at(step_index)
        assert target is not None
        session = ReplaySession(
            recording,
            target=target,
            fault=None if fault is None else fault_plan(*read_fault_label(fault)),
            models=self._models,
            restores=step_index in self._restores,
            reset=execution.recorder.reset if execution.system.stateful else None,
            snapshot=execution.recorder.snapshot if execution.system.stateful else None,
            clean=execution.redaction.of_json_text,
            clean_text=execution.redaction.of_text,
        )
        performance = execution.perform(
            self._request, OutputReading(execution), execution.acts(self._request), session
        )
        failed = performance.outcome.status != "completed"
        value = performance.called.value
        replayed = session.close(output=MISSING if failed else value, failed=failed)
        restores = step_index in self._restores
        turn = _turn_of_checkpoint(recording, target) if restores else None
        called = performance.called
        if session.let_fault_through(called.error):
            called = called._replace(error=None)
        return _Attempt(performance, replayed, turn, called)

    def _reason(
        self, replayed: Replayed, performance: Performance, fault: str | None
    ) -> str | None:
        """Why a replay says nothing of the agent, or None where it does."""
        if replayed.reason is not None:
            return replayed.reason
        outcome = performance.outcome
        if outcome.status == OUTAGE:
            return OUTAGE
        if outcome.phase == "reset" and outcome.status != "completed":
            return f"reset_{outcome.status}"
        if fault is not None and replayed.divergence is None and not replayed.delivered:
            return "fault_not_delivered"
        return LATE if performance.late else None

    def _difference(self, case_json: bytes, turn: int | None) -> Any:
        initial = self._execution.worlds.initial(self._request.state_json)
        recording = CaseEvidence.from_json(self._stored, initial)
        control = CaseEvidence.from_json(decode(case_json), initial)
        sides = self._bookkeeping.sides_from(initial)
        return first_difference_at_the_end(recording, control, first_turn=turn, sides=sides)


def _turn_of_checkpoint(recording: Recording, target: int) -> int | None:
    """The turn in which the state was kept from which a replay goes on; None for the start."""
    at = recording.checkpoint_for(target).at
    return next((event.turn for event in recording.events if event.started == at), None)
