"""A provider that is down for one of five requests."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject


def test_an_outage_counts_as_nothing(run_case: Callable[[str], CaseProject]) -> None:
    """Every check of the case is missing, so nothing is decided, and nobody is accused."""
    project = run_case("outage-counts-as-failure")
    verdicts = project.case("down")["verdicts"]
    assert [("missing", "outage")] * 3 == [(one["status"], one["reason"]) for one in verdicts]
    for verdict in verdicts:
        assert "TransientError: 503 from the provider of the model" in verdict["detail"]
        assert "(2 attempts)" in verdict["detail"]
    gate = project.report["gate"]
    assert ("BLOCK", 3) == (gate["verdict"], gate["exit_code"])
    decisions = {(one["status"], one["reason"]) for one in gate["decisions"]}
    assert {("INSUFFICIENT_EVIDENCE", "missing_could_fail")} == decisions
    assert {"completed": 4, "outage": 1} == project.report["outcomes"]
