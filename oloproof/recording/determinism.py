"""Time, identifiers and randomness that are the same when a case is run or replayed again.

Inside a case they derive from the case and its replicate, from the task, thread or tool call
they are asked for in, and from the line that asks: what is drawn at one place shifts nothing
at another. A changed copy of a case draws as its source. Outside of every case they are the
real ones.
"""

from __future__ import annotations

import random
import sys
import uuid
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from oloproof.recording.lanes import find

if TYPE_CHECKING:
    from oloproof.recording.positions import Position


def now() -> datetime:
    """The time as the case has it, with its zone (UTC).

    It goes on by a millisecond with every look at it from the same line, by more where a
    fault of the tools takes time, and never goes back within a task or thread.
    """
    site = _site()
    at = _find("now", site)
    if at is None or at.session is None:
        return datetime.now(UTC)
    session = at.session
    with session.condition:
        passed = session.instant_of(at.scope.count(f"now\0{site}"))
        latest = at.scope.latest
        at.scope.latest = passed if latest is None else max(latest, passed)
        return session.origin.began + at.scope.latest


def uuid4() -> uuid.UUID:
    """An identifier, random as those of `uuid.uuid4()` are outside of a case."""
    seed = _draw("uuid4", _site())
    return uuid.uuid4() if seed is None else uuid.UUID(bytes=seed[:16], version=4)


def rng() -> random.Random:
    """A generator of random numbers, with a seed of its own at every call."""
    seed = _draw("rng", _site())
    return random.Random(seed)  # noqa: S311  # an agent's randomness, no secret


def _draw(what: str, site: str) -> bytes | None:
    at = _find(what, site)
    if at is None or at.session is None:
        return None
    with at.session.condition:
        drawn = at.scope.next(f"{what}\0{site}")
    return sha256(drawn.encode()).digest()


def _find(what: str, site: str) -> Position | None:
    return find(f"draw\0{what}\0{site}")


def _site() -> str:
    """The line that asks, in words that another machine would use too."""
    frame = sys._getframe(2)
    name = frame.f_globals.get("__name__", "")
    return f"{name}:{frame.f_code.co_qualname}:{frame.f_lineno}"
