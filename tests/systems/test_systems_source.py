"""Which files the source digest covers, and that every change of them changes it."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from oloproof.errors import ConfigurationError
from oloproof.systems.source import own_file, source_digest, source_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.systems.conftest import WriteProject


def names(root: Path, module: str = "app", code_paths: tuple[str, ...] = ()) -> set[str]:
    return {str(path.relative_to(root)) for path in source_files(root, module, code_paths)}


class TestImportClosure:
    @pytest.mark.parametrize(
        ("statement", "found"),
        [
            ("import tools", {"tools.py"}),
            ("import pack.deep.leaf", {"pack/__init__.py", "pack/deep/leaf.py"}),
            ("from pack import one", {"pack/__init__.py", "pack/one.py"}),
            ("from pack.deep import leaf as x", {"pack/__init__.py", "pack/deep/leaf.py"}),
            ("from pack import *", {"pack/__init__.py"}),
            ("def f():\n    import tools", {"tools.py"}),
            ("try:\n    import tools\nexcept ImportError: ...", {"tools.py"}),
            ("import chain", {"chain.py", "tools.py"}),
            ("from pack import relative", {"pack/__init__.py", "pack/relative.py", "pack/one.py"}),
            ("import json, os.path, gone", set()),
            ("from . import tools", {"tools.py"}),
            ("from .... import tools", {"tools.py"}),
            ("import app", set()),
        ],
    )
    def test_imports_are_followed(
        self, project: WriteProject, statement: str, found: set[str]
    ) -> None:
        """Every module of the project that may be imported, directly or not."""
        root = project(
            {
                "pack/__init__.py": "",
                "pack/one.py": "",
                "pack/relative.py": "from . import one\nfrom .one import x",
                "pack/deep/leaf.py": "",
            },
            app=statement,
            tools="",
            chain="import tools, chain",
            unused="",
        )
        assert {"app.py", *found} == names(root)

    def test_a_system_in_a_package_brings_its_packages(self, project: WriteProject) -> None:
        """Importing a.b.c runs a and a.b first."""
        inits = {"a/__init__.py": "", "a/b/__init__.py": "from shared import x"}
        root = project(inits | {"a/b/c.py": ""}, shared="")
        assert {*inits, "a/b/c.py", "shared.py"} == names(root, "a.b.c")

    def test_a_file_beside_the_project_is_not_taken_for_it(self, project: WriteProject) -> None:
        """`from . import x` at the top names nothing that has the project folder's own name."""
        root = (
            project({"proj/app.py": "from . import tools", "proj/tools.py": ""}, proj="") / "proj"
        )
        assert {"app.py", "tools.py"} == names(root)

    def test_a_module_that_cannot_be_parsed_is_covered_itself(self, project: WriteProject) -> None:
        """Importing it will say what is wrong; fixing it is a change."""
        assert {"app.py", "tools.py"} == names(project(app="import tools", tools="def ("))


class TestCodePaths:
    def test_patterns_add_files(self, project: WriteProject) -> None:
        """Prompts and the like count as code where they are declared."""
        root = project(app="")
        for name in ("prompts/a.md", "prompts/deep/b.md", "policy.txt"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        assert {"app.py", "prompts/a.md"} == names(root, code_paths=("prompts/*",))
        assert {"app.py", "prompts/a.md", "prompts/deep/b.md", "policy.txt"} == names(
            root, code_paths=("prompts/**", "policy.txt")
        )

    def test_what_a_run_writes_is_never_source(self, project: WriteProject) -> None:
        """A pattern for everything leaves the store and compiled files out."""
        root = project(app="")
        for name in (".oloproof/store.sqlite", "__pycache__/app.pyc", ".git/HEAD", "x/y.txt"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        assert {"app.py", "x/y.txt"} == names(root, code_paths=("**",))

    @pytest.mark.parametrize(
        ("pattern", "what"),
        [
            ("/etc/*", "outside the project"),
            ("../x", "outside the project"),
            ("gone/**", "matches no file"),
            ("prompts", "matches no file"),
            ("a**b/**c", "cannot be read"),
        ],
    )
    def test_what_names_nothing_is_refused(
        self, project: WriteProject, pattern: str, what: str
    ) -> None:
        """A pattern that covers nothing would be a promise not kept."""
        root = project({"prompts/x": ""}, app="")
        with pytest.raises(ConfigurationError, match=what):
            source_files(root, "app", (pattern,))


class TestDigest:
    def test_contents_and_names_count(self, project: WriteProject) -> None:
        """A change, a new name and another order of bytes in files each give another digest."""
        root = project(app="import tools", tools="1")
        digests = [source_digest(root, source_files(root, "app", ()))]
        for change in ("2", "1"):
            (root / "tools.py").write_text(change)
            digests.append(source_digest(root, source_files(root, "app", ())))
        assert digests[0] == digests[2] != digests[1]
        (root / "a").write_bytes(b"bc")
        (root / "ab").write_bytes(b"c")
        assert source_digest(root, [root / "a"]) != source_digest(root, [root / "ab"])

    def test_where_the_project_lies_does_not_count(self, project: WriteProject) -> None:
        """A checkout in another place has the same digest."""
        root = project({"one/app.py": "x = 1"})
        shutil.copytree(root / "one", root / "two")
        first, second = (
            source_digest(root / name, source_files(root / name, "app", ()))
            for name in ("one", "two")
        )
        assert first == second

    def test_names_that_are_no_text_are_covered(self, tmp_path: Path) -> None:
        """A file name of any bytes."""
        path = tmp_path / "caf\udce9.txt"
        path.write_text("x")
        assert 64 == len(source_digest(tmp_path, [path]))

    def test_a_file_that_cannot_be_read_is_said(self, tmp_path: Path) -> None:
        """Instead of a traceback, the file."""
        with pytest.raises(ConfigurationError) as caught:
            source_digest(tmp_path, [tmp_path / "gone.py"])
        assert str(tmp_path / "gone.py") == caught.value.where


class TestOwnFiles:
    def test_installed_packages_are_not_the_projects_own(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An environment often lies inside the project."""
        monkeypatch.setattr(sys, "prefix", "/p/env")
        assert "app.py" == own_file("/p", "/p/app.py")
        assert "a/b.py" == own_file("/p", "/p/a/b.py")
        assert own_file("/p", "/p/.venv/lib/python3.11/site-packages/x/y.py") is None
        assert own_file("/p", "/p/env/lib/python3.11/json/decoder.py") is None
        assert own_file("/p", "/p2/app.py") is None
        assert own_file("/x/site-packages/p", "/x/site-packages/p/app.py") == "app.py"
