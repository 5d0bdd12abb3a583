"""Replays a case through the `replay` method that its system's author wrote by hand."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import ValidationError

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import decode, encode, equal
from oloproof.execution.performing import Act
from oloproof.execution.trajectories import StoredTrajectory, store_trajectory
from oloproof.records.evidence import (
    ENVIRONMENT_STATE,
    OUTAGE,
    TRAJECTORY,
    CaseEvidence,
    ReplayEvidence,
)
from oloproof.records.faults import fixed_result
from oloproof.records.shapes import REDACTED
from oloproof.records.trajectory import (
    AgentCheckpoint,
    AgentTrajectory,
    ReplayChange,
)
from oloproof.replaying.comparator import first_divergence
from oloproof.replaying.sites import final_output, shown_output, shows_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.execution.performing import Performance, Request
    from oloproof.execution.running import Execution


class ManualReplay:
    """Replays one recording, evidence as it was stored, at one of its tool calls."""

    def __init__(
        self,
        execution: Execution,
        request: Request,
        recording_json: bytes,
        bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    ) -> None:
        self._execution = execution
        self._bookkeeping = bookkeeping
        self._request = request
        self._recording: Any = decode(recording_json)

    def control(self, step_index: int) -> tuple[bytes, float]:
        """The replay that changes nothing, compared with the recording; and its seconds."""
        return self._replay(step_index, None)

    def faulted(self, step_index: int, fault: str) -> tuple[bytes, float]:
        """The replay in which the call at `step_index` gets the fault's result; and its seconds."""
        return self._replay(step_index, fault)

    def _replay(self, step_index: int, fault: str | None) -> tuple[bytes, float]:
        started = time.perf_counter()
        evidence = ReplayEvidence(
            kind="inject_fault" if fault else "resume",
            step_index=step_index,
            fault=fault,
            method="manual",
            case=None,
        )
        obstacle = self._obstacle(step_index, fault)
        if obstacle is not None:
            return encode(evidence._replace(reason=obstacle).to_json(None)), 0.0
        try:
            performance, before, waited_s = self._execution.retries.run(
                lambda: self._perform(step_index, fault)
            )
        except ValidationError:
            return encode(evidence._replace(reason="recording_not_valid").to_json(None)), 0.0
        sections = performance.sections()
        if before:
            sections["attempts"] = [*before, sections["outcome"]]
        case_json = encode(sections)
        reason = _reason(performance, faulted=fault is not None)
        if reason is None and not self._was_delivered(performance, step_index, fault):
            reason = "fault_not_delivered"
        if fault is None and reason is None:
            evidence = evidence._replace(divergence=self._divergence(case_json, step_index))
        sealed = encode(evidence._replace(reason=reason).to_json(orjson.Fragment(case_json)))
        return sealed, time.perf_counter() - started - waited_s

    def _obstacle(self, step_index: int, fault: str | None) -> str | None:
        """Why nothing can be replayed at all, or None."""
        if not self._execution.system.replayable or self._request.talks:
            return "not_replayable"
        if fault is not None and fixed_result(fault) is None:
            return "fault_needs_recorded_tools"
        if REDACTED.encode() in encode(self._recording[TRAJECTORY]["steps"][:step_index]):
            return "redacted_value_needed"
        if self._execution.system.stateful and ENVIRONMENT_STATE not in self._recording:
            return "no_recorded_state"
        shown, _ = final_output(self._recording[TRAJECTORY]["steps"])
        return "output_not_shown" if shown and not self._shows_its_output() else None

    def _shows_its_output(self) -> bool:
        """Whether the recorded steps show what the case gave.

        A replay has no other output than its steps do. Where a final step shows another, nobody
        could see what the agent says under a fault; without one the output is compared only
        where the last message shows it.
        """
        if "output" not in self._recording:
            return True
        output = self._recording["output"]
        shown, value = shown_output(self._recording[TRAJECTORY]["steps"])
        has_answer = isinstance(output, dict) and "answer" in output
        return shown and (equal(value, output) or (has_answer and equal(value, output["answer"])))

    def _perform(self, step_index: int, fault: str | None) -> Performance:
        """One attempt, with a trajectory of its own: a replay may change what it is given.

        Raises `ValidationError` where the recording is none that can be handed over.
        """
        trajectory = AgentTrajectory.model_validate(self._recording[TRAJECTORY])
        kind: Any = fault
        change = ReplayChange(
            kind="inject_fault" if fault else "resume", step_index=step_index, fault=kind
        )
        replay = partial(
            self._execution.system.replay,
            trajectory,
            checkpoint=checkpoint_at(trajectory, step_index),
            change=change,
        )
        return self._execution.perform(
            self._request,
            _ReplayReading(
                self._execution,
                self._recording[TRAJECTORY],
                step_index,
                shown_output if self._shows_its_output() else final_output,
            ),
            [Act(replay, (), self._request.input_json)],
        )

    def _was_delivered(self, performance: Performance, step_index: int, fault: str | None) -> bool:
        """Whether a replay that returned shows the fault at its call: it may have ignored it."""
        result = fixed_result(fault)
        if result is None or performance.outcome.status != "completed":
            return True
        assert performance.trajectory is not None
        recorded = self._recording[TRAJECTORY]["steps"][step_index - 1]
        return shows_result(performance.trajectory.value["steps"], recorded, result)

    def _divergence(self, case_json: bytes, step_index: int) -> Any:
        initial = self._execution.worlds.initial(self._request.state_json)
        recording = CaseEvidence.from_json(self._recording, initial)
        control = CaseEvidence.from_json(decode(case_json), initial)
        sides = self._bookkeeping.sides_from(initial)
        return first_divergence(recording, control, first_step=step_index, sides=sides)


