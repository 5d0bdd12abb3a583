"""The commands of `oloproof cache`: what they hand on, print, and exit with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import reporting_samples as samples

from oloproof.cli import main
from oloproof.cli.output import tell
from oloproof.reporting.json import dumps

if TYPE_CHECKING:
    from cli_fakes import Fakes

    from oloproof.records.report import Report

HERE = Path.cwd()
SCREENS = [
    ("list", "cache-list", samples.CACHE_LIST),
    ("verify", "cache-verify", samples.CACHE_VERIFY),
    ("prune", "cache-prune", samples.CACHE_PRUNE),
    ("export x", "cache-export", samples.CACHE_EXPORT),
    ("import x", "cache-import", samples.CACHE_IMPORT),
]


@pytest.mark.parametrize(
    ("line", "arguments", "options"),
    [
        ("list", (HERE,), {}),
        ("list -C /", (Path("/"),), {}),
        ("verify", (HERE,), {}),
        ("prune", (HERE,), {"keep_runs": 10, "dry_run": False}),
        ("prune --keep-runs 3 --dry-run", (HERE,), {"keep_runs": 3, "dry_run": True}),
        ("export out", (HERE, Path("out")), {"run": None}),
        ("export out --run latest -C /", (Path("/"), Path("out")), {"run": "latest"}),
        ("import out", (HERE, Path("out")), {}),
    ],
)
def test_a_command_hands_over_what_was_asked(
    line: str, arguments: tuple[Any, ...], options: dict[str, Any], fakes: Fakes
) -> None:
    """Arguments and options reach the workflow as they were meant."""
    main(["cache", *line.split()])
    [(given, named)] = fakes.calls
    assert tell is named.pop("warn")
    assert (arguments, options) == (given, named)


def test_what_prune_keeps_is_what_the_workflow_would() -> None:
    """The default stands in two places, since help must import no workflow."""
    import inspect

    from oloproof.cli.cache import prune
    from oloproof.workflows.cache import KEEP_RUNS, prune_cache

    defaults = [inspect.signature(f).parameters["keep_runs"].default for f in (prune, prune_cache)]
    assert [KEEP_RUNS, KEEP_RUNS] == defaults


@pytest.mark.parametrize(("line", "snapshot", "report"), SCREENS)
def test_the_screen_and_the_json_are_those_of_the_report(
    line: str,
    snapshot: str,
    report: Report,
    fakes: Fakes,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a pipe a screen is plain and 80 wide; with `--json` stdout holds nothing else."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    main(["cache", *line.split()])
    expected = Path(samples.__file__).parent / "snapshots" / f"{snapshot}.txt"
    assert (expected.read_bytes(), b"") == capfdbinary.readouterr()
    main(["cache", *line.split(), "--json"])
    assert (dumps(report), b"") == capfdbinary.readouterr()


@pytest.mark.parametrize(
    ("line", "function", "report"),
    [
        ("verify", "verify_cache", samples.CACHE_VERIFY),
        ("export x", "export_cache", samples.CACHE_EXPORT),
    ],
)
def test_what_is_not_whole_exits_with_1(
    line: str, function: str, report: Report, fakes: Fakes
) -> None:
    """So a script that deletes a store after exporting it stops."""
    assert 1 == main(["cache", *line.split()])
    fakes.gives("cache", function, report.model_copy(update={"whole": True}))
    assert 0 == main(["cache", *line.split()])


@pytest.mark.parametrize("line", ["list", "prune"])
def test_the_others_exit_with_0(line: str, fakes: Fakes) -> None:
    """They say what they found or did."""
    assert 0 == main(["cache", line])


@pytest.mark.parametrize("name", ["list", "verify", "prune", "export", "import"])
def test_help_fits_and_is_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command is in the list of the group and explains itself within 80 columns."""
    assert 0 == main(["--help"])
    assert "\n  cache " in capsys.readouterr().out
    assert 0 == main(["cache", "--help"])
    assert f"\n  {name} " in capsys.readouterr().out
    assert 0 == main(["cache", name, "-h"])
    out = capsys.readouterr().out
    assert "..." not in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_no_command_shows_the_help_and_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    """A script whose command is empty by mistake must not pass."""
    assert 2 == main(["cache"])
    assert "Usage: oloproof cache" in capsys.readouterr().err
