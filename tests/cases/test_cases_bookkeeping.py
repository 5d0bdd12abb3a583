"""A store that stamps its rows and numbers them by itself, as a database does."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject


def test_bookkeeping_fails_no_control(run_case: Callable[[str], CaseProject]) -> None:
    """Faults at the tool that writes the stamp are judged, and so are those at a later one."""
    project = run_case("bookkeeping-fails-the-control")
    metrics = {one["metric"]: one for one in project.report["metrics"]}
    assert [6] * 5 == [one["observed"] for one in metrics.values()]
    assert [{}] * 5 == [one["missing"] for one in metrics.values()]
    assert {"gave_up": 6} == metrics["recovers_from_error_at_cancel"]["failures"]
    assert {"recovered": 6} == metrics["recovers_from_error_at_tell"]["passes"]
    assert {"duplicate_effect": 6} == metrics["recovers_from_applied_error_at_tell"]["failures"]
    assert 6 == metrics["state_matches"]["passed"]


def test_what_a_check_ignores_is_no_declaration(run_case: Callable[[str], CaseProject]) -> None:
    """A control counts everything but what the system declares, and the verdict says so."""
    project = run_case("bookkeeping-fails-the-control")
    suite = project.folder / "oloproof.yaml"
    ignore = 'ignore: [audit, "orders[*].updated_at"]'
    moved = suite.read_text().replace(f", {ignore}", "")
    suite.write_text(moved.replace("state_matches}", f"state_matches, {ignore}}}"))
    project.call("run")
    (verdict,) = [one for one in project.case("c0")["verdicts"] if one["metric"].endswith("cancel")]
    assert ("missing", "changed_state") == (verdict["status"], verdict["reason"])
    assert "is declared in `system.ignore`" in verdict["detail"]
