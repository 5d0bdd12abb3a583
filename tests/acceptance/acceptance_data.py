"""Real data that lies outside of the repository, and what a run over it said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from oloproof.engine.contexts import context_of
from oloproof.records.report import RunReport
from oloproof.views.rows import StoredRun
from oloproof.views.stored import find_run, in_silence, open_store, read_run
from oloproof.workflows.events import RunFinished
from oloproof.workflows.run import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.evaluation.contract import Verdict

VARIABLE = "OLOPROOF_DATA"
STATUSES = {"p": "pass", "f": "fail", "n": "not_applicable", "m": "missing"}


def read_lines(path: Path) -> Iterator[Any]:
    """The objects of a .jsonl file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@dataclass(frozen=True)
class JudgedProject:
    """A project whose system was recorded, in a folder of its own."""

    folder: Path

    def write(
        self,
        cases: Iterable[dict[str, Any]],
        recordings: Iterable[dict[str, Any]],
        evaluators: list[dict[str, Any]],
    ) -> None:
        """Write the dataset, what was recorded, and the suite."""
        for name, lines in (("cases.jsonl", cases), ("recorded.jsonl", recordings)):
            with (self.folder / name).open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        document = {
            "version": 1,
            "project": "acceptance",
            "dataset": "cases.jsonl",
            "system": {"name": "published", "recorded": "recorded.jsonl"},
            "evaluators": evaluators,
        }
        (self.folder / "oloproof.yaml").write_text(yaml.safe_dump(document, sort_keys=False))

    def run(self) -> RunReport:
        """Judge it; the report."""
        *_, finished = run(self.folder)
        assert isinstance(finished, RunFinished)
        return finished.report

    def statuses(self) -> dict[str, dict[str, str]]:
        """What each check said of each case in the last run, by case and metric."""
        with open_store(self.folder, in_silence) as (_, store):
            stored = StoredRun.open(store, read_run(store, find_run(store, "latest")))
            metrics = [evaluator.metric for evaluator in stored.bound.evaluators]
            return {
                row["id"]: {
                    metric: STATUSES[code[0]]
                    for metric, code in zip(metrics, row["units"][0][4], strict=True)
                }
                for row in stored.rows()
            }

    def verdicts(self, metric: str) -> Iterator[tuple[str, Verdict]]:
        """One check's whole verdict on each case, made again from the stored evidence."""
        with open_store(self.folder, in_silence) as (_, store):
            stored = StoredRun.open(store, read_run(store, find_run(store, "latest")))
            (judge,) = (e for e in stored.bound.evaluators if e.metric == metric)
            for row in stored.rows():
                unit = stored.restore(row).units[0]
                yield row["id"], judge.evaluate(context_of(unit, None))
