"""What is said of a case whose call did not complete."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.evaluation.completion import OF_THE_CASE, settled
from oloproof.evaluation.contract import Context, Verdict, failed, missing, not_applicable, passed
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence, Outcome

RAISED = Outcome("raised", "ValueError: no")
DOWN = Outcome("outage", "TransientError: 503")
NOT_RECORDED = Outcome("not_recorded", "there is no recording of it")
IDLE = not_applicable("argument_not_given")
NOT_CALLED = not_applicable("fault_target_not_called")


def said(verdict: Verdict, outcome: Outcome, **fields: Any) -> Verdict:
    """A verdict once it is settled for a case that ended like that."""
    evidence = CaseEvidence(outcome, attempts=fields.pop("attempts", ()))
    return settled(verdict, Context(Case("c", None), evidence, **fields))


@pytest.mark.parametrize("verdict", [passed(), failed(label="planning"), missing("no_text"), IDLE])
def test_of_a_call_that_completed_it_stands(verdict: Verdict) -> None:
    """Whatever it is."""
    assert verdict == said(verdict, COMPLETED)


@pytest.mark.parametrize("verdict", [passed(), failed(label="planning"), missing("no_text"), IDLE])
@pytest.mark.parametrize(("outcome", "reason"), [(DOWN, "outage"), (NOT_RECORDED, "not_recorded")])
def test_where_nothing_is_known_it_is_missing(
    verdict: Verdict, outcome: Outcome, reason: str
) -> None:
    """Of the case itself, and of the source that a copy is held against."""
    assert reason == said(verdict, outcome).reason
    source = Context(Case("s", None), CaseEvidence(outcome))
    assert reason == said(verdict, COMPLETED, source=source).reason


def test_an_outage_names_its_exception_and_the_attempts() -> None:
    """As far as there was more than one."""
    assert "the call met an outage: TransientError: 503" == said(IDLE, DOWN).detail
    tried = said(IDLE, DOWN, attempts=(RAISED, DOWN)).detail
    assert "the call met an outage: TransientError: 503 (2 attempts)" == tried


@pytest.mark.parametrize("verdict", [IDLE, NOT_CALLED])
@pytest.mark.parametrize("status", ["raised", "exited", "timed_out", "killed", "not_json"])
def test_a_call_that_ended_early_excludes_nothing(verdict: Verdict, status: Any) -> None:
    """With more of it there might have been something to judge."""
    found = said(verdict, Outcome(status, "no"))
    assert ("missing", "call_did_not_complete") == (found.status, found.reason)
    assert str(verdict.reason) in str(found.detail)


@pytest.mark.parametrize("outcome", [RAISED, DOWN, NOT_RECORDED])
@pytest.mark.parametrize("reason", sorted(OF_THE_CASE))
def test_what_the_case_leaves_out_stays_excluded(outcome: Outcome, reason: str) -> None:
    """However its call had ended, the check would not speak of it."""
    assert ("not_applicable", reason) == said(not_applicable(reason), outcome)[:2]


def test_a_struck_call_that_was_made_is_not_undone_by_what_came_later() -> None:
    """That there was no earlier answer to give again was known by then."""
    assert "no_earlier_answer" == said(not_applicable("no_earlier_answer"), RAISED).reason
