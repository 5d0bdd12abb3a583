"""Whether anything of a user's code can still go on by itself, while calls wait for each other.

Nobody but the threads and loops themselves knows, so it is read off them. Where that cannot be
told, as with a loop of another make, or a connection that may yet have something to say, they
are taken to be at work.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import FrameType

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
