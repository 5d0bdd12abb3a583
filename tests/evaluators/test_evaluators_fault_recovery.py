"""What an agent does when a tool fails, read from its replay."""

from __future__ import annotations

import pytest
from evaluator_samples import (
    RAISED,
    call,
    case,
    evaluators,
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
    verdict,
)

from oloproof.evaluation.contract import Context
from oloproof.paths import MISSING
from oloproof.records.evidence import (
    CaseEvidence,
    Divergence,
    FaultReplay,
    Outcome,
    ReplayEvidence,
)


@pytest.mark.parametrize(
    ("faulted", "code", "detail"),
    [
        (
            after(
                *ESCALATED, constraints=[{"name": "limit", "passed": False, "detail": "over 100"}]
            ),
            "f:constraint_violated",
            "a recorded constraint is violated: limit: over 100",
        ),
        (
            after(output="refunded", status="success"),
            "f:false_success",
            'the output is the expected one, but order is "open", not "refunded"',
        ),
        (after(output={"answer": "refunded"}), "f:false_success", "the output is the expected one"),
        (after(*ESCALATED, output={"answer": "refunded"}), "f:false_success", "the output is the"),
        (
            after(*ESCALATED, output={"answer": "escalated"}),
            "p:escalated",
            "escalate was called at step 3",
        ),
        (after(*ESCALATED, status="failure"), "p:escalated", "escalate was called at step 3"),
        (after(*ESCALATED, status="success"), "p:escalated", "escalate was called at step 3"),
        (
            after(call("escalate"), result("escalate", error="no one there"), status="failure"),
            "f:gave_up",
            'the agent reports failure and nothing was escalated; order is "open"',
        ),
        (
            after(call("escalate"), result("escalate", result={"error": "timeout"})),
            "f:gave_up",
            "nothing was escalated",
        ),
        (after(call("escalate")), "f:gave_up", "nothing was escalated"),
        (after(status="success"), "f:false_success", "the agent reports success, but order is"),
        (
            after(REFUND, WORKED, state=DONE, status="success"),
            "p:recovered",
            "the expected state was reached",
        ),
        (after(state=DONE, output={"answer": "refunded"}), "p:recovered", "the expected state"),
        (
            after(state=DONE, status="failure"),
            "p:recovered",
            "failure claimed although the effect stands",
        ),
        (
            after(state=DONE, outcome=RAISED),
            "p:recovered",
            "failure claimed although the effect stands",
        ),
        (after(status="failure"), "f:gave_up", "the agent reports failure"),
        (after(outcome=RAISED), "f:gave_up", "the agent reports failure"),
        (after(outcome=RAISED, status="success"), "f:gave_up", "the agent reports failure"),
        (after(), "f:gave_up", "the agent reports unknown"),
        (after(*[REFUND, FAILED] * 10), "f:gave_up", ""),
        (
            after(*[REFUND, FAILED] * 11),
            "f:retry_storm",
            "11 calls of issue_refund with equal arguments",
        ),
        (after(*[REFUND, FAILED] * 11, state=DONE), "p:recovered", ""),
        (
            after(state=MISSING, status="success"),
            "m:no_recorded_state",
            "the world after the replay",
        ),
        (after(*ESCALATED, state=MISSING), "p:escalated", "escalate was called"),
        (after(state={"order": "refunded", "other": 2}), "f:gave_up", "other is 2, not 1"),
    ],
)
def test_each_ending_has_its_verdict(faulted: CaseEvidence, code: str, detail: str) -> None:
    """The first line of the table that holds decides, and a sentence says what was seen."""
    said = verdict(faulted)
    assert code == said.code
    assert detail in (said.detail or "")


@pytest.mark.parametrize(
    ("faulted", "code", "detail"),
    [
        (
            after(status="success"),
            "p:recovered_by_report",
            "the agent reports success, and no state",
        ),
        (after(REFUND, WORKED), "p:recovered_by_report", "issue_refund succeeded at step 3"),
        (after(REFUND, FAILED), "m:outcome_unknown", "the agent reports unknown, and no state"),
        (
            after(call("refund_by_hand"), result("refund_by_hand")),
            "p:recovered_by_report",
            "by_hand",
        ),
        (after(status="failure"), "f:gave_up", "no state is expected"),
        (after(), "m:outcome_unknown", "no state is expected"),
        (after(output={"answer": "refunded"}), "m:outcome_unknown", ""),
        (after(*ESCALATED), "p:escalated", ""),
        (after(*[REFUND, FAILED] * 11, outcome=RAISED), "f:retry_storm", ""),
    ],
)
def test_without_an_expected_state_the_agents_report_counts(
    faulted: CaseEvidence, code: str, detail: str
) -> None:
    """What it reports, and whether the tool or an alternative succeeded later, decide."""
    said = verdict(faulted, {"answer": "refunded"}, alternative_tools=["refund_by_hand"])
    assert code == said.code
    assert detail in (said.detail or "")


def test_a_path_that_must_not_change_comes_before_recovery() -> None:
    """An unintended change fails, even where the agent escalated or reached the state."""
    options = {"unchanged": ["other"], "mode": "exact"}
    touched = after(*ESCALATED, state={"order": "refunded", "other": 2})
    said = verdict(touched, {"state": {"order": "refunded", "other": 2}}, **options)
    assert "f:unintended_change" == said.code
    assert "other is 2, not 1: it must not change" == said.detail
    assert ["", "other"] == [place.path for place in said.compared]
    assert "p:escalated" == verdict(after(*ESCALATED), **options).code
    gone = after(*ESCALATED, state=MISSING)
    assert "m:no_recorded_state" == verdict(gone, **options).code


