"""What every kind of fault is, in the one table that all who ask share."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import pytest

from oloproof.records.faults import fault_names, faults_at, fixed_result, plan_of
from oloproof.records.trajectory import FaultKind

if TYPE_CHECKING:
    from pathlib import Path


def named(condition: Any) -> set[str]:
    return {fault for fault in fault_names() if condition(plan_of(fault))}


def test_every_module_is_the_fault_of_its_name() -> None:
    """The names, the modules and what a step may tell of are the same."""
    assert {plan_of(fault).fault for fault in fault_names()} == set(fault_names())
    assert set(get_args(FaultKind)) == set(fault_names()) == set(faults_at("tool"))


def test_faults_are_of_three_sorts() -> None:
    """Nine come before the tool, and three leave an effect of which nobody was told."""
    unexecuted = {"error", "timeout", "malformed", "rate_limit", "unavailable", "auth_expired"}
    unexecuted |= {"empty", "stale", "slow_then_error"}
    applied = {"applied_error", "applied_timeout", "duplicate_delivery"}
    altered = {"truncated", "missing_field", "wrong_type", "slow", "injected_text"}
    altered |= {"schema_drift", "partial"}
    assert unexecuted == named(lambda plan: plan.runs == 0)
    assert applied == named(lambda plan: plan.applied)
    assert altered == named(lambda plan: plan.runs > 0 and not plan.applied)
    assert {"duplicate_delivery"} == named(lambda plan: plan.runs == 2)
    assert set(fault_names()) - applied == set(faults_at("model"))
    assert {"injected_text"} == named(lambda plan: plan.instructs)


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ({"error": "internal error"}, "error"),
        ({"error": "timeout"}, "timeout"),
        ({"raw": '{"status": '}, "malformed"),
        (None, "applied_error"),
        (None, "rate_limit"),
        (None, "error always"),
        (None, None),
    ],
)
def test_three_faults_are_the_same_for_every_tool(result: Any, fault: str | None) -> None:
    """A replay by hand is given their result."""
    assert result == fixed_result(fault)


NEW = """
from oloproof.records.faults import FaultPlan

PLAN = FaultPlan(fault="garbled", runs=1, basis="result", answer=lambda recorded: "???")
"""

ASK = """
import sys
import oloproof.replaying.faults
oloproof.replaying.faults.__path__.append(sys.argv[1])
from oloproof.evaluation.faults.options import FaultOptions
from oloproof.recording.delivery import check_on_fault
from oloproof.records.trajectory import FaultDelivery
from oloproof.replaying.plans import fault_plan

every = FaultOptions(type="fault_recovery", tool="t", fault="all").demands()
assert "garbled" == every[-1].fault
assert 1 == len(FaultOptions(type="fault_recovery", model="m", fault="garbled").demands())
assert "garbled" == FaultDelivery.model_validate(
    {"fault": "garbled", "as": "returned", "applied": True}
).fault
assert "???" == fault_plan("garbled", 2).answer({})
check_on_fault({"garbled": "raise"})
"""


def test_a_new_fault_is_one_file(tmp_path: Path) -> None:
    """Suites, evidence, replays and `on_fault` know it from its module alone."""
    (tmp_path / "garbled.py").write_text(NEW)
    asked = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (0, "") == (asked.returncode, asked.stderr)
