"""The order in which recorded calls came back, kept again in a replay.

Calls of parallel tasks and threads overlap as chance has it. So that a replay reads the same
results in the same order, a call waits before it begins until everything has ended that had
ended then, and before it ends likewise. A wait is bounded: what was awaited then and does not
come now is a program that went another way.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oloproof.recording.events import Event
    from oloproof.recording.matching import Script


class Order:
    """Which calls have ended, against the order in which they did when they were recorded."""

    def __init__(self, script: Script) -> None:
        # Streams that were left, and calls ended from outside, end when their reader is cleared
        # away: nothing waits for them.
        ended = [
            (event.ended, event.index)
            for event in script.visible()
            if event.ended is not None and event.ending in ("returned", "raised")
        ]
        ended.sort()
        self._order = [index for _, index in ended]
        self._rank = {index: rank for rank, index in enumerate(self._order)}
        self._moments = [moment for moment, _ in ended]
        self._done: set[int] = set()
        self._upto = 0

    def finish(self, source: Event) -> None:
        """A recorded call ended again."""
        self._done.add(source.index)
        while self._upto < len(self._order) and self._order[self._upto] in self._done:
            self._upto += 1

    def may_begin(self, source: Event) -> bool:
        """Whether everything ended that had ended before this call began."""
        return self._upto >= bisect_left(self._moments, source.started)

    def may_end(self, source: Event) -> bool:
        """Whether everything ended that had ended before this call did."""
        return self._upto >= self._rank.get(source.index, 0)

    def first_awaited(self) -> int:
        """The first event, in the recorded order of ends, that has not ended again."""
        return self._order[self._upto]