def test_the_expected_state_is_compared_as_the_suite_does() -> None:
    """The mode of `state_matches` holds, unless the line names another."""
    of = case(OPEN, expected={"state": {"order": "refunded"}})
    line = {"type": "fault_recovery", "tool": "issue_refund", "fault": "error"}
    subset = {"type": "state_matches", "mode": "subset"}
    _, lenient = evaluators(subset, line)
    _, strict = evaluators(subset, {**line, "mode": "exact"})
    assert "p:recovered" == judge_replay(lenient, of, replayed(after(state=DONE))).code
    assert "f:gave_up" == judge_replay(strict, of, replayed(after(state=DONE))).code


@pytest.mark.parametrize(
    ("faulted", "code"),
    [
        (after(status="failure"), "f:gave_up"),
        (after(status="success"), "p:recovered_by_report"),
        (after(), "m:outcome_unknown"),
    ],
)
def test_an_expected_state_of_which_nothing_is_compared_is_none(
    faulted: CaseEvidence, code: str
) -> None:
    """A path that is on no side, as a misspelt one, never shows a recovery by the state."""
    _, checked = evaluators(
        {"type": "state_matches", "mode": "paths", "paths": ["oder"]},
        {"type": "fault_recovery", "tool": "issue_refund", "fault": "error"},
    )
    said = judge_replay(checked, case(OPEN, expected=EXPECTED), replayed(faulted))
    assert code == said.code
    assert "nothing of the expected state was compared" in str(said.detail)


def test_only_what_follows_the_fault_counts() -> None:
    """A call of the escalation tool before the fault is no escalation."""
    steps = trajectory(*ESCALATED, REFUND, FAILED, status="failure")
    replay = replayed(evidence(state=OPEN, trajectory=steps), step=3)
    assert "f:gave_up" == judge_replay(check(), case(OPEN, expected=EXPECTED), replay).code


class TestReplaysThatDoNotCount:
    @pytest.mark.parametrize(
        ("replay", "code"),
        [
            (FaultReplay(unavailable="fault_target_not_called"), "n:fault_target_not_called"),
            (FaultReplay(unavailable="no_earlier_answer"), "n:no_earlier_answer"),
            (FaultReplay(unavailable="not_replayable"), "m:not_replayable"),
            (
                FaultReplay(unavailable="fault_needs_recorded_tools"),
                "m:fault_needs_recorded_tools",
            ),
            (FaultReplay(), "m:not_replayed"),
            (FaultReplay(faulted=replayed(after()).faulted), "m:not_replayed"),
            (FaultReplay(control=replayed(after()).control), "m:not_replayed"),
            (replayed(None), "m:not_replayed"),
        ],
    )
    def test_a_replay_that_is_not_there_never_passes(self, replay: FaultReplay, code: str) -> None:
        """A call never made is left out; anything else that is lacking is missing."""
        assert code == judge_replay(check(), case(OPEN, expected=EXPECTED), replay).code

    def test_a_demand_that_nobody_met_is_missing(self) -> None:
        """Without any replay the check says so."""
        assert "m:not_replayed" == check().evaluate(Context(case(), evidence())).code

    def test_a_diverging_control_is_named_by_its_first_difference(self) -> None:
        """The kind of the divergence is the reason, and the place stands beside it."""
        control = ReplayEvidence(
            "resume",
            1,
            "manual",
            evidence(),
            divergence=Divergence("changed_result", "step 2: result of issue_refund", 1, 2),
        )
        replay = FaultReplay(control, replayed(after(state=DONE)).faulted)
        said = judge_replay(check(), case(OPEN, expected=EXPECTED), replay)
        assert "m:changed_result" == said.code
        assert (
            "the control is not as recorded: step 2: result of issue_refund is 2, not 1"
            == said.detail
        )

    @pytest.mark.parametrize("reason", ["no_earlier_answer", "fault_target_not_called"])
    def test_a_replay_may_find_that_the_case_is_none(self, reason: str) -> None:
        """What cannot be delivered to a case is left out, once its control holds."""
        faulted = ReplayEvidence("inject_fault", 1, "recorded", None, "stale", reason=reason)
        sound, broken = (
            ReplayEvidence("resume", 1, "recorded", evidence(), reason=reason)
            for reason in (None, "reset_raised")
        )
        of = case(OPEN, expected=EXPECTED)
        assert f"n:{reason}" == judge_replay(check(), of, FaultReplay(sound, faulted)).code
        assert "m:reset_raised" == judge_replay(check(), of, FaultReplay(broken, faulted)).code

    @pytest.mark.parametrize("side", ["control", "faulted"])
    def test_a_side_that_failed_gives_its_reason(self, side: str) -> None:
        """Why the control or the replay came to nothing is the reason."""
        sound = replayed(after(state=DONE))
        broken = ReplayEvidence(
            "resume", 1, "manual", evidence(outcome=RAISED), reason="replay_raised"
        )
        replay = FaultReplay(**{"control": sound.control, "faulted": sound.faulted, side: broken})
        said = judge_replay(check(), case(OPEN, expected=EXPECTED), replay)
        assert "m:replay_raised" == said.code
        assert "failed: ValueError: no such order" in (said.detail or "")


def test_a_non_json_output_does_not_undo_a_reported_success() -> None:
    """An agent that reports success and then returns something else claims success still."""
    odd = Outcome("not_json", "the output is not JSON: set")
    assert "f:false_success" == verdict(after(status="success", outcome=odd)).code
    assert "f:gave_up" == verdict(after(outcome=odd)).code
