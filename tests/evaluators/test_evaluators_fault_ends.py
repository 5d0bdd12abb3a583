"""Faulted replays that end without steps, and expected states that stand by turn."""

from __future__ import annotations

from typing import Any

import pytest
from evaluator_samples import case, evidence, judge_replay, replayed
from fault_samples import DONE, OPEN, after, check, recorded

from oloproof.records.evidence import Outcome, Struck


@pytest.mark.parametrize("status", ["exited", "timed_out", "killed"])
def test_an_end_under_a_fault_that_leaves_no_steps_is_judged(status: Any) -> None:
    """It gave up: nobody saw the state that was expected."""
    of = case(OPEN, expected={"state": DONE})
    gone = evidence(outcome=Outcome(status, "gone"), world_problem="the process is gone")
    verdict = judge_replay(check(), of, recorded(gone))
    assert "f:gave_up" == verdict.code
    assert "it left no state that could be the expected one" in str(verdict.detail)
    assert "f:gave_up" == judge_replay(check(), case(OPEN), recorded(gone)).code
    reached = gone._replace(worlds=evidence(state=DONE).worlds)
    for struck, code in (
        (Struck(OPEN, OPEN), "p:recovered"),
        (Struck(DONE, DONE), "f:gave_up"),
        (Struck(), "m:state_before_unknown"),
    ):
        assert code == judge_replay(check(), of, recorded(reached, struck=struck)).code


def test_a_double_delivery_that_leaves_nothing_is_told_in_words() -> None:
    """There is no place to name."""
    of = case(OPEN, expected={"state": DONE})
    gone = evidence(outcome=Outcome("killed", "gone"), world_problem="the process is gone")
    replay = recorded(gone, fault="duplicate_delivery")
    verdict = judge_replay(check(fault="duplicate_delivery"), of, replay)
    assert "f:duplicate_effect" == verdict.code
    assert "it left no state that could be the expected one" in str(verdict.detail)


def test_a_replay_that_shows_no_fault_is_missing_as_before() -> None:
    """Steps without the fault, or an end that leaves steps, prove no delivery."""
    of = case(OPEN, expected={"state": DONE})
    told = after(outcome=Outcome("exited", "gone"))
    assert "m:fault_not_delivered" == judge_replay(check(), of, recorded(told)).code
    bare = evidence(state=OPEN, outcome=Outcome("raised", "no"))
    assert "m:fault_not_delivered" == judge_replay(check(), of, recorded(bare)).code


def test_the_state_expected_of_the_last_turn_is_that_of_the_end() -> None:
    """Where `expected.state` says nothing; an earlier turn's says nothing of the end."""
    turns: Any = ({"user": "refund"}, {"user": "now"})
    for expected, code in (
        ({"turns": {"2": {"state": DONE}}}, "f:false_success"),
        ({"turns": {"2": {"state": DONE, "alternatives": [OPEN]}}}, "m:nothing_to_recover"),
        ({"state": OPEN, "turns": {"2": {"state": DONE}}}, "m:nothing_to_recover"),
        ({"turns": {"1": {"state": DONE}}}, "p:recovered_by_report"),
    ):
        of = case(OPEN, input=None, turns=turns, expected=expected)
        faulted = replayed(after(state=OPEN, status="success"))
        assert code == judge_replay(check(), of, faulted).code
