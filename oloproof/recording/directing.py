"""Leads each call of a replay: when it begins and ends, and where its answer comes from."""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from oloproof.canonical import decode
from oloproof.recording.comparing import shown_call, shown_outcome
from oloproof.recording.dumping import rebuild
from oloproof.recording.endings import ReplayStop
from oloproof.recording.matching import Order
from oloproof.recording.waiting import LOOK_EVERY_S, Patience, Sleepers
from oloproof.records.evidence import Divergence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.recording.events import Event
    from oloproof.recording.matching import Script
    from oloproof.recording.positions import ReplayedCase, Runs
    from oloproof.recording.striking import Striking


class Director:
    """The direction of one replay."""

    def __init__(
        self,
        session: ReplayedCase,
        script: Script,
        striking: Striking | None,
        patience_s: float,
    ) -> None:
        self._session = session
        self._script = script
        self._order = Order(script)
        self._sleepers = Sleepers(session.condition)
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
            self._sleepers.wake()

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
        if self._may(event, beginning=beginning):
            return
        if event.late and _get_running_loop() is not None:
            with self._session.condition:
                self._serve([event])  # the struck call may need the loop that this one holds
            return
        condition = self._session.condition
        with condition:
            patience = Patience(self._session, self._patience_s)
            while not self._may(event, beginning=beginning):
                if patience.is_over(None, busy=self._others_run(event)):
                    self._lose(event, patience, beginning=beginning)
                condition.wait(LOOK_EVERY_S)

    async def _wait_async(self, event: Event, *, beginning: bool) -> None:
        if self._may(event, beginning=beginning):
            return
        loop = asyncio.get_running_loop()
        patience = Patience(self._session, self._patience_s)
        may_go = partial(self._may, event, beginning=beginning)
        while not may_go():
            if patience.is_over(loop, busy=self._others_run(event)):
                with self._session.condition:
                    self._lose(event, patience, beginning=beginning)
            await self._sleepers.sleep(may_go)

    def _lose(self, event: Event, patience: Patience, *, beginning: bool) -> None:
        """Under the lock: what a call waits for does not come."""
        late = [other for other in self._session.events if other.late]
        if late:
            self._serve(late)
            patience.renew()
            return
        source, where = event.source, f"call {event.index + 1}"
        assert source is not None
        if not beginning and source.ending == "cancelled":
            was, now = shown_outcome(source), shown_outcome(event)
            self._session.diverge(Divergence("changed_result", where, was, now))
        awaited = self._script.events[self._order.first_awaited()]
        expected, actual = shown_call(awaited), shown_call(event)
        self._session.diverge(Divergence("reordered", where, expected, actual))

    def _serve(self, late: Iterable[Event]) -> None:
        """Under the lock: answer calls from the recording that cannot wait for the fault."""
        for event in late:
            event.late, event.plan = False, "serve"
        self.changed()

    def changed(self) -> None:
        """Under the lock: those that wait may look again."""
        self._session.condition.notify_all()
        self._sleepers.wake()

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
            await asyncio.sleep(LOOK_EVERY_S)
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
            self._session.diverge(
                Divergence("stream_overrun", where, read, "one more is asked for")
            )
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
