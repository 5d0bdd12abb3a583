"""Small projects that the workflow tests write, run and look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from oloproof.records.case_report import CaseReport, VerdictReport
from oloproof.records.report import RunReport
from oloproof.workflows.events import Event, RunFinished
from oloproof.workflows.inspect import inspect_case
from oloproof.workflows.run import run


@dataclass
class TinyProject:
    """A project in a folder of its own, written piece by piece."""

    folder: Path

    def write(
        self,
        *,
        app: str,
        cases: list[dict[str, Any]],
        evaluators: list[dict[str, Any]] | None = None,
        rules: list[dict[str, Any]] | None = None,
        system: dict[str, Any] | None = None,
        **suite: Any,
    ) -> TinyProject:
        """Write the system, its cases, the suite and (with rules) the policy."""
        (self.folder / "app.py").write_text(app)
        self.write_cases(cases)
        document = {
            "version": 1,
            "project": "tiny",
            "dataset": "cases.jsonl",
            "system": {"name": "tiny", "version": "1", "callable": "app:system"} | (system or {}),
            "evaluators": evaluators or [{"type": "state_matches"}],
            **suite,
        }
        (self.folder / "oloproof.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
        if rules is not None:
            policy = {"version": 1, "allow_approximate_methods": True, "rules": rules}
            (self.folder / "release.yaml").write_text(yaml.safe_dump(policy, sort_keys=False))
        return self

    def write_cases(self, cases: list[dict[str, Any]]) -> None:
        """Write the dataset again."""
        lines = "".join(json.dumps(case) + "\n" for case in cases)
        (self.folder / "cases.jsonl").write_text(lines)

    def events(self, **options: Any) -> list[Event]:
        """Run it; everything that was told."""
        return list(run(self.folder, **options))

    def run(self, **options: Any) -> RunReport:
        """Run it; the report."""
        finished = self.events(**options)[-1]
        assert isinstance(finished, RunFinished)
        return finished.report

    def panel(self, case: str, run: str = "latest", replicate: int = 1) -> CaseReport:
        """Everything that is known of one case."""
        return inspect_case(self.folder, run, case, replicate)

    def verdict(self, case: str, metric: str, run: str = "latest") -> VerdictReport:
        """One check's verdict on one case."""
        return next(v for v in self.panel(case, run).verdicts if v.metric == metric)


@pytest.fixture
def tiny(tmp_path: Path) -> TinyProject:
    """An empty folder for a project."""
    return TinyProject(tmp_path)
