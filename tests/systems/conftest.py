"""Projects whose modules are imported for real, and forgotten afterwards."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class WriteProject(Protocol):
    def __call__(self, files: dict[str, str] | None = None, /, **modules: str) -> Path: ...


@pytest.fixture
def project(tmp_path: Path) -> Iterator[WriteProject]:
    """Writes files and modules into a project folder."""
    path, modules = list(sys.path), set(sys.modules)

    def write(files: dict[str, str] | None = None, /, **sources: str) -> Path:
        named = {f"{module}.py": source for module, source in sources.items()}
        for name, source in ((files or {}) | named).items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source, encoding="utf-8")
        return tmp_path

    yield write
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
