"""The projects that lie here, run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases_projects import CaseProject, run_project


@pytest.fixture
def run_case(tmp_path: Path) -> Callable[[str], CaseProject]:
    """Runs the project of a folder in `tests/cases`, by its name."""
    return lambda name: run_project(name, tmp_path)
