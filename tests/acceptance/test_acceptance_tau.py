"""Published runs over large sandboxes: the state they left is judged as was published."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from acceptance_data import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from acceptance_data import JudgedProject


def case_of(number: int, run: dict[str, Any]) -> dict[str, Any]:
    """The case of a run: the sandbox it began in, and the state that its task leads to."""
    initial = run["initial_state"]
    state = {"$file": initial["ref"]}
    if initial.get("patch"):
        state["$patch"] = initial["patch"]
    return {
        "id": f"run-{number}",  # their own are longer than an id may be
        "input": run["id"],
        "initial_state": state,
        "expected": {"state_patch": run["expected"]["state_patch"]},
    }


def recording_of(number: int, run: dict[str, Any]) -> dict[str, Any]:
    """The state that a run left behind."""
    return {
        "case": f"run-{number}",
        "states": [{"patch": run["reference_run"]["state_patch"]}],
    }


@pytest.mark.parametrize(
    ("name", "runs", "right", "published_right", "published_wrong"),
    [
        ("tau1_airline_gpt4o", 200, 182, 0, 0),
        ("tau2_gpt41", 100, 100, 0, 0),
        ("neg_toolorchestra_retail", 114, 17, 95, 2),
    ],
)
def test_the_final_state_is_held_against_the_published_verdict(
    data: Path,
    judged: JudgedProject,
    name: str,
    runs: int,
    right: int,
    published_right: int,
    published_wrong: int,
) -> None:
    """It agrees wherever one was published, but for labels that do not fit their tasks."""
    lines = list(read_lines(data / "tau" / f"{name}.jsonl"))
    shutil.copytree(data / "tau" / "state", judged.folder / "state")
    judged.write(
        map(case_of, range(runs), lines),
        map(recording_of, range(runs), lines),
        [{"type": "state_matches"}],
    )
    assert {"completed": runs} == judged.run().outcomes
    statuses = judged.statuses()
    told = Counter(
        (statuses[f"run-{number}"]["state_matches"], run["published"]["db_match"])
        for number, run in enumerate(lines)
        if run["published"]["db_match"] is not None
    )
    assert right == told["pass", True] + told["fail", False]
    assert (published_right, published_wrong) == (told["fail", True], told["pass", False])
    assert told.total() == right + published_right + published_wrong
