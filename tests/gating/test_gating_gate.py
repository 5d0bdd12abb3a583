from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from oloproof.gating.gate import gate
from oloproof.records.report import DecisionReport, DecisionStatus, GateReport
from oloproof.suites.policy import Policy, Rule

STATUSES: tuple[DecisionStatus, ...] = get_args(DecisionStatus)
BLOCKING: list[DecisionStatus] = ["FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]


def gated(
    *statuses: DecisionStatus,
    block_on: list[DecisionStatus] = BLOCKING,
    warn_on: list[DecisionStatus] | None = None,
    run_complete: bool = True,
) -> GateReport:
    policy = Policy(
        block_on=block_on, warn_on=warn_on or [], rules=[Rule(id="r", metric="m", min=0.8)]
    )
    decisions = [
        DecisionReport(
            rule=f"rule{number}",
            metric="m",
            requirement="a pass rate of at least 0.8",
            status=status,
            reason="requirement_met",
            detail="24 of 24 passed.",
        )
        for number, status in enumerate(statuses)
    ]
    return gate(decisions, policy, "release.yaml", run_complete=run_complete)


@pytest.mark.parametrize(
    ("statuses", "run_complete", "expected"),
    [
        (("PASS",), True, ("ALLOW", 0)),
        (("PASS", "FAIL"), True, ("BLOCK", 1)),
        (("INSUFFICIENT_EVIDENCE",), True, ("BLOCK", 3)),
        (("MANUAL_REVIEW",), True, ("BLOCK", 4)),
        (("INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"), True, ("BLOCK", 4)),
        (("INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW", "FAIL"), True, ("BLOCK", 1)),
        (("PASS",), False, ("BLOCK", 5)),
        (("MANUAL_REVIEW", "INSUFFICIENT_EVIDENCE"), False, ("BLOCK", 5)),
        (("FAIL",), False, ("BLOCK", 1)),
    ],
)
def test_exit_codes(
    statuses: tuple[DecisionStatus, ...], run_complete: bool, expected: tuple[str, int]
) -> None:
    """Among what blocks, 1 stands before 5, 5 before 4, and 4 before 3."""
    report = gated(*statuses, run_complete=run_complete)
    assert expected == (report.verdict, report.exit_code)


def test_warning_allows() -> None:
    """What only warns is shown as WARN and exits 0."""
    report = gated("FAIL", block_on=[], warn_on=["FAIL"])
    assert ("WARN", 0, []) == (report.verdict, report.exit_code, report.notes)


def test_blocking_outranks_warning() -> None:
    """A warning beside a block is a block, with the code of what blocks."""
    report = gated("FAIL", "MANUAL_REVIEW", block_on=["MANUAL_REVIEW"], warn_on=["FAIL"])
    assert ("BLOCK", 4) == (report.verdict, report.exit_code)


def test_allowed_is_said() -> None:
    """A status that neither blocks nor warns is let through with a warning that names it."""
    report = gated("PASS", "FAIL", block_on=["MANUAL_REVIEW"])
    assert ("WARN", 0) == (report.verdict, report.exit_code)
    assert ["`rule1` is FAIL, which the policy neither blocks nor warns on."] == report.notes


@pytest.mark.parametrize(
    ("status", "block_on"), list(product(STATUSES, ([], BLOCKING, ["FAIL"]))), ids=str
)
def test_an_incomplete_run_is_never_allowed(
    status: DecisionStatus, block_on: list[DecisionStatus]
) -> None:
    """A run with cases unexecuted is blocked with a code of its own and says so."""
    report = gated(status, block_on=block_on, run_complete=False)
    assert report.verdict == "BLOCK"
    assert report.exit_code == (1 if status == "FAIL" and "FAIL" in block_on else 5)
    assert "The run ended with cases unexecuted, so it cannot be allowed." in report.notes


def test_notes_of_the_run_come_first() -> None:
    """What the caller has to say of the run stands before the gate's own notes."""
    policy = Policy(rules=[Rule(id="r", metric="m", min=0.8)])
    report = gate([], policy, "release.yaml", run_complete=False, notes=["Rerun of failures."])
    assert report.notes[0] == "Rerun of failures."
    assert report.policy == "release.yaml"


def test_a_warning_of_the_run_is_no_plain_allow() -> None:
    """Where all rules pass, what the run has to warn of makes the verdict WARN."""
    policy = Policy(rules=[Rule(id="r", metric="m", min=0.8)])
    report = gate([], policy, "release.yaml", run_complete=True, warnings=["3 cases raised."])
    assert ("WARN", 0, ["3 cases raised."]) == (report.verdict, report.exit_code, report.notes)
