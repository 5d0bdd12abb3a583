"""What a pool tells of its jobs: what workers sent, and how they ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from oloproof.workers.framing import Frame

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
