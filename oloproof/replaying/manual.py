"""Replays a case through the `replay` method that its system's author wrote by hand."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from oloproof.canonical import JsonValue, decode, encode
from oloproof.execution.redaction import MARK
from oloproof.paths import MISSING
from oloproof.records.evidence import TRAJECTORY, CaseEvidence, ReplayEvidence
from oloproof.records.trajectory import AgentCheckpoint, AgentTrajectory, FaultKind, ReplayChange
from oloproof.replaying.comparator import first_divergence
from oloproof.replaying.sites import shown_output

if TYPE_CHECKING:
    from oloproof.execution.running import Execution, Performance, Request


class ManualReplay:
    """Replays one recording, evidence as it was stored, at one of its tool calls."""

    def __init__(self, execution: Execution, request: Request, recording_json: bytes) -> None:
        self._execution = execution
        self._request = request
        self._recording_json = recording_json
        self._recording: Any = decode(recording_json)
        state = request.state_json
        self._initial_state: JsonValue = decode(state) if state is not None else None

    def control(self, step_index: int) -> tuple[bytes, float]:
        """The replay that changes nothing, compared with the recording; and its seconds."""
        return self._replay(step_index, None)

    def faulted(self, step_index: int, fault: FaultKind) -> tuple[bytes, float]:
        """The replay in which the call at `step_index` gets the fault's result; and its seconds."""
        return self._replay(step_index, fault)

    def _replay(self, step_index: int, fault: FaultKind | None) -> tuple[bytes, float]:
        started = time.perf_counter()
        evidence = ReplayEvidence(
            kind="inject_fault" if fault else "resume",
            step_index=step_index,
            fault=fault,
            method="manual",
            case=None,
        )
        reason = self._obstacle()
        if reason is not None:
            return encode(replace(evidence, reason=reason).to_json(None)), 0.0
        performance = self._perform(step_index, fault)
        reason = self._join(performance, step_index, faulted=fault is not None)
        sections = self._execution.evidence(self._request, performance)
        shown, output = shown_output(self._steps_of(performance))
        sections.pop("output", None)
        if shown and performance.called.outcome.status == "completed":
            sections["output"] = output
        case_json = self._execution.seal(sections)
        if fault is None and reason is None:
            evidence = replace(evidence, divergence=self._divergence(case_json, step_index))
        sealed = encode(replace(evidence, reason=reason).to_json(orjson.Fragment(case_json)))
        return sealed, time.perf_counter() - started

    def _obstacle(self) -> str | None:
        """Why nothing can be replayed at all, or None."""
        if not self._execution.system.replayable:
            return "not_replayable"
        if MARK.encode() in self._recording_json:
            return "redacted_value_needed"
        if self._execution.system.stateful and "environment_state/v1" not in self._recording:
            return "no_recorded_state"
        return None

    def _perform(self, step_index: int, fault: FaultKind | None) -> Performance:
        trajectory = AgentTrajectory.model_validate(self._recording[TRAJECTORY])
        change = ReplayChange(
            kind="inject_fault" if fault else "resume", step_index=step_index, fault=fault
        )
        return self._execution.perform(
            self._request,
            self._execution.system.owner.replay,
            trajectory,
            checkpoint=checkpoint_at(trajectory, step_index),
            change=change,
        )

    def _join(self, performance: Performance, step_index: int, *, faulted: bool) -> str | None:
        """Put the continuation behind the recorded prefix; the reason why that cannot be done."""
        called, recorded = performance.called, self._recording[TRAJECTORY]
        if called.outcome.status != "completed":
            # Under a fault this is what the agent did; a control that does it proves nothing.
            stump = {"steps": recorded["steps"][: step_index - 1]}
            performance.trajectory_json = performance.trajectory_json or encode(stump)
            ended = "timed_out" if called.outcome.status == "timed_out" else "raised"
            return None if faulted else f"replay_{ended}"
        continuation = called.value
        if not isinstance(continuation, AgentTrajectory):
            performance.called = replace(called, value=MISSING)
            return "replay_returned_no_trajectory"
        continued = decode(
            continuation.__pydantic_serializer__.to_json(continuation, exclude_defaults=True)
        )
        performance.trajectory_json = encode(joined(recorded, continued, step_index))
        return None

    def _steps_of(self, performance: Performance) -> list[dict[str, Any]]:
        data: Any = (
            decode(performance.trajectory_json) if performance.trajectory_json else {"steps": []}
        )
        return list(data["steps"])

    def _divergence(self, case_json: bytes, step_index: int) -> Any:
        recording = CaseEvidence.from_json(self._recording, self._initial_state)
        control = CaseEvidence.from_json(decode(case_json), self._initial_state)
        return first_divergence(recording, control, first_step=step_index)


def checkpoint_at(trajectory: AgentTrajectory, step_index: int) -> AgentCheckpoint:
    """The checkpoint that the trajectory itself names at a step, else one made for it."""
    for checkpoint in trajectory.checkpoints:
        if checkpoint.step_index == step_index:
            return checkpoint
    step = trajectory.steps[step_index - 1]
    return AgentCheckpoint(
        checkpoint_id=f"step-{step_index}",
        kind="tool_arguments",
        step_index=step_index,
        description=f"before the call of {step.tool_name}",
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
        step | {"index": prefix + number}
        for number, step in enumerate(_without_clock(steps), start=1)
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


def _without_clock(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: item for name, item in step.items() if name != "latency_ms"} for step in steps]
