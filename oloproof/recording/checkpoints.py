"""States of the sandbox at moments when no tool was at work."""

from __future__ import annotations

import asyncio
import threading
from asyncio import _get_running_loop
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from oloproof.recording.endings import Note
from oloproof.recording.lanes import undisturbed
from oloproof.records.calls import CallCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from oloproof.recording.events import Event
    from oloproof.recording.session import Session

Targets: TypeAlias = "Collection[tuple[str, int]] | Literal['all']"
"""Calls of tools or models, by name and occurrence in the case (from 1), or all those of tools."""

START: Final = "start"
"""The checkpoint that every case has: its initial state, before anything was called."""


class Checkpoint(NamedTuple):
    """A state of the sandbox: everything that had ended by moment `at` is in it."""

    id: str
    at: int


class Checkpoints:
    """Takes snapshots while a case is recorded, at the calls that are to be replayed.

    A snapshot says what it should only while no tool is changing the sandbox; those in which
    the call is made are no obstacle, since replay runs their bodies up to the same place.
    Where others are at work the last quiet state stands in, and replay runs more of the tools
    again. So that there is a near one, states are also taken where tools begin to overlap.
    """

    def __init__(
        self, targets: Targets, snapshot: Callable[[], bytes] | None, session: Session
    ) -> None:
        self._all = targets == "all"
        self._left = set() if isinstance(targets, str) else set(targets)
        self._snapshot = snapshot
        self._session = session
        self._calls = CallCounter()
        self._busy: dict[int, Event] = {}
        self._threads = threading.active_count()
        self._last = Checkpoint(START, 0)
        self._taken: dict[str, tuple[Checkpoint, bytes]] = {}

    def begun(self, event: Event) -> None:
        """A tool or model is about to run; take the state where that will be asked for."""
        of_tool = event.kind == "tool"
        call = event.name, self._calls.number(event.kind, event.name)
        targeted = (self._all and of_tool) or call in self._left
        self._left.discard(call)
        if self._snapshot is not None and (targeted or self._left):
            if self._is_quiet(event) and (targeted or self._overlapping()):
                self._take(event.started)
            if targeted:
                event.checkpoint = self._last.id
        if of_tool and not event.reads:
            self._busy[event.index] = event

    def ended(self, event: Event) -> None:
        """A call came back."""
        self._busy.pop(event.index, None)

    def kept(self, events: Collection[Event]) -> dict[str, tuple[Checkpoint, bytes]]:
        """The checkpoints that a call refers to."""
        used = {event.checkpoint for event in events}
        return {name: taken for name, taken in self._taken.items() if name in used}

    def _is_quiet(self, event: Event) -> bool:
        above = set()
        parent = event.parent
        while parent is not None:
            above.add(parent)
            parent = self._session.events[parent].parent
        return self._busy.keys() <= above

    def _overlapping(self) -> bool:
        """Whether another tool may begin before this one has ended."""
        if threading.active_count() > self._threads:
            return True
        loop = _get_running_loop()
        return loop is not None and len(asyncio.all_tasks(loop)) > 1

    def _take(self, at: int) -> None:
        assert self._snapshot is not None
        try:
            with undisturbed():
                state = self._snapshot()
        except Exception as error:
            # The last state stands in; a sandbox that cannot be read is told of elsewhere too.
            self._session.notes.append(Note("snapshot_failed", type(error).__name__))
            return
        self._last = Checkpoint(f"state-{at}", at)
        self._taken[self._last.id] = (self._last, state)
