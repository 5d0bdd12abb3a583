"""What comes of a command: its exit code, and what is said when it fails."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from oloproof.cli import main
from oloproof.errors import ConfigurationError
from oloproof.version import VERSION

if TYPE_CHECKING:
    from cli_fakes import Fakes


def command(*arguments: str) -> list[str]:
    code = "import sys; from oloproof.cli import main; sys.exit(main())"
    return [sys.executable, "-c", code, *arguments]


def test_a_mistake_is_told_in_three_lines(fakes: Fakes, capsys: pytest.CaptureFixture[str]) -> None:
    """What, where and how to fix it, on stderr, without a traceback; exit 2."""
    fakes.raises("runs", "list_runs", ConfigurationError("bad", where="a.yaml:3: x", fix="do y"))
    assert 2 == main(["runs"])
    assert ("", "bad\n  where: a.yaml:3: x\n  fix:   do y\n") == capsys.readouterr()


def test_a_long_mistake_is_wrapped(
    fakes: Fakes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines on stderr fit the terminal, hang below their beginning, and keep words whole."""
    monkeypatch.setenv("COLUMNS", "40")
    place = "a/folder/that/is/longer/than/the/terminal.yaml:3: evaluators[0]"
    error = ConfigurationError(
        "the rule names a metric that no evaluator makes", where=place, fix="name" + " one" * 12
    )
    fakes.raises("runs", "list_runs", error)
    assert 2 == main(["runs"])
    assert [
        "the rule names a metric that no",
        "  evaluator makes",
        "  where: a/folder/that/is/longer/than/the/terminal.yaml:3:",
        "         evaluators[0]",
        "  fix:   name one one one one one one",
        "         one one one one one one",
    ] == capsys.readouterr().err.splitlines()


def test_a_mistake_fits_the_terminal_that_shows_it() -> None:
    """The width is that of where errors go, also while stdout goes elsewhere."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    arguments = ["gate", "--policy", "a", "--project", "a folder that is not there " * 3]
    done = subprocess.run(
        command(*arguments), stdout=subprocess.PIPE, stderr=terminal, env=environment, check=False
    )
    os.close(terminal)
    shown = os.read(master, 10_000).decode().splitlines()
    os.close(master)
    assert (2, b"") == (done.returncode, done.stdout)
    assert 3 < len(shown)
    assert 60 >= max(map(len, shown)) > 40


def test_a_mistake_is_an_object_too_with_json(
    fakes: Fakes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who reads stdout finds an object there whatever happens."""
    fakes.raises("runs", "list_runs", ConfigurationError("bad", where="a.yaml:3: x"))
    assert 2 == main(["runs", "--json"])
    out, err = capsys.readouterr()
    expected = {"what": "bad", "where": "a.yaml:3: x", "fix": None, "exit_code": 2}
    assert {"error": expected} == orjson.loads(out)
    assert err.startswith("bad\n")


