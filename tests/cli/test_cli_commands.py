"""What each command hands to its workflow, and what it prints of the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import reporting_samples as samples
from rich.text import Text

from oloproof.cli import main
from oloproof.cli.output import tell
from oloproof.records.case_report import ReplayList
from oloproof.records.project_report import ExampleLine, ExampleList
from oloproof.reporting.json import dumps

if TYPE_CHECKING:
    from cli_fakes import Fakes

    from oloproof.records.report import Report

HERE = Path.cwd()
REPLAY = {
    "run": "latest",
    "tool": None,
    "model": None,
    "fault": None,
    "occurrence": 1,
    "step": None,
    "duration": "once",
}


@pytest.mark.parametrize(
    ("line", "arguments", "options"),
    [
        ("gate", (HERE,), {"run": "latest", "policy": None}),
        ("gate 7 --policy p.yaml", (HERE,), {"run": "7", "policy": Path("p.yaml")}),
        ("gate -C /", (Path("/"),), {"run": "latest", "policy": None}),
        ("inspect", (HERE, "latest"), {"failures": False}),
        ("inspect 2 --failures", (HERE, "2"), {"failures": True}),
        ("inspect --case a~b", (HERE, "latest", "a~b", 1), {}),
        ("inspect 2 --case a --replicate 3", (HERE, "2", "a", 3), {}),
        ("replay a", (HERE, "a"), REPLAY),
        (
            "replay a --tool t --fault error --occurrence 2 --run 4",
            (HERE, "a"),
            REPLAY | {"run": "4", "tool": "t", "fault": "error", "occurrence": 2},
        ),
        ("replay a --step 3", (HERE, "a"), REPLAY | {"step": 3}),
        (
            "replay a --step 3 --fault all --duration always",
            (HERE, "a"),
            REPLAY | {"step": 3, "fault": "all", "duration": "always"},
        ),
        ("replay a --tool t --duration 3", (HERE, "a"), REPLAY | {"tool": "t", "duration": 3}),
        ("replay a --tool t --duration 1", (HERE, "a"), REPLAY | {"tool": "t"}),
        ("replay a --list --run 2", (HERE, "a"), {"run": "2"}),
        ("check", (HERE,), {"cases": 3, "only": ()}),
        ("check --cases 7 -C /", (Path("/"),), {"cases": 7, "only": ()}),
        ("check --case a --case b", (HERE,), {"cases": 3, "only": ["a", "b"]}),
        (
            "replay a --model m --occurrence 2",
            (HERE, "a"),
            REPLAY | {"model": "m", "occurrence": 2},
        ),
        ("replay a --tool t", (HERE, "a"), REPLAY | {"tool": "t"}),
        ("runs", (HERE,), {}),
        ("pairs injected", (HERE, "injected"), {"write": True}),
        ("judge claims --with app:ask", (HERE, "claims", "app:ask"), {"run": "latest"}),
        ("pairs injected --print", (HERE, "injected"), {"write": False}),
        ("init", (Path(),), {"example": None, "system": None, "ci": None}),
        (
            "init x --example stateful-agent --ci github",
            (Path("x"),),
            {"example": "stateful-agent", "system": None, "ci": "github"},
        ),
        ("init --system app:desk", (Path(),), {"example": None, "system": "app:desk", "ci": None}),
    ],
)
def test_a_command_hands_over_what_was_asked(
    line: str, arguments: tuple[Any, ...], options: dict[str, Any], fakes: Fakes
) -> None:
    """Arguments and options reach the workflow as they were meant."""
    main(line.split())
    [(given, named)] = fakes.calls
    assert tell is named.pop("warn", tell)
    assert (arguments, options) == (given, named)


@pytest.mark.parametrize(
    ("line", "report"),
    [
        ("gate", samples.RUN),
        ("inspect", samples.CASES),
        ("inspect --case ord-004", samples.CASE),
        ("replay ord-004", ReplayList(case="ord-004", replays=[samples.REPLAY])),
        ("replay ord-004 --tool issue_refund --fault error", samples.REPLAY),
        ("replay ord-004 --tool issue_refund", samples.REPLAY),
        ("replay ord-004 --fault error", samples.REPLAY),
        ("replay ord-004 --step 4", samples.REPLAY),
        (
            "replay ord-004 --step 4 --fault all",
            ReplayList(case="ord-004", replays=[samples.REPLAY]),
        ),
        ("replay ord-004 --list", samples.CHECKPOINTS),
        ("check", samples.CHECK),
        ("runs", samples.RUNS),
        ("pairs injected", samples.PAIRS),
        ("judge claims --with app:ask", samples.JUDGED),
        ("init", samples.INIT),
        (
            "init --example list",
            ExampleList(
                examples=[ExampleLine(name="stateful-agent", description="A refund desk.")]
            ),
        ),
    ],
)
def test_json_is_the_report_and_nothing_else(
    line: str, report: Report, fakes: Fakes, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With `--json` stdout holds the report that `docs/reference/json.md` names."""
    main([*line.split(), "--json"])
    assert (dumps(report), b"") == capfdbinary.readouterr()


@pytest.mark.parametrize(
    ("line", "snapshot"),
    [
        ("gate", "gate"),
        ("inspect", "cases"),
        ("inspect --case ord-004", "case"),
        ("runs", "runs"),
        ("replay ord-004 --list", "checkpoints"),
        ("check", "check"),
        ("pairs injected", "pairs"),
        ("judge claims --with app:ask", "judge"),
        ("init", "init"),
    ],
)
def test_in_a_pipe_a_screen_is_plain_and_80_wide(
    line: str,
    snapshot: str,
    fakes: Fakes,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is piped is the snapshot, without colour, whatever terminal is around."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    main(line.split())
    expected = Path(samples.__file__).parent / "snapshots" / f"{snapshot}.txt"
    assert (expected.read_text(encoding="utf-8"), "") == capfd.readouterr()


def test_colour_adds_nothing_to_the_text(
    fakes: Fakes, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coloured screen is the plain one with escapes for colour between its characters."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    main(["gate"])
    plain = capfd.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["gate"])
    coloured = capfd.readouterr().out
    assert "\x1b[" in coloured
    assert plain == Text.from_ansi(coloured).plain.rstrip("\n") + "\n"


def test_a_check_exits_on_what_it_finds(fakes: Fakes) -> None:
    """`check` exits with 0 for a system that can be replayed, and with 1 for another."""
    assert 1 == main(["check"])
    assert 1 == main(["check", "--json"])
    fakes.gives("check", "check", samples.SOUND)
    assert 0 == main(["check"])


def test_the_gate_decides_the_exit_code(fakes: Fakes) -> None:
    """`gate` exits with the code of its gate, every other command with 0."""
    assert samples.RUN.gate is not None
    for code in (0, 1, 3, 4, 5):
        gate = samples.RUN.gate.model_copy(update={"exit_code": code})
        fakes.gives("gate", "gate", samples.RUN.model_copy(update={"gate": gate}))
        assert code == main(["gate"])
    for line in ("inspect", "inspect --case ord-004", "replay a", "runs", "pairs a", "init"):
        assert 0 == main(line.split())
