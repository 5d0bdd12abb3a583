"""How many jobs a worker is handed at once, and what a pool tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from oloproof.pool.framing import Frame

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


Cause: TypeAlias = Literal["timed_out", "exited", "killed"]


class Reply(NamedTuple):
    """A frame that a worker sent while it worked on `tag`."""

    tag: Any
    frame: Frame


class Lost(NamedTuple):
    """A worker ended while it worked on `tag`: it hung, left with a code, or a signal killed it.

    `opened` is False when it ended before it had ever answered: the system could not be
    started. `aside` is what it had said on the way, and of which number.
    """

    tag: Any
    cause: Cause
    code: int
    opened: bool
    aside: tuple[int, bytes] = (0, b"")


class Again(NamedTuple):
    """A worker ended while it did `tag` beside other jobs; what is left of it is to be submitted.

    It is not to blame where it need not be `alone`; where it has to be, nobody knows yet.
    """

    tag: Any
    alone: bool


Message: TypeAlias = "Reply | Lost | Again"
