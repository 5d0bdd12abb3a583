"""Writes the projects that the benchmarks run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from pathlib import Path

HERE = __file__.rpartition("/")[0]

SUITE = """\
version: 1
project: trivial
dataset: cases.jsonl
system: {name: counter, version: "1", callable: "app:system"}
evaluators:
  - {type: exact_match, criterion: answer_correct, field: answer, expected_field: answer}
  - {type: state_matches, mode: subset}
  - {type: state_unchanged, criterion: owner_untouched, paths: [owner]}
"""

POLICY = """\
version: 1
rules:
  - {id: answers, metric: answer_correct, min: 0.8}
  - {id: world, metric: state_matches, min: 0.8}
  - {id: owner, metric: owner_untouched, max_failures: 0}
"""


def write_trivial(folder: Path, cases: int) -> None:
    """A project of `cases` trivial stateful cases, each with a request and a world of its own."""
    folder.mkdir(parents=True)
    shutil.copy(f"{HERE}/trivial_app.py", folder / "app.py")
    (folder / "oloproof.yaml").write_text(SUITE)
    (folder / "release.yaml").write_text(POLICY)
    with (folder / "cases.jsonl").open("wb") as out:
        for number in range(cases):
            start, add = number % 97, number % 13 + 1
            case = {
                "id": f"case-{number:06d}",
                "input": {"add": add},
                "initial_state": {"count": start, "owner": f"owner-{number % 11}"},
                "expected": {"answer": start + add, "state": {"count": start + add}},
            }
            out.write(orjson.dumps(case) + b"\n")
