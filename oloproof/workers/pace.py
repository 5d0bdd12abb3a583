"""How many jobs a worker is handed at once: many small ones, one of those that take long."""

from __future__ import annotations

from typing import Final

LOOK_AHEAD_S: Final = 0.02
"""How much work a worker may hold at its usual pace: many small jobs, handed over at once."""

LEAST_JOBS: Final = 2
MOST_JOBS: Final = 64
SLOW_S: Final = 0.5
"""Of jobs that take longer a worker holds one, so that all workers end together."""


class Pace:
    """The usual time of a job, by those that were done last."""

    def __init__(self) -> None:
        self._seconds = LOOK_AHEAD_S / LEAST_JOBS

    def take(self, seconds: float) -> None:
        """A job was done in so many seconds."""
        self._seconds += (seconds - self._seconds) / 16

    @property
    def window(self) -> int:
        """How many jobs a lane may hold."""
        if self._seconds > SLOW_S:
            return 1
        return max(LEAST_JOBS, min(MOST_JOBS, int(LOOK_AHEAD_S / max(self._seconds, 1e-6))))
