"""What the tests of the suites share: a project folder, and the form of every refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refusal() -> Callable[..., ConfigurationError]:
    """Runs what must be refused, and holds the error to its form: what, where, how to fix it."""

    def refuse(
        call: Callable[[], object], *, where: str, what: str = "", fix: str = ""
    ) -> ConfigurationError:
        with pytest.raises(ConfigurationError) as caught:
            call()
        error = caught.value
        assert 2 == error.exit_code
        assert where == error.where
        assert what in error.what
        assert error.fix
        assert fix in error.fix
        return error

    return refuse
