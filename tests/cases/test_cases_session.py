"""A session to a tool server that is opened with the sandbox and used in every turn."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject


def test_a_task_that_reset_leaves_running_serves_every_turn_of_its_case(
    run_case: Callable[[str], CaseProject],
) -> None:
    """The agent is right, and the gate lets it through."""
    project = run_case("session-across-turns")
    assert ("ALLOW", 0) == (
        project.report["gate"]["verdict"],
        project.report["gate"]["exit_code"],
    )
    (check,) = project.case("two-turns")["verdicts"]
    assert "pass" == check["status"]
    assert {"booked": ["tea", "milk"]} == project.case("two-turns")["final"]["state"]
