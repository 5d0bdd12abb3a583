"""Fixtures over real data that lies outside of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from acceptance_data import VARIABLE, JudgedProject


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the real data; without it these tests are skipped."""
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} does not name the folder with the real data")
    return Path(os.environ[VARIABLE])


@pytest.fixture
def judged(tmp_path: Path) -> JudgedProject:
    """An empty folder for a project."""
    return JudgedProject(tmp_path)
