"""What is told while a run goes on: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Generator
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from oloproof.cli.output import is_terminal, tell
from oloproof.reporting.terminal.text import count
from oloproof.workflows.events import Notice, Progress, RunFinished, RunStarted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import rich.progress

    from oloproof.workflows.events import Event

_LINE_EVERY_S: Final = 10.0
_BAR_AFTER_S: Final = 0.5
_BAR_EVERY_S: Final = 0.1


class Listener(Protocol):
    """Tells a person what happens in a run."""

    told: list[str]
    """The notices told so far."""

    def start(self, event: RunStarted) -> None:
        """The run begins."""

    def advance(self, event: Progress) -> None:
        """So many cases are done."""

    def notice(self, text: str) -> None:
        """Something a person should know."""

    def stop(self) -> None:
        """No more comes."""


def listener(stream: TextIO | None) -> Listener:
    """The listener that suits where it is heard."""
    return Bar() if is_terminal(stream) else Lines()


def follow(events: Iterator[Event], listener: Listener) -> RunFinished:
    """Tells `listener` what happens until the run is finished."""
    try:
        try:
            return _consume(events, listener)
        except KeyboardInterrupt as interrupt:
            # Also where it struck outside the workflow, it is the workflow that ends the run.
            if not isinstance(events, Generator):
                raise
            return _consume(chain([events.throw(interrupt)], events), listener)
    finally:
        listener.stop()


def _consume(events: Iterable[Event], listener: Listener) -> RunFinished:
    for event in events:
        match event:
            case RunStarted():
                listener.start(event)
            case Progress():
                listener.advance(event)
            case Notice(text):
                listener.notice(text)
            case RunFinished():
                return event
    raise AssertionError("a run ends with RunFinished")


class Lines:
    """Plain lines: at the start, then at most one every ten seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.told: list[str] = []
        self._clock = clock
        self._last = clock()

    def start(self, event: RunStarted) -> None:
        """Says what is about to run."""
        copies = f" and {count(event.copies, 'copy', 'copies')}" if event.copies else ""
        tell(f"run {event.run} of {event.system}: {count(event.cases, 'case')}{copies}")

    def advance(self, event: Progress) -> None:
        """Says how far it is, unless it was said a moment ago."""
        now = self._clock()
        if now - self._last >= _LINE_EVERY_S:
            self._last = now
            tell(f"{event.done} of {event.total} done")

    def notice(self, text: str) -> None:
        """Says it at once."""
        self.told.append(text)
        tell(f"Note: {text}")

    def stop(self) -> None:
        """Has nothing to put away."""


class Bar:
    """A bar that appears once a run takes long enough to want one, and leaves no trace."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.told: list[str] = []
        self._clock = clock
        self._next = clock() + _BAR_AFTER_S
        self._bar: rich.progress.Progress | None = None

    def start(self, event: RunStarted) -> None:
        """Waits for the first progress: a known run is over before a bar could be read."""

    def advance(self, event: Progress) -> None:
        """Moves the bar, unless it moved a moment ago."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _BAR_EVERY_S
        if self._bar is None:
            self._bar = _new_bar(event.total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=event.done, total=event.total)

    def notice(self, text: str) -> None:
        """Says it where the bar was; the bar comes again with the next progress."""
        self.told.append(text)
        self.stop()
        tell(f"Note: {text}")

    def stop(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _new_bar(total: int) -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task("cases", total=total)
    return bar
