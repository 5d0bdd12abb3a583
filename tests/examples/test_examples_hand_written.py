"""The refund desk that is replayed by hand: it does what the recorded one does."""

from __future__ import annotations

import asyncio
import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from examples_desks import (
    BY_HAND,
    CASES,
    FAULTS,
    RECORDED,
    REFUNDING,
    app_source,
    injected,
    load_desk,
    mended_source,
    tools_called,
    within,
)

from oloproof.contract import CurrentCase, open_case
from oloproof.recording.events import Origin
from oloproof.recording.recording import RecordingSession
from oloproof.records.trajectory import (
    AgentCheckpoint,
    AgentStep,
    AgentTrajectory,
    FaultKind,
    ReplayChange,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Seen:
    """What one call of the desk, or one replay, left behind."""

    output: Any
    world: Any
    trajectory: AgentTrajectory


def in_case(case: dict[str, Any], action: Callable[[], Any]) -> tuple[Any, AgentTrajectory | None]:
    """What `action` gives while `case` is the current one, and the trajectory it reported."""
    reported: list[AgentTrajectory] = []
    current = CurrentCase(
        id=case["id"], input_json=json.dumps(case["input"]).encode(), report=reported.append
    )
    with open_case(current):
        return action(), reported[-1] if reported else None


def run(desk: Any, case: dict[str, Any]) -> Seen:
    """The case as Oloproof runs it: reset, call, snapshot."""
    desk.reset(copy.deepcopy(case["initial_state"]))
    output, trajectory = in_case(case, lambda: desk(copy.deepcopy(case["input"])))
    assert trajectory is not None
    return Seen(output, desk.snapshot(), trajectory)


def replay(
    desk: Any, case: dict[str, Any], recorded: AgentTrajectory, tool: str, fault: FaultKind | None
) -> Seen:
    """The recording replayed at its first call of `tool`; the continuation as it was returned."""
    index = next(
        step.index for step in recorded.steps if step.kind == "tool_call" and step.tool_name == tool
    )
    change = ReplayChange(kind="inject_fault" if fault else "resume", step_index=index, fault=fault)
    checkpoint = AgentCheckpoint(checkpoint_id="c", kind="tool_arguments", step_index=index)
    desk.reset(copy.deepcopy(case["initial_state"]))
    continuation, _ = in_case(
        case,
        lambda: asyncio.run(desk.replay(recorded, checkpoint=checkpoint, change=change)),
    )
    return Seen(continuation.steps[-1].result, desk.snapshot(), continuation)


def without_numbers(trajectory: AgentTrajectory, first: int) -> list[Any]:
    """What is compared of the steps from `first` on, which leaves their numbering out."""
    return [step.model_copy(update={"index": 1}) for step in trajectory.steps[first - 1 :]]


@pytest.fixture
def desk() -> Any:
    return load_desk(app_source(BY_HAND))


@pytest.mark.parametrize("fixes", [(), (1, 2)], ids=["as it is", "fixed"])
@pytest.mark.parametrize("changed", [lambda case: case, injected], ids=["plain", "injected"])
def test_both_desks_do_the_same(changed: Callable[[Any], Any], fixes: tuple[int, ...]) -> None:
    """Output and world of every request are those of the desk with declared tools."""
    by_hand = load_desk(mended_source(BY_HAND, *fixes))
    recorded = load_desk(mended_source(RECORDED, *fixes))
    for case in map(changed, CASES):
        recorded.reset(copy.deepcopy(case["initial_state"]))
        with RecordingSession(Origin(case["id"])):
            output = recorded(copy.deepcopy(case["input"]))
        seen = run(by_hand, case)
        assert (output, recorded.snapshot()) == (seen.output, seen.world)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_trajectory_pairs_calls_with_results(desk: Any, case: dict[str, Any]) -> None:
    """Each call is followed by its result, and the last step is the output."""
    seen = run(desk, case)
    *calls, final = seen.trajectory.steps
    for call, result in zip(calls[::2], calls[1::2], strict=True):
        assert ("tool_call", "tool_result") == (call.kind, result.kind)
        assert (call.call_id, call.tool_name) == (result.call_id, result.tool_name)
    assert ("final", seen.output) == (final.kind, final.result)


class TestReplay:
    """The continuation that the desk makes of a recording."""

    @pytest.mark.parametrize(
        "tool", ["get_order", "count_refunds", "issue_refund", "escalate_to_human"]
    )
    def test_control_reproduces_the_recording(self, desk: Any, tool: str) -> None:
        """A replay that changes nothing gives the recorded steps, output and world again."""
        tried = 0
        for case in CASES:
            recorded = run(desk, case)
            calls = [s for s in recorded.trajectory.steps if s.kind == "tool_call"]
            at = next((s.index for s in calls if s.tool_name == tool), None)
            if at is None:
                continue
            tried += 1
            control = replay(desk, case, recorded.trajectory, tool, None)
            assert without_numbers(recorded.trajectory, at) == without_numbers(
                control.trajectory, 1
            )
            assert (recorded.output, recorded.world) == (control.output, control.world)
            assert recorded.trajectory.terminal_status == control.trajectory.terminal_status
        assert tried >= 4

    @pytest.mark.parametrize("fault", FAULTS)
    def test_failure_is_reported_as_success(self, desk: Any, fault: FaultKind) -> None:
        """Every faulted refund leaves no refund behind, and the expected answer all the same."""
        for case in REFUNDING:
            recorded = run(desk, case)
            faulted = replay(desk, case, recorded.trajectory, "issue_refund", fault)
            assert {"answer": "refunded"} == faulted.output
            assert "success" == faulted.trajectory.terminal_status
            assert ["issue_refund"] == tools_called(faulted.trajectory)
            assert [] == faulted.trajectory.constraints
            assert case["initial_state"] == faulted.world

    @pytest.mark.parametrize("fault", FAULTS)
    def test_fault_is_the_result_of_the_call(self, desk: Any, fault: FaultKind) -> None:
        """The call at the checkpoint gets the fault's result and is the first step returned."""
        case = REFUNDING[0]
        recorded = run(desk, case)
        call, result, *_ = replay(
            desk, case, recorded.trajectory, "issue_refund", fault
        ).trajectory.steps
        change = ReplayChange(kind="inject_fault", step_index=3, fault=fault)
        assert (1, "tool_call", "issue_refund") == (call.index, call.kind, call.tool_name)
        assert change.fault_result == result.result

    @pytest.mark.parametrize("fault", FAULTS)
    def test_mended_desk_fetches_a_person(self, fault: FaultKind) -> None:
        """With the fix of the README, a failed refund ends with a person and is not claimed."""
        fixed = load_desk(mended_source(BY_HAND, 1, 2))
        for case in REFUNDING:
            recorded = run(fixed, case)
            faulted = replay(fixed, case, recorded.trajectory, "issue_refund", fault)
            assert {"answer": "escalated"} == faulted.output
            assert "escalate_to_human" == tools_called(faulted.trajectory)[-1]
            assert [case["id"]] == [e["order_id"] for e in faulted.world["escalations"]]

    def test_prefix_puts_effects_back(self, desk: Any) -> None:
        """A recorded call changes the world again, and gives the agent what it was told then."""
        case = REFUNDING[0]
        told = {"status": "refunded", "amount_cents": 1}
        call: dict[str, Any] = {"tool_name": "issue_refund", "call_id": "call-1"}
        recorded = [
            AgentStep(index=1, kind="tool_call", arguments={"order_id": case["id"]}, **call),
            AgentStep(index=2, kind="tool_result", result=told, **call),
        ]
        world = copy.deepcopy(case["initial_state"])
        caller = type(desk).work.__globals__["Caller"](world, recorded=recorded)
        assert told == caller("issue_refund", order_id=case["id"])
        assert within(case["expected"]["state"], world)

    def test_changed_prefix_is_refused(self, desk: Any) -> None:
        """A recording that the agent does not repeat stops the replay."""
        first, *rest = run(desk, REFUNDING[0]).trajectory.steps
        other = first.model_copy(update={"arguments": {"order_id": "ord-999"}})
        with pytest.raises(RuntimeError, match="another call than the recorded"):
            replay(desk, REFUNDING[0], AgentTrajectory(steps=[other, *rest]), "issue_refund", None)

    def test_change_it_cannot_make_is_refused(self, desk: Any) -> None:
        """A fault without a fixed result is refused, and not taken for a control."""
        recorded = run(desk, REFUNDING[0]).trajectory
        with pytest.raises(NotImplementedError, match="applied_error"):
            replay(desk, REFUNDING[0], recorded, "issue_refund", "applied_error")
