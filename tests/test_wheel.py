"""What ships: the wheel holds the package with its examples and templates, and no stray file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("oloproof", "templates", "examples", "labels")
STRAY = (".env", "__pycache__", ".pyc", ".DS_Store", ".sqlite")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the checkout in which strays lie about."""
    checkout = tmp_path_factory.mktemp("checkout")
    for name in SHIPPED:
        shutil.copytree(ROOT / name, checkout / name)
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, checkout / name)
    example = checkout / "examples" / "stateful-agent"
    for stray in (".env", ".oloproof/store.sqlite", "__pycache__/app.pyc", ".DS_Store"):
        (example / stray).parent.mkdir(exist_ok=True)
        (example / stray).write_text("stray")
    (checkout / "oloproof" / ".env").write_text("stray")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(checkout)]
    subprocess.run(command, check=True, capture_output=True)
    return next((checkout / "dist").glob("*.whl"))


def test_the_wheel_ships_what_init_needs_and_nothing_stray(wheel):
    """Every example, label and template ships; what a checkout gathers does not."""
    names = zipfile.ZipFile(wheel).namelist()
    assert [] == [name for name in names if any(stray in name for stray in STRAY)]
    assert [] == [name for name in names if "/.oloproof/" in name]
    data = {name for name in names if name.startswith("oloproof/_data/")}
    tracked = subprocess.run(
        ["git", "ls-files", "templates", "examples", "labels"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {f"oloproof/_data/{name}" for name in tracked} == data
    languages = {name for name in names if name.startswith("oloproof/evaluation/claims/languages/")}
    assert {"de.json", "en.json", "pl.json", "ru.json"} == {Path(name).name for name in languages}
    outside = {name.split("/")[0] for name in names} - {"oloproof"}
    assert 1 == len(outside), f"only the metadata may lie beside the package: {outside}"


def test_init_works_from_an_installed_wheel(wheel, tmp_path):
    """The example can be laid out and run where only the wheel is installed."""
    target = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(target)
    program = "import sys; from oloproof.cli import main; sys.exit(main())"
    project = tmp_path / "desk"

    def oloproof(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=cwd,
            env={"PYTHONPATH": str(target), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )

    made = oloproof("init", str(project), "--example", "stateful-agent", cwd=tmp_path)
    assert (0, "") == (made.returncode, made.stderr)
    assert (project / "labels" / "injected.jsonl").is_file()
    assert 1 == oloproof("run", cwd=project).returncode
