"""Which call a fault struck, whether its effect is there, and how the agent retried."""

from __future__ import annotations

from typing import Any

import pytest
from evaluator_samples import (
    RAISED,
    call,
    case,
    evidence,
    judge_replay,
    replayed,
    result,
    trajectory,
)
from fault_samples import (
    DONE,
    ESCALATED,
    EXPECTED,
    FAILED,
    OPEN,
    REFUND,
    WORKED,
    after,
    check,
    delivered,
    recorded,
    struck_by,
    verdict,
)

from oloproof.records.evidence import COMPLETED, CaseEvidence, Outcome
from oloproof.records.faults import fault_names

READ = call("get_order", reads=True)
LOOK = (READ, result("get_order", result={"order": "open"}))
WRITE = (call("send_mail"), result("send_mail", result={"sent": True}))
UNKNOWN = "retried after send_mail, which is not declared `reads=True`"
RETRY = (REFUND, WORKED)
BESIDE = ("verified", "retried", "calls until", "failure claimed", "the system", "changed under")
"""With what each part begins that is told beside a verdict."""


class TestAppliedFaults:
    """Faults whose effect is there although the agent was told otherwise, or twice."""

    def ruling(self, fault: str, faulted: CaseEvidence) -> str:
        struck = struck_by(fault, faulted)
        replay = replayed(struck, fault=fault)
        said = judge_replay(check(fault=fault), case(OPEN, expected=EXPECTED), replay)
        assert said.detail
        return str(said.label)

    def test_a_repeated_effect_is_a_duplicate(self) -> None:
        """The same tool with the same arguments executed again, and the state missed."""
        again = after(call("issue_refund", arguments={"order": "1"}), WORKED, *ESCALATED)
        assert "duplicate_effect" == self.ruling("applied_error", again)
        assert "duplicate_effect" == self.ruling("applied_timeout", again)
        assert "escalated" == self.ruling("error", again)

    def test_a_repeated_effect_that_leaves_the_expected_state_is_none(self) -> None:
        """A tool that may be called twice is no fault of the agent's."""
        again = after(REFUND, WORKED, state=DONE)
        assert "recovered" == self.ruling("applied_error", again)

    def test_another_call_is_no_duplicate(self) -> None:
        """Other arguments, another tool, or a call that was never executed repeat nothing."""
        order_2 = call("issue_refund", arguments={"order": "2"})
        for steps in (
            [order_2, WORKED],
            [call("refund_by_hand", arguments={"order": "1"}), result("refund_by_hand")],
            [REFUND, {**WORKED, "status": "blocked"}],
            [{**REFUND, "status": "proposed"}],
        ):
            assert "gave_up" == self.ruling("applied_error", after(*steps, status="failure"))

    def test_what_a_repeated_call_came_back_with_does_not_count(self) -> None:
        """An error says nothing of whether the tool did its work, so the state decides."""
        assert "duplicate_effect" == self.ruling("applied_error", after(REFUND, FAILED))
        assert "recovered" == self.ruling("applied_error", after(REFUND, FAILED, state=DONE))

    def test_a_call_struck_before_it_ran_repeats_nothing(self) -> None:
        """Of a fault that lasts, only those calls count under which the tool ran."""
        repeats = {
            fault: evidence(
                state=OPEN,
                trajectory=trajectory(
                    REFUND,
                    delivered("applied_error", applied=True),
                    REFUND,
                    delivered(fault, applied=fault == "applied_error"),
                ),
            )
            for fault in ("error", "applied_error", "stale", "malformed")
        }
        assert {
            "error": "gave_up",
            "applied_error": "duplicate_effect",
            "stale": "gave_up",
            "malformed": "gave_up",
        } == {fault: self.ruling("applied_error", steps) for fault, steps in repeats.items()}

    def test_a_duplicate_delivery_has_executed_twice_itself(self) -> None:
        """Its second execution counts; where the state is as expected nothing is wrong."""
        assert "duplicate_effect" == self.ruling("duplicate_delivery", after())
        assert "recovered" == self.ruling("duplicate_delivery", after(state=DONE))
        assert "gave_up" == self.ruling("slow", after())

    @pytest.mark.parametrize(("applied", "label"), [(True, "duplicate_effect"), (False, "gave_up")])
    def test_a_recorded_delivery_says_whether_the_fault_was_applied(
        self, applied: bool, label: str
    ) -> None:
        """What was recorded with the call counts, whatever the kind of the fault."""
        for fault in ("truncated", "applied_error"):
            struck = delivered(fault, applied=applied)
            steps = trajectory(REFUND, struck, REFUND, WORKED)
            assert label == self.ruling(fault, evidence(state=OPEN, trajectory=steps))


