"""A model that fails, and an agent that begins again with the tools that had succeeded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cases_projects import CaseProject

FAULTS = ("error", "rate_limit")


@pytest.mark.parametrize("named_as", ["tool", "model"])
def test_a_fault_strikes_a_call_of_a_model(
    named_as: str, run_case: Callable[[str], CaseProject]
) -> None:
    """The charge is made twice, whether the line names the model as one or as a tool."""
    project = run_case("fault-at-the-model")
    if named_as == "model":
        suite = project.folder / "oloproof.yaml"
        suite.write_text(suite.read_text().replace("tool: ask", "model: ask"))
        project.report = project.call("run")
    assert "BLOCK" == project.report["gate"]["verdict"]
    case = project.case("c")
    verdicts = {verdict["metric"]: verdict for verdict in case["verdicts"]}
    assert {f"recovers_from_{fault}_at_ask": ("fail", "false_success") for fault in FAULTS} == {
        metric: (verdict["status"], verdict["label"])
        for metric, verdict in verdicts.items()
        if metric != "state_matches"
    }
    for replay in case["replays"]:
        assert replay["control"]["trusted"]
        assert {"charges": ["7", "7"]} == replay["replay"]["final"]["state"]
