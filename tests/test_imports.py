"""What imports what, where the linter does not look."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "oloproof"


def test_no_inner_module_imports_the_package_root():
    """Inner modules name the module they mean; the root's names are for users."""
    culprits = []
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import) and any(a.name == "oloproof" for a in node.names):
                culprits.append((path, node.lineno))
            if isinstance(node, ast.ImportFrom) and node.module == "oloproof":
                submodules = {child.stem for child in PACKAGE.iterdir()}
                if any(alias.name not in submodules for alias in node.names):
                    culprits.append((path, node.lineno))
    assert [] == culprits


def test_help_imports_nothing_heavy():
    """Asking for help costs no numerics, templates or explanations."""
    program = (
        "import sys\n"
        "from oloproof.cli import main\n"
        "sys.argv = ['oloproof', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'jinja2', 'deepdiff', 'tenacity', 'sqlite3', 'asyncio'}\n"
        "sys.stderr.write(','.join(sorted(heavy & set(sys.modules))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "" == done.stderr
    assert "gate" in done.stdout


def test_a_run_imports_only_what_it_needs():
    """A run without colours, copies and awaiting code pays for none of what these would need."""
    spared = [
        *("asyncio", "deepdiff", "gzip", "numpy", "rich.text", "scipy", "tenacity"),
        *("oloproof.records.case_report", "oloproof.records.store_report"),
        "oloproof.records.trajectory",
    ]
    program = (
        "import sys\n"
        "import oloproof.cli.run, oloproof.cli.progress, oloproof.workflows.run\n"
        "import oloproof.reporting.terminal.page, oloproof.reporting.terminal.run\n"
        f"print(sorted(set({spared}) & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "[]\n" == done.stdout


def test_deepdiff_is_imported_in_one_place_when_it_is_needed():
    """It explains lists to people: nothing that judges may reach it, and no start pays for it."""
    importing = {
        path.relative_to(PACKAGE).as_posix(): [node.col_offset for node in nodes]
        for path in PACKAGE.rglob("*.py")
        if (nodes := _imports_of(path, "deepdiff"))
    }
    assert ["evaluation/comparing/lists.py"] == list(importing)
    assert 0 not in importing["evaluation/comparing/lists.py"]
    users = [path.stem for path in PACKAGE.rglob("*.py") if _imports_of(path, LIST_CHANGES)]
    assert ["panels"] == users


LIST_CHANGES = "oloproof.evaluation.comparing.lists"


def _imports_of(path, module):
    return [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(a.name == module for a in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == module)
    ]


def test_every_public_name_is_there_and_listed():
    """`__all__` is sorted, complete and importable."""
    import oloproof

    assert sorted(oloproof.__all__) == list(oloproof.__all__)
    for name in oloproof.__all__:
        assert getattr(oloproof, name) is not None
