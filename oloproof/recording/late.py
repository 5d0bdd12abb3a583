"""What is still done in a case that has ended: tools that are called, or come back, too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from threading import Condition

    from oloproof.recording.events import Event


class LateCalls:
    """The tools of one case that were called when it had ended; `condition` guards it."""

    def __init__(self, condition: Condition) -> None:
        self.names: list[str] = []
        self._condition = condition
        self._running: set[int] = set()
        self._hear: Callable[[str], None] | None = None
        self._told = 0

    def note(self, name: str) -> None:
        """Take note of a tool."""
        with self._condition:
            self.names.append(name)
            if self._hear is not None:
                self._hear(name)

    def so_far(self) -> list[str]:
        """Those that were called until now; `listen` gives those after them."""
        with self._condition:
            self._told = len(self.names)
            return list(self.names)

    def listen(self, hear: Callable[[str], None]) -> None:
        """Have every further one told."""
        with self._condition:
            self._hear = hear
            for name in self.names[self._told :]:
                hear(name)

    # --- calls that were at work when the case ended -----------------------------------------

    def begin(self, events: Iterable[Event], read_at: int | None) -> None:
        """Under the lock: the case ends, whose sandbox was read at a moment.

        What came back after that moment, nobody has seen.
        """
        for event in filter(may_change, events):
            if event.ended is None:
                self._running.add(event.index)
            elif read_at is not None and event.ended > read_at and event.ended_by_itself:
                self.names.append(event.name)

    def end(self, event: Event) -> bool:
        """Under the lock: a call came back; whether it may have changed the sandbox.

        One that was cancelled did no more.
        """
        self._running.discard(event.index)
        self._condition.notify_all()
        return may_change(event) and event.ended_by_itself

    def wait(self, patience_s: float) -> None:
        """Wait until the calls at work have come back, so that they touch no other case.

        One that does not in time may: then what it did is in the evidence of nobody.
        """
        with self._condition:
            self._condition.wait_for(lambda: not self._running, patience_s)


def may_change(event: Event) -> bool:
    """Whether a call may do anything to the sandbox."""
    return event.kind == "tool" and not event.reads and event.plan != "serve"
