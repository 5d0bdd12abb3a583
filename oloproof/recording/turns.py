"""Lets the calls of an event loop come back one at a time.

Several calls may end in one pass of a loop, as chance has it. What an agent sees of them then
depends on that: `asyncio.wait` gives one of them, or all. So after each end the loop goes on
until nothing is ready to run, when the agent has taken notice, before the next call ends: when
a case is recorded, and again in a replay.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from oloproof.recording.idleness import is_settled

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

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
