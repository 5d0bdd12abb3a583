"""`oloproof run`: what it tells meanwhile, and what it exits with."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import reporting_samples as samples

from oloproof.cli import main
from oloproof.cli.progress import Bar, Lines, follow, listener
from oloproof.workflows.events import Event, Notice, Progress, RunFinished, RunStarted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from cli_fakes import Fakes

FINISHED = RunFinished(samples.RUN, 1)


def a_run(cases: int = 24) -> Iterator[Event]:
    yield RunStarted(3, cases, 48, "refund-desk")
    yield Notice("something odd")
    for done in range(1, cases + 1):
        yield Progress(done, cases)
    yield FINISHED


class Clock:
    """Moves on by `step` seconds whenever it is read."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_piped_run_tells_little_and_shows_all(
    fakes: Fakes, capsys: pytest.CaptureFixture[str]
) -> None:
    """The start and notes go to stderr, no line for each case; the screen goes to stdout."""
    fakes.runs(a_run)
    assert 1 == main(["run"])
    out, err = capsys.readouterr()
    assert "run 3 of refund-desk: 24 cases and 48 copies\nNote: something odd\n" == err
    assert out.startswith("refund-desk  run 3, complete after 2.4 s\n")
    assert out.endswith("\nBLOCK  exit code 1\n")
    assert [((Path.cwd(),), {"policy": None, "rerun_failed": False})] == fakes.calls


def test_a_start_is_told_in_words_that_fit_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """One case is no cases."""
    watch = Lines()
    for cases, copies in ((1, 0), (1, 1), (2000, 0)):
        watch.start(RunStarted(3, cases, copies, "desk"))
    assert [
        "run 3 of desk: 1 case",
        "run 3 of desk: 1 case and 1 copy",
        "run 3 of desk: 2,000 cases",
    ] == capsys.readouterr().err.splitlines()


def test_a_long_note_is_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs as it does on the screen."""
    monkeypatch.setenv("COLUMNS", "40")
    Lines().notice("the transform `loud` changes nothing in 3 of 24 cases")
    assert (
        "Note: the transform `loud` changes\n  nothing in 3 of 24 cases\n"
        == capsys.readouterr().err
    )


def test_options_reach_the_run(fakes: Fakes) -> None:
    """The policy, the project and the wish to try again are handed on."""
    fakes.runs(a_run)
    main(["run", "--policy", "p.yaml", "--project", "/", "--rerun-failed"])
    assert [((Path("/"),), {"policy": Path("p.yaml"), "rerun_failed": True})] == fakes.calls


def test_json_of_a_run_is_alone_on_stdout(fakes: Fakes, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is told meanwhile stands elsewhere."""
    fakes.runs(a_run)
    assert 1 == main(["run", "--json"])
    assert 3 == orjson.loads(capsys.readouterr().out)["run"]


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """At most one line every ten seconds, however many cases end."""
    follow(a_run(100), Lines(Clock(1.0)))
    told = [line for line in capsys.readouterr().err.splitlines() if line.endswith("done")]
    assert "10 of 100 done" == told[0]
    assert 10 == len(told)


def test_a_bar_comes_late_and_leaves_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    """A run that is over at once shows no bar; of a longer one nothing remains."""
    quick, slow = Bar(Clock(0.001)), Bar(Clock(1.0))
    assert FINISHED == follow(a_run(), quick)
    assert "Note: something odd\n" == capsys.readouterr().err
    assert FINISHED == follow(a_run(), slow)
    assert ["something odd"] == slow.told


def test_a_person_gets_a_bar() -> None:
    """What is listened to at a terminal moves, what is not stays readable."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert isinstance(listener(Terminal()), Bar)
    assert isinstance(listener(io.StringIO()), Lines)
    assert isinstance(listener(None), Lines)


def test_an_interrupt_anywhere_is_the_workflows_to_end() -> None:
    """Also where Ctrl-C strikes while a line is printed, the run ends in order, with its report."""

    class Interrupted(Lines):
        def advance(self, event: Progress) -> None:
            if event.done == 2:
                raise KeyboardInterrupt

    def until_interrupted() -> Iterator[Event]:
        try:
            yield from a_run()
        except KeyboardInterrupt:
            yield Notice("interrupted")
            yield RunFinished(samples.RUN, 5)

    watch = Interrupted(Clock(0.0))
    assert RunFinished(samples.RUN, 5) == follow(until_interrupted(), watch)
    assert ["something odd", "interrupted"] == watch.told


def test_a_workflow_that_gives_up_is_an_interrupted_command(fakes: Fakes) -> None:
    """An interrupt that nothing handles exits 5."""

    def interrupted() -> Iterator[Event]:
        yield RunStarted(3, 24, 48, "refund-desk")
        raise KeyboardInterrupt

    fakes.runs(interrupted)
    assert 5 == main(["run"])