class _ReplayReading:
    """Reads the call of `replay`: the continuation that it gave, behind the recorded prefix."""

    def __init__(
        self,
        execution: Execution,
        recorded: Any,
        step_index: int,
        output_of: Callable[[list[dict[str, Any]]], tuple[bool, Any]],
    ) -> None:
        self._output_of = output_of
        self._execution = execution
        self._recorded = recorded
        self._step_index = step_index

    def report(self, trajectory: object) -> None:
        """Not used: whether it begins with the case or with the continuation is not known."""

    def finish(self, performance: Performance) -> None:
        """Nothing is left to be taken."""

    def read(self, performance: Performance) -> None:
        """Join the continuation; of a call that did not return there is only the prefix."""
        if performance.outcome.status != "completed":
            ended: dict[str, Any] = {"steps": [], "terminal_status": "failure"}
            whole = joined(self._recorded, ended, self._step_index)
            performance.trajectory = StoredTrajectory(whole, encode(whole))
            return
        try:
            continuation = store_trajectory(performance.called.value, self._execution.redaction)
        except BaseException as error:
            performance.trajectory_problem = self._execution.not_json(error).error
            return
        whole = joined(self._recorded, continuation.value, self._step_index)
        performance.trajectory = StoredTrajectory(whole, encode(whole))
        shown, output = self._output_of(whole["steps"])
        if shown:
            performance.output = output


def _reason(performance: Performance, *, faulted: bool) -> str | None:
    """Why a replay says nothing of the agent, or None where it does."""
    outcome = performance.outcome
    if outcome.status == "completed":
        invalid = performance.trajectory_problem is not None
        return "replay_returned_no_valid_trajectory" if invalid else None
    if outcome.status == OUTAGE:
        return OUTAGE
    if outcome.phase == "reset":
        return f"reset_{outcome.status}"
    if not faulted:
        return f"replay_{outcome.status}"
    if isinstance(performance.called.error, NotImplementedError):
        return "fault_not_supported_by_replay"  # so says its author; the agent was never asked
    return None  # under a fault, how the call ended is what the agent did


def checkpoint_at(trajectory: AgentTrajectory, step_index: int) -> AgentCheckpoint:
    """The checkpoint that the trajectory itself names at a step, else one made for it."""
    for checkpoint in trajectory.checkpoints:
        if checkpoint.step_index == step_index:
            return checkpoint
    step = trajectory.steps[step_index - 1]
    name = step.tool_name or step.metadata.get("model")
    return AgentCheckpoint(
        checkpoint_id=f"step-{step_index}",
        kind="tool_arguments",
        step_index=step_index,
        description=f"before the call of {name}",
    )


def joined(recorded: Any, continuation: Any, step_index: int) -> dict[str, Any]:
    """The recorded prefix and the continuation as one trajectory (JSON form), renumbered.

    A continuation may begin with the replayed call or, where the call itself stands, with
    its result; the prefix then reaches as far as that.
    """
    steps = continuation["steps"]
    begins_with_result = bool(steps) and steps[0]["kind"] == "tool_result"
    prefix = step_index if begins_with_result else step_index - 1
    out = dict(continuation)
    out["steps"] = recorded["steps"][:prefix] + [
        step | {"index": prefix + number} for number, step in enumerate(steps, start=1)
    ]
    constraints = [
        check
        for check in recorded.get("constraints", [])
        if check.get("step_index", prefix + 1) <= prefix
    ] + [
        check | {"step_index": prefix + check["step_index"]} if "step_index" in check else check
        for check in continuation.get("constraints", [])
    ]
    if constraints:
        out["constraints"] = constraints
    out.pop("checkpoints", None)  # they name places of the continuation, which nothing replays
    return out