def test_a_message_cannot_command_the_terminal(
    fakes: Fakes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters in an error are made visible."""
    fakes.raises("runs", "list_runs", ConfigurationError("\x1b[2Jgone"))
    main(["runs"])
    assert "\\u001b[2Jgone\n" == capsys.readouterr().err


@pytest.mark.parametrize("error", [ValueError("oops"), SystemExit(0), MemoryError()])
def test_an_error_of_our_own_says_so(
    error: BaseException, fakes: Fakes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 70 with the traceback on stderr; a stray `sys.exit(0)` is never a success."""
    fakes.raises("gate", "gate", error)
    assert 70 == main(["gate"])
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert f"an error of Oloproof's own: {type(error).__name__}" in err.splitlines()[-2]


def test_an_interrupt_exits_5(fakes: Fakes, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is no traceback."""
    fakes.raises("runs", "list_runs", KeyboardInterrupt())
    assert 5 == main(["runs"])
    assert "interrupted; what was done is kept\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "what", "fix"),
    [
        (["gat"], "there is no command `gat`", "did you mean `gate`?"),
        (["run", "--polcy", "x"], "No such option", "did you mean `--policy`?"),
        (["replay"], "Missing argument 'CASE'.", "`oloproof replay --help`"),
        (["inspect", "--replicate", "0", "--case", "x"], "Invalid value for", "--help"),
        (["inspect", "--replicate", "1"], "--replicate goes with --case", "--help"),
        (["inspect", "--failures", "--case", "x"], "give one of the two", "--help"),
        (["replay", "x", "--occurrence", "2"], "--occurrence goes with", "--help"),
        (["replay", "x", "--duration", "2"], "--duration goes with", "--help"),
        (["replay", "x", "--tool", "t", "--duration", "0"], "--duration is `once`", "--help"),
        (["replay", "x", "--step", "2", "--tool", "t"], "--step names the call", "--help"),
        (["replay", "x", "--list", "--fault", "error"], "--list shows every call", "--help"),
        (["check", "--cases", "2", "--case", "x"], "--cases counts cases", "--help"),
        (["init", "--example", "x", "--system", "a:b"], "exclude each other", "--help"),
        (["gate", "--project", "nowhere"], "'nowhere' does not exist", "--help"),
        (["runs", "extra"], "extra", "--help"),
        (["cache", "lits"], "there is no command `lits`", "did you mean `list`?"),
        (["cache", "import"], "Missing argument 'FILE'.", "`oloproof cache import --help`"),
        (["cache", "prune", "--keep-runs", "0"], "Invalid value for", "--help"),
    ],
)
def test_a_mistake_in_usage_exits_2(
    arguments: list[str], what: str, fix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong with the arguments and the nearest that is right, in three lines."""
    assert 2 == main(arguments)
    out, err = capsys.readouterr()
    assert "" == out
    first, where, last = err.splitlines()
    assert what in first
    assert where.startswith("  where: the arguments of `oloproof")
    assert fix in last


def test_no_command_shows_the_help_and_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    """A script whose command is empty by mistake must not pass."""
    assert 2 == main([])
    assert "Usage: oloproof" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` names program and version."""
    assert 0 == main(["--version"])
    assert f"oloproof {VERSION}\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["init", "run", "gate", "inspect", "replay", "check", "runs", "pairs", "judge"]
)
def test_help_fits_and_is_whole(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command is in the list of commands and explains itself within 80 columns."""
    assert 0 == main(["--help"])
    assert f"\n  {name} " in capsys.readouterr().out
    assert 0 == main([name, "--help"])
    out = capsys.readouterr().out
    assert "..." not in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_help_imports_nothing_heavy() -> None:
    """Start-up is a feature: help needs neither rich, pydantic nor anything that computes."""
    code = (
        "import sys; from oloproof.cli import main; code = main(['--help']);"
        "heavy = 'numpy scipy jinja2 deepdiff rich pydantic orjson yaml tenacity'.split();"
        "sys.exit([name for name in heavy if name in sys.modules] or code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_a_reader_that_went_away_is_no_error() -> None:
    """`oloproof --help | true` is silent."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command("--help"), stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert b"" == done.stderr


@pytest.mark.parametrize("arguments", [["gate"], ["gate", "--json"]])
def test_a_gate_keeps_its_exit_code_without_a_reader(arguments: list[str]) -> None:
    """`oloproof gate | head` is silent, and `pipefail` still sees what was decided."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "cli_fakes", *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        env=_beside_the_tests(),
        check=False,
    )
    os.close(write)
    assert (1, b"") == (done.returncode, done.stderr)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poor_terminal_gets_every_screen(encoding: str) -> None:
    """LANG=C or Latin-1 costs glyphs, never the screen."""
    done = subprocess.run(
        [sys.executable, "-m", "cli_fakes", "inspect", "--case", "ord-004"],
        capture_output=True,
        env=_beside_the_tests() | {"PYTHONIOENCODING": encoding},
        check=False,
    )
    assert (0, b"") == (done.returncode, done.stderr)
    assert b"FAIL  state_matches" in done.stdout


def test_stdout_may_be_closed() -> None:
    """`oloproof gate >&-` decides as ever."""
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m cli_fakes gate >&-"],
        stderr=subprocess.PIPE,
        env=_beside_the_tests(),
        check=False,
    )
    assert (1, b"") == (done.returncode, done.stderr)


def _beside_the_tests() -> dict[str, Any]:
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_a_host_process_keeps_its_own_way_with_sigterm(fakes: Fakes) -> None:
    """A command called from another program leaves its signals as they were."""
    mine = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        before = signal.getsignal(signal.SIGTERM)
        main(["runs"])
        main(["no-such-command"])
        assert before is signal.getsignal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, mine)


def test_the_package_can_be_run_as_a_module() -> None:
    """`python -m oloproof` is the command, with its name."""
    shown = subprocess.run(
        [sys.executable, "-m", "oloproof", "--version"], capture_output=True, text=True, check=True
    )
    assert f"oloproof {VERSION}\n" == shown.stdout
