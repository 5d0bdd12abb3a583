"""Commands are tested on workflows that only pretend."""

from __future__ import annotations

import sys

import pytest
from cli_fakes import REPORTS, Fakes


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Fakes:
    """Fakes in the place of all workflows, for one test."""
    for module in {module for module, _ in REPORTS} | {"run"}:
        monkeypatch.delitem(sys.modules, f"oloproof.workflows.{module}", raising=False)
        # So that what is put there now is taken away at the end.
        monkeypatch.setitem(sys.modules, f"oloproof.workflows.{module}", sys)
    return Fakes(sys.modules)
