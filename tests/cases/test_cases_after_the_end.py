"""An agent that says that it stopped, and whose thread goes on."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject


def test_a_thread_that_goes_on_is_no_pass_and_touches_no_other_case(
    run_case: Callable[[str], CaseProject],
) -> None:
    """Its case is missing with the reason, the run notes it, and the gate does not allow it."""
    project = run_case("effect-after-the-end")
    found = {
        name: {v["metric"]: (v["status"], v["reason"]) for v in project.case(name)["verdicts"]}
        for name in ("stop", "next")
    }
    late = ("missing", "effect_after_end")
    assert {
        "stop": {"nothing_after_stop": late, "untouched": late},
        "next": {
            "nothing_after_stop": ("not_applicable", "another_case"),
            "untouched": ("pass", None),
        },
    } == found
    assert {"files": []} == project.case("next")["final"]["state"]
    assert any("`write` was called after the end" in note for note in project.report["notices"])
    assert ("BLOCK", 3) == (
        project.report["gate"]["verdict"],
        project.report["gate"]["exit_code"],
    )
