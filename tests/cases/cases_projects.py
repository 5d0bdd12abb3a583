"""Runs the real command in a copy of a project that lies here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass
class CaseProject:
    """A copy of a project, with what the command said of its run."""

    folder: Path
    report: dict[str, Any]

    def call(self, *arguments: str) -> dict[str, Any]:
        """What another command says, as JSON."""
        return _call(self.folder, *arguments)

    def case(self, name: str) -> dict[str, Any]:
        """Everything that is known of one case."""
        return self.call("inspect", "--case", name)


def _call(folder: Path, *arguments: str) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("oloproof")), *arguments, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


def run_project(name: str, folder: Path) -> CaseProject:
    """Run a copy of a project that lies here."""
    copy = folder / name
    shutil.copytree(HERE / name, copy)
    return CaseProject(copy, _call(copy, "run"))
