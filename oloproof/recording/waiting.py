"""How calls of a replay wait for their turn, and how long."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from oloproof.recording.idleness import LOOK_EVERY_S, is_idle

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable
    from threading import Condition

    from oloproof.recording.session import Session

PATIENCE_S: Final = 1.0
"""How long a call waits for others while nothing could go on without it."""

LONGEST_WAIT_S: Final = 10.0
"""How long it waits while something might, though no declared call is at work."""


class Patience:
    """How long one call still waits: from the last thing that happened in its session.

    Between two looks no more than the time of one counts: on a loaded machine, or beside code
    that holds its loop up, others get as many chances as on an idle one.
    """

    def __init__(self, session: Session, patience_s: float) -> None:
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
