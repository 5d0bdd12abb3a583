"""Leads each call of a replay: when it begins and ends, and where its answer comes from."""

from __future__ import annotations

import asyncio
import time
from asyncio import _get_running_loop
from typing import TYPE_CHECKING, Any, Final, NoReturn

from oloproof.canonical import decode
from oloproof.recording.failures import rebuild
from oloproof.recording.notes import Note
from oloproof.recording.ordering import LONGEST_WAIT_S, Order
from oloproof.recording.stopping import ReplayStop
from oloproof.records.evidence import Divergence

if TYPE_CHECKING:
    from oloproof.recording.calling import Runs
    from oloproof.recording.events import Event
    from oloproof.recording.matching import Script
    from oloproof.recording.replay import ReplaySession
    from oloproof.recording.striking import Striking

_QUICK_TURNS: Final = 100
_LOOK_EVERY_S: Final = 0.05


class Director:
    """The direction of one replay."""

    def __init__(
        self,
        session: ReplaySession,
        script: Script,
        striking: Striking | None,
        patience_s: float,
    ) -> None:
        self._session = session
        self._order = Order(script)
        self._striking = striking
        self._patience_s = patience_s
        self._running: set[int] = set()

    # --- the recorded order --------------------------------------------------------------

    def before(self, event: Event) -> None:
        """Wait until a call may begin, in a thread."""
        self._wait(event, beginning=True)
        self._arrive(event)

    async def before_async(self, event: Event) -> None:
        """Wait until a call may begin, in a task."""
        await self._wait_async(event, beginning=True)
        self._arrive(event)

    def until_end(self, event: Event) -> None:
        """Wait until a call may come back, in a thread."""
        self._running.discard(event.index)
        self._wait(event, beginning=False)

    async def until_end_async(self, event: Event) -> None:
        """Wait until a call may come back, in a task."""
        self._running.discard(event.index)
        await self._wait_async(event, beginning=False)

    def ended(self, event: Event) -> None:
        """A call came back."""
        self._running.discard(event.index)
        if event.source is not None:
            self._order.finish(event.source)

    def _arrive(self, event: Event) -> None:
        with self._session.condition:
            self._session.arrive(event)
            if event.plan != "serve":
                self._running.add(event.index)

    def _may(self, event: Event, *, beginning: bool) -> bool:
        source, session = event.source, self._session
        if source is None or session.fired or not session.trusted or not session.is_open:
            return True
        if event.late:
            return not beginning
        if beginning:
            return self._order.may_begin(source)
        # What was cancelled while it ran waits to be cancelled again.
        return source.ending != "cancelled" and self._order.may_end(source)

    def _wait(self, event: Event, *, beginning: bool) -> None:
        # A thread that runs an event loop would keep the others from going on: what it calls
        # goes ahead, and those that are behind still keep the order among themselves.
        if self._may(event, beginning=beginning):
            return
        if _get_running_loop() is not None:
            self._serve_late(event)
            return
        with self._session.condition:
            wait = _Wait(self._session, self._patience_s)
            while not self._may(event, beginning=beginning):
                left_s = wait.left_s(busy=self._others_run(event))
                if left_s <= 0:
                    self._lose(event, beginning=beginning)
                    return
                self._session.condition.wait(min(left_s, _LOOK_EVERY_S))

    async def _wait_async(self, event: Event, *, beginning: bool) -> None:
        if self._may(event, beginning=beginning):
            return
        wait = _Wait(self._session, self._patience_s)
        turns = 0
        while not self._may(event, beginning=beginning):
            if wait.left_s(busy=self._others_run(event)) <= 0:
                self._lose(event, beginning=beginning)
                return
            turns += 1
            await asyncio.sleep(0 if turns < _QUICK_TURNS else 0.0005)

    def _lose(self, event: Event, *, beginning: bool) -> None:
        assert event.source is not None
        with self._session.condition:
            if self._serve_late(event):
                return
            self._order.give_up(event.source, beginning=beginning)
            self._session.notes.append(Note("order_not_kept", event.name))

    def _serve_late(self, event: Event) -> bool:
        """Answer a call from the recording that could not wait for the fault."""
        if event.late:
            event.late, event.plan = False, "serve"
            return True
        return False

    def _others_run(self, event: Event) -> bool:
        """Whether a call other than those around this one is at work."""
        around = set()
        above: Event | None = event
        while above is not None:
            around.add(above.index)
            above = None if above.outer is None else above.outer.parent
        return any(index not in around for index in tuple(self._running))

    def wait_for_ever(self) -> NoReturn:
        """Wait in a thread until the session is over."""
        with self._session.condition:
            while self._session.is_open:
                self._session.condition.wait()
        raise ReplayStop("the case ended while a call waited")

    async def wait_for_ever_async(self) -> NoReturn:
        """Wait in a task until it is cancelled or the session is over."""
        while self._session.is_open:
            await asyncio.sleep(_LOOK_EVERY_S)
        raise ReplayStop("the case ended while a call waited")

    # --- the answer ----------------------------------------------------------------------

    def serve(self, event: Event) -> Any:
        """What the recording has for a call: the value, or its exception raised."""
        source = event.source
        assert source is not None
        if source.failure is not None:
            error = rebuild(source.failure)
            if error is None:
                what = f"{source.name}: {source.failure.line}"
                self._session.stop("exception_not_rebuilt", what)
            raise error
        if source.ending == "abandoned":
            where = f"call {event.index + 1}: items of {event.name}"
            read = f"{len(event.chunks)} items were read"
            self._session.accuse(Divergence("stream_overrun", where, read, "one more is asked for"))
        text = source.returned if source.streamed else source.result
        return None if text is None else decode(text.encode())

    def runs(self, event: Event) -> int:
        """How often a struck function runs."""
        assert self._striking is not None
        return self._striking.runs(event)

    def deliver(self, event: Event, runs: Runs) -> Any:
        """What the agent sees of the fault."""
        assert self._striking is not None
        self._session.go_on()
        return self._striking.deliver(event, runs)


class _Wait:
    """How long a call still waits: longer while something happens, never for ever."""

    def __init__(self, session: ReplaySession, patience_s: float) -> None:
        now = time.monotonic()
        self._session = session
        self._patience_s = patience_s
        self._clock = session.clock
        self._last = now + LONGEST_WAIT_S
        self._until = now + patience_s

    def left_s(self, *, busy: bool) -> float:
        """Seconds until the order is given up."""
        now = time.monotonic()
        if self._session.clock != self._clock:
            self._clock = self._session.clock
            self._until = now + self._patience_s
        return (self._last if busy else min(self._until, self._last)) - now
