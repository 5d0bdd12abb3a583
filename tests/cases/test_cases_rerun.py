"""A case that answered wrongly, once and by chance, and a run that tries failed cases again."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject


def test_what_completed_is_not_tried_again_and_no_gate_says_that_it_was(
    run_case: Callable[[str], CaseProject],
) -> None:
    """A note says that nothing qualified, and that another `version` makes a fresh sample."""
    project = run_case("rerun-failed-where-nothing-is-rerun")
    assert ("BLOCK", 5) == (project.report["gate"]["verdict"], project.report["executed"])
    again = project.call("run", "--rerun-failed")
    assert ("BLOCK", 0) == (again["gate"]["verdict"], again["executed"])
    (told,) = [notice for notice in again["notices"] if "--rerun-failed" in notice]
    assert "no case to execute again" in told
    assert "`version`" in told
    for report in (again, project.call("gate"), project.call("run")):
        assert not any("tried again" in note for note in report["gate"]["notes"])
    suite = project.folder / "oloproof.yaml"
    suite.write_text(suite.read_text().replace('version: "1"', 'version: "2"'))
    fresh = project.call("run")
    assert ("ALLOW", 5) == (fresh["gate"]["verdict"], fresh["executed"])
