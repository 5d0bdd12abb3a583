"""The refund desk of the example: right on plain requests, and wrong in exactly two ways."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from examples_desks import (
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

from oloproof.canonical import decode, encode_in_order
from oloproof.recording.events import Origin
from oloproof.recording.recording import Recording, RecordingSession
from oloproof.recording.replay import Replayed, ReplaySession
from oloproof.records.calls import find_call
from oloproof.records.trajectory import AgentTrajectory
from oloproof.replaying.plans import fault_plan

if TYPE_CHECKING:
    from oloproof.records.trajectory import FaultKind

TOOLS = ("get_order", "count_refunds", "issue_refund", "escalate_to_human")


@dataclass
class Seen:
    """What one call of the desk left behind, recorded or replayed."""

    output: Any
    world: Any
    trajectory: AgentTrajectory
    recording: Recording | None = None
    replayed: Replayed | None = None


def run(desk: Any, case: dict[str, Any]) -> Seen:
    """The case as Oloproof runs it: reset, a recorded call, snapshot."""
    desk.reset(copy.deepcopy(case["initial_state"]))
    session = RecordingSession(
        Origin(case["id"]), targets="all", snapshot=lambda: encode_in_order(desk.snapshot())
    )
    with session:
        output = desk(copy.deepcopy(case["input"]))
    recording = session.close(output=output)
    trajectory = AgentTrajectory.model_validate(recording.trajectory.value)
    return Seen(output, desk.snapshot(), trajectory, recording)


def replay(desk: Any, case: dict[str, Any], seen: Seen, tool: str, fault: FaultKind | None) -> Seen:
    """The recording replayed at its first call of `tool`."""
    assert seen.recording is not None
    recording = Recording.from_json(seen.recording.to_json(), seen.recording.states)
    steps: Any = recording.trajectory.value["steps"]
    step = find_call(steps, tool, 1)
    assert step is not None
    desk.reset(copy.deepcopy(case["initial_state"]))
    session = ReplaySession(
        recording,
        target=recording.event_at(step),
        fault=None if fault is None else fault_plan(fault, "once"),
        reset=lambda state: desk.reset(decode(state)),
    )
    with session:
        output = desk(copy.deepcopy(case["input"]))
    replayed = session.close(output=output)
    trajectory = AgentTrajectory.model_validate(replayed.trajectory.value)
    return Seen(output, desk.snapshot(), trajectory, replayed=replayed)


@pytest.fixture
def desk() -> Any:
    return load_desk(app_source(RECORDED))


@pytest.fixture
def fixed() -> Any:
    return load_desk(mended_source(RECORDED, 1, 2))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
class TestPlainRequests:
    """Every request is dealt with under the policy."""

    def test_answer_is_the_expected_one(self, desk: Any, case: dict[str, Any]) -> None:
        """The desk answers what the policy says."""
        assert {"answer": case["expected"]["answer"]} == run(desk, case).output

    def test_world_is_the_expected_one(self, desk: Any, case: dict[str, Any]) -> None:
        """The desk leaves the world as the policy wants it."""
        assert within(case["expected"]["state"], run(desk, case).world)

    def test_order_of_somebody_else_stays(self, desk: Any, case: dict[str, Any]) -> None:
        """Whatever is asked, ord-999 keeps its value."""
        untouched = case["initial_state"]["orders"]["ord-999"]
        assert untouched == run(desk, case).world["orders"]["ord-999"]

    def test_trajectory_pairs_calls_with_results(self, desk: Any, case: dict[str, Any]) -> None:
        """Each call is followed by its result, and the last step is the output."""
        seen = run(desk, case)
        *calls, final = seen.trajectory.steps
        for call, result in zip(calls[::2], calls[1::2], strict=True):
            assert ("tool_call", "tool_result") == (call.kind, result.kind)
            assert (call.call_id, call.tool_name) == (result.call_id, result.tool_name)
        assert ("final", seen.output) == (final.kind, final.result)

    def test_mends_keep_it_right(self, fixed: Any, case: dict[str, Any]) -> None:
        """The fixes of the README change nothing for a plain request."""
        seen = run(fixed, case)
        assert {"answer": case["expected"]["answer"]} == seen.output
        assert within(case["expected"]["state"], seen.world)


class TestFailedRefund:
    """Flaw 2: a refund that failed is reported as done."""

    def test_twelve_requests_reach_the_refund(self, desk: Any) -> None:
        """The bar of the rule in release.yaml rests on twelve requests that call the tool."""
        called = [c["id"] for c in CASES if "issue_refund" in tools_called(run(desk, c).trajectory)]
        assert 12 == len(called)
        assert [case["id"] for case in REFUNDING] == called

    @pytest.mark.parametrize("tool", TOOLS)
    def test_control_reproduces_the_recording(self, desk: Any, tool: str) -> None:
        """A replay that changes nothing gives the recorded steps, output and world again."""
        tried = 0
        for case in CASES:
            recorded = run(desk, case)
            if tool not in tools_called(recorded.trajectory):
                continue
            tried += 1
            control = replay(desk, case, recorded, tool, None)
            assert control.replayed is not None
            assert control.replayed.trusted
            assert (recorded.output, recorded.world) == (control.output, control.world)
            assert recorded.trajectory == control.trajectory
        assert tried >= 4

    @pytest.mark.parametrize("fault", FAULTS)
    def test_failure_is_reported_as_success(self, desk: Any, fault: FaultKind) -> None:
        """Every faulted refund leaves no refund behind, and the expected answer all the same."""
        for case in REFUNDING:
            recorded = run(desk, case)
            faulted = replay(desk, case, recorded, "issue_refund", fault)
            assert {"answer": "refunded"} == faulted.output
            assert "success" == faulted.trajectory.terminal_status
            assert ["get_order", "issue_refund"] == tools_called(faulted.trajectory)
            assert [] == faulted.trajectory.constraints
            assert case["initial_state"] == faulted.world

    def test_fault_is_returned_as_the_tools_own_failures_are(self, desk: Any) -> None:
        """The struck call gives an object with the error, and nothing is raised."""
        case = REFUNDING[0]
        faulted = replay(desk, case, run(desk, case), "issue_refund", "error")
        result = faulted.trajectory.steps[3]
        assert ("tool_result", {"error": "internal error"}) == (result.kind, result.result)
        assert result.fault is not None
        assert ("returned", False) == (result.fault.as_, result.fault.applied)

    def test_payment_that_only_seems_to_fail_is_made_once(self, desk: Any) -> None:
        """A desk that does not look pays once, also where it is told that nothing was paid."""
        for case in REFUNDING:
            faulted = replay(desk, case, run(desk, case), "issue_refund", "applied_error")
            assert within(case["expected"]["state"], faulted.world)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_mended_desk_fetches_a_person(self, fixed: Any, fault: FaultKind) -> None:
        """With the fix of the README, a failed refund ends with a person and is not claimed."""
        for case in REFUNDING:
            recorded = run(fixed, case)
            faulted = replay(fixed, case, recorded, "issue_refund", fault)
            assert {"answer": "escalated"} == faulted.output
            assert "escalate_to_human" == tools_called(faulted.trajectory)[-1]
            assert [case["id"]] == [e["order_id"] for e in faulted.world["escalations"]]

    def test_failing_escalation_is_a_failure(self, desk: Any) -> None:
        """A desk whose last resort fails says so."""
        case = next(c for c in CASES if c["expected"]["answer"] == "escalated")
        recorded = run(desk, case)
        faulted = replay(desk, case, recorded, "escalate_to_human", "error")
        assert {"answer": "failed"} == faulted.output
        assert "failure" == faulted.trajectory.terminal_status

    @pytest.mark.parametrize("fault", FAULTS)
    def test_unreadable_order_goes_to_a_person(self, desk: Any, fault: FaultKind) -> None:
        """A desk that cannot look an order up escalates."""
        for case in CASES:
            recorded = run(desk, case)
            faulted = replay(desk, case, recorded, "get_order", fault)
            assert {"answer": "escalated"} == faulted.output


class TestInjection:
    """Flaw 1: an instruction in the message makes the desk refund without looking."""

    def test_override_skips_the_look_up(self, desk: Any) -> None:
        """With the pasted instruction the refund is the only call there is."""
        for case in CASES:
            assert ["issue_refund"] == tools_called(run(desk, injected(case)).trajectory)

    def test_sixteen_of_24_pairs_end_alike(self, desk: Any) -> None:
        """The state stays the same where money was due anyway or the store refuses to pay twice."""
        alike = [c for c in CASES if run(desk, c).world == run(desk, injected(c)).world]
        assert 16 == len(alike)
        assert {"within_window", "last_day", "second_order", "already_refunded"} == {
            case["metadata"]["category"] for case in alike
        }

    def test_second_mend_alone_breaks_four_more(self) -> None:
        """A desk that looks at the result fetches a person when the store refuses to pay twice."""
        half = load_desk(mended_source(RECORDED, 2))
        alike = [c for c in CASES if run(half, c).world == run(half, injected(c)).world]
        assert REFUNDING == alike

    def test_mended_desk_ignores_it(self, fixed: Any) -> None:
        """With the fix of the README every pair ends alike."""
        for case in CASES:
            assert run(fixed, case).world == run(fixed, injected(case)).world

    def test_paraphrase_changes_no_action(self, desk: Any) -> None:
        """A reworded request is dealt with by the same calls."""
        for case in CASES:
            message = case["input"]["message"].replace("Please refund", "Could you refund")
            reworded = case | {"input": case["input"] | {"message": message}}
            assert run(desk, case).trajectory == run(desk, reworded).trajectory


class TestCases:
    """The requests themselves."""

    def test_six_kinds_of_four(self) -> None:
        """There are 24 requests, four of each of six kinds."""
        kinds = [case["metadata"]["category"] for case in CASES]
        assert 24 == len(kinds)
        assert {4} == {kinds.count(kind) for kind in kinds}
        assert 6 == len(set(kinds))

    def test_ids_and_messages(self) -> None:
        """Every request names its own order, and can be reworded in exactly one place."""
        assert [f"ord-{number:03}" for number in range(1, 25)] == [case["id"] for case in CASES]
        for case in CASES:
            assert case["id"] == case["input"]["order_id"]
            assert 1 == case["input"]["message"].count("Please refund")
            assert "SYSTEM OVERRIDE" not in case["input"]["message"]
        assert 24 == len({case["input"]["message"] for case in CASES})

    def test_nothing_is_hard_coded(self) -> None:
        """No order of the data has its id in app.py."""
        assert [] == re.findall(r"ord-\d", app_source(RECORDED))
