"""The three conditions of a public suite, said in a suite file alone, agree with its verdicts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import bfcl
import pytest
from acceptance_data import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from acceptance_data import JudgedProject

pytestmark = pytest.mark.skipif(not bfcl.is_installed(), reason="bfcl_eval is not installed")

CONDITIONS = ("state_after_each_turn", "results_contain", "calls")


def test_the_conditions_agree_with_the_suite(data: Path, judged: JudgedProject) -> None:
    """All three hold on just the runs that the suite finds valid; fewer let wrong ones pass."""
    cases = {case["id"]: case for case in read_lines(data / "bfcl" / "cases.jsonl")}
    runs = list(read_lines(data / "bfcl" / "recorded_runs.jsonl"))
    judged.write(
        (bfcl.case_of(run, cases[run["case"]]) for run in runs),
        (bfcl.recording_of(run, cases[run["case"]]) for run in runs),
        bfcl.EVALUATORS,
    )
    report = judged.run()
    assert {"completed": 869} == report.outcomes
    statuses = judged.statuses()
    agree, wrongly = 0, Counter[str]()
    for run in runs:
        said = statuses[run["id"]]
        holds = [said[condition] != "fail" for condition in CONDITIONS]
        agree += all(holds) == run["suite_valid"]
        if not run["suite_valid"]:
            wrongly["final state"] += said["final_state"] == "pass"
            for number in range(1, 4):
                wrongly[" and ".join(CONDITIONS[:number])] += all(holds[:number])
    assert 869 == agree
    assert {
        "final state": 239,
        "state_after_each_turn": 149,
        "state_after_each_turn and results_contain": 13,
        "state_after_each_turn and results_contain and calls": 0,
    } == wrongly
    assert "missing" not in {status for said in statuses.values() for status in said.values()}