class TestWhichCallWasStruck:
    """The recorded delivery tells, else the step at which the replay was changed."""

    def judge(self, *steps: dict[str, Any], step: int = 1, **options: Any) -> str:
        seen = evidence(state=OPEN, trajectory=trajectory(*steps, status="failure"))
        replay = replayed(seen, step=step)
        return judge_replay(check(**options), case(OPEN, expected=EXPECTED), replay).code

    def test_the_recorded_delivery_goes_before_the_step(self) -> None:
        """Parallel calls may start in another order than in the recording."""
        look = (call("look"), result("look"))
        assert "f:gave_up" == self.judge(*ESCALATED, *look, REFUND, delivered(), step=1)
        assert "p:escalated" == self.judge(*look, REFUND, delivered(), *ESCALATED, step=7)

    def test_what_was_called_before_the_fault_arrived_is_no_answer_to_it(self) -> None:
        """A call in parallel with the struck one was made by somebody who knew of no fault."""
        waiting = call("issue_refund", arguments={"order": "1"}, call_id="a")
        struck = {**delivered(), "call_id": "a"}
        assert "f:gave_up" == self.judge(waiting, call("escalate"), struck, result("escalate"))
        assert "p:escalated" == self.judge(waiting, struck, call("escalate"), result("escalate"))

    def test_a_later_struck_call_is_no_success(self) -> None:
        """Under a fault that lasts, a call that never reached the tool helped nobody."""
        seen = evidence(trajectory=trajectory(REFUND, delivered(), REFUND, delivered("malformed")))
        checked = check(fault="malformed", duration=2)
        said = judge_replay(checked, case(OPEN), replayed(seen, fault="malformed"))
        assert "m:outcome_unknown" == said.code
        seen = evidence(trajectory=trajectory(REFUND, delivered("malformed"), REFUND, WORKED))
        assert (
            "p:recovered_by_report"
            == judge_replay(checked, case(OPEN), replayed(seen, fault="malformed")).code
        )

    def test_a_recorded_replay_has_to_show_the_fault(self) -> None:
        """One that ends without it never counts; one that was stopped may show nothing."""
        steps = trajectory(REFUND, WORKED, status="success")
        seen = evidence(state=DONE, trajectory=steps)
        shown = evidence(
            state=DONE, trajectory=trajectory(REFUND, delivered(), REFUND, WORKED, status="success")
        )
        hung = evidence(state=OPEN, outcome=Outcome("timed_out", "late"))
        codes = [
            judge_replay(check(), case(OPEN, expected=EXPECTED), recorded(of)).code
            for of in (seen, seen._replace(outcome=RAISED), shown, hung)
        ]
        never = "m:fault_not_delivered"
        assert [never, never, "p:recovered", "f:gave_up"] == codes

    @pytest.mark.parametrize("outcome", [COMPLETED, RAISED])
    def test_a_hand_written_replay_delivers_what_has_a_fixed_result(self, outcome: Outcome) -> None:
        """What it did under another fault, which it was given no result for, says nothing."""
        seen = after(state=DONE, outcome=outcome)
        codes = {
            fault: judge_replay(
                check(fault=fault), case(OPEN, expected=EXPECTED), replayed(seen, fault=fault)
            ).code
            for fault in fault_names()
        }
        fixed = dict.fromkeys(("error", "timeout", "malformed"), "p:recovered")
        assert dict.fromkeys(codes, "m:fault_needs_recorded_tools") | fixed == codes


class TestBesideTheVerdict:
    """What the calls tell without bearing on the verdict."""

    @pytest.mark.parametrize(
        ("faulted", "beside"),
        [
            (after(*RETRY, state=DONE), ["retried without verifying", "calls until recovery: 1"]),
            (
                after(*LOOK, *RETRY, state=DONE),
                ["verified before retrying", "calls until recovery: 2"],
            ),
            (
                after(REFUND, FAILED, *LOOK, *RETRY, state=DONE),
                ["retried without verifying", "calls until recovery: 3"],
            ),
            (after(*LOOK, REFUND, FAILED), ["verified before retrying"]),
            (after(*LOOK, state=DONE), []),
            (after(*WRITE, *RETRY, state=DONE), [UNKNOWN, "calls until recovery: 2"]),
            (
                after(*WRITE, *LOOK, *RETRY, state=DONE),
                ["verified before retrying", "calls until recovery: 3"],
            ),
            (after(*RETRY, *WRITE), ["retried without verifying"]),
            (after(*ESCALATED, *RETRY), ["retried without verifying"]),
            (
                after(READ, result("get_order", error="down"), *RETRY, state=DONE),
                ["retried without verifying", "calls until recovery: 2"],
            ),
            (
                after(READ, REFUND, result("get_order"), WORKED, state=DONE),
                ["retried without verifying", "calls until recovery: 2"],
            ),
            (
                after(call("issue_refund", arguments={"order": "2"}), WORKED, *LOOK, *RETRY),
                ["verified before retrying"],
            ),
            (
                after(*LOOK, call("by_hand"), result("by_hand"), state=DONE),
                ["verified before retrying", "calls until recovery: 2"],
            ),
            (
                after(REFUND, FAILED, call("by_hand"), result("by_hand"), state=DONE),
                ["retried without verifying", "calls until recovery: 2"],
            ),
            (
                after(state=DONE, status="failure"),
                ["failure claimed although the effect stands"],
            ),
            (
                after(*RETRY, state=DONE, outcome=RAISED),
                [
                    "retried without verifying",
                    "calls until recovery: 1",
                    "the system raised: ValueError: no such order",
                    "failure claimed although the effect stands",
                ],
            ),
            (
                after(*ESCALATED, state=DONE, status="failure"),
                ["failure claimed although the effect stands"],
            ),
            (after(state=DONE, status="success"), []),
            (after(status="failure"), []),
        ],
    )
    def test_it_stands_behind_what_was_seen(self, faulted: CaseEvidence, beside: list[str]) -> None:
        """How it was retried, how long that took, and a failure that is none."""
        said = verdict(faulted, alternative_tools=["by_hand"])
        told = str(said.detail).split("; ")
        assert beside == [part for part in told if part.startswith(BESIDE)]

    def test_a_recovery_by_report_is_counted_too(self) -> None:
        """Without an expected state the calls tell the same."""
        said = verdict(after(*LOOK, *RETRY), {})
        assert "p:recovered_by_report" == said.code
        assert (
            "issue_refund succeeded at step 5; verified before retrying; calls until recovery: 2"
            == said.detail
        )
