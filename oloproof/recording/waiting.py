"""How calls of a replay wait for their turn, how long, and whether anything else is at work.

Nobody but the threads and loops themselves knows whether they can go on, so it is read off
them. Where that cannot be told, as with a loop of another make, or a connection that may yet
have something to say, they are taken to be at work.
"""

from __future__ import annotations

import asyncio
import math
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable
    from threading import Condition
    from types import FrameType

    from oloproof.recording.positions import OpenCase

LOOK_EVERY_S: Final = 0.05
"""Seconds between two looks; what waits for less than that is polling, and no work."""

_WAITS: Final = frozenset({"threading", "queue", "concurrent", "multiprocessing"})
"""Packages in which a thread waits for others, for as long as their variable `timeout` says."""

_OURS: Final = "oloproof"
_WAKES_ITSELF: Final = 1
"""How many descriptors a loop listens on for nobody but itself."""


def is_idle(loop: asyncio.AbstractEventLoop | None, *, within_s: float) -> bool:
    """Whether nothing goes on within so many seconds unless one of the waiting calls does.

    `loop` is the one that runs in the calling thread and is free to go on, if there is one.
    """
    if loop is not None and not _has_nothing_to_do(loop, within_s):
        return False
    here = threading.get_ident()
    return all(
        _is_blocked(frame, within_s)
        for thread, frame in sys._current_frames().items()
        if thread != here
    )


def is_settled(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether no callback is ready to run, so that everything waits for time, data or threads."""
    ready = getattr(loop, "_ready", None)
    return ready is not None and not ready


def _is_blocked(frame: FrameType, within_s: float) -> bool:
    name = _module(frame)
    if name == "selectors":
        above = frame.f_back
        loop = None if above is None else above.f_locals.get("self")
        return isinstance(loop, asyncio.AbstractEventLoop) and _has_nothing_to_do(loop, within_s)
    at: FrameType | None = frame
    timed = False
    while at is not None and _module(at).partition(".")[0] in _WAITS:
        timeout = at.f_locals.get("timeout")
        timed |= isinstance(timeout, int | float) and LOOK_EVERY_S < timeout <= within_s
        at = at.f_back
    if at is not None and _module(at).partition(".")[0] == _OURS:
        return True
    # A thread whose innermost code is `run` is in a function written in C, such as `time.sleep`.
    return at is not frame and not timed and frame.f_code.co_name != "run"


def _has_nothing_to_do(loop: Any, within_s: float) -> bool:
    try:
        if len(loop._selector.get_map()) > _WAKES_ITSELF:
            return False
        now = loop.time()
        return not any(
            LOOK_EVERY_S < timer.when() - now <= within_s
            and not timer.cancelled()
            and not _is_ours(timer._callback)
            for timer in list(loop._scheduled)
        )
    except AttributeError:
        return False  # not one of asyncio's own


def _is_ours(callback: object) -> bool:
    return str(getattr(callback, "__module__", "")).partition(".")[0] == _OURS


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


PATIENCE_S: Final = 1.0
"""How long a call waits for others while nothing could go on without it."""

LONGEST_WAIT_S: Final = 10.0
"""How long it waits while something might, though no declared call is at work."""


class Patience:
    """How long one call still waits: from the last thing that happened in its session.

    Between two looks no more than the time of one counts: on a loaded machine, or beside code
    that holds its loop up, others get as many chances as on an idle one.
    """

    def __init__(self, session: OpenCase, patience_s: float) -> None:
        self._session = session
        self._patience_s = patience_s
        self._looked = time.monotonic()
        self._clock = session.clock
        self._waited_s = 0.0
        self._idle_s = 0.0

    def is_over(self, loop: AbstractEventLoop | None, *, busy: bool) -> bool:
        """Whether to give up, now; `busy` says that a declared call is at work."""
        now = time.monotonic()
        passed_s = min(now - self._looked, LOOK_EVERY_S)
        self._looked = now
        if self._session.clock != self._clock:
            self.renew()
            return False
        self._waited_s += passed_s
        longest_s = math.inf if busy else LONGEST_WAIT_S
        idle = is_idle(loop, within_s=longest_s)
        self._idle_s = self._idle_s + passed_s if idle else 0.0
        return self._idle_s >= self._patience_s or self._waited_s >= longest_s

    def renew(self) -> None:
        """Wait as long again: something happened."""
        self._clock = self._session.clock
        self._waited_s = self._idle_s = 0.0


class Sleepers:
    """Tasks that wait for their turn; each is woken once its turn may have come."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._all: list[tuple[Future[None], Callable[[], bool]]] = []

    async def sleep(self, may_go: Callable[[], bool]) -> None:
        """Until `may_go` is found true, or it is time to look around."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        entry = (future, may_go)
        with self._condition:
            if may_go():
                return
            self._all.append(entry)
        timer = loop.call_later(LOOK_EVERY_S, _wake, future)
        try:
            await future
        finally:
            timer.cancel()
            with self._condition:
                self._all.remove(entry)

    def wake(self) -> None:
        """Under the condition: wake those that may go on."""
        for future, may_go in self._all:
            if may_go():
                with suppress(RuntimeError):  # its loop was closed meanwhile
                    future.get_loop().call_soon_threadsafe(_wake, future)


def _wake(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)


_MOST_PASSES: Final = 100
"""After how many passes a loop counts as settled although something is ready: it polls."""


class Turns:
    """The ends of the calls on one loop; used in its thread alone."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Future[None]] = deque()
        self._last_owner: int | None = None
        self._settling = False
        self._passes = 0

    async def take(self, owner: int) -> None:
        """Wait until what the end before led to has settled.

        What ends in the same task comes after it anyway.
        """
        if not self._settling or owner == self._last_owner:
            return
        turn = self._loop.create_future()
        self._waiting.append(turn)
        await turn

    def ended(self, owner: int) -> None:
        """A call ended."""
        self._last_owner, self._passes = owner, 0
        if not self._settling:
            self._settling = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        if not is_settled(self._loop) and self._passes < _MOST_PASSES:
            self._passes += 1
            self._loop.call_soon(self._look)
            return
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._passes = 0
                self._loop.call_soon(self._look)
                return
        self._settling = False
