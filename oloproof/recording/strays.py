"""Threads that are still at work when their case ends: no later case may take them for its own."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

if TYPE_CHECKING:
    from types import FrameType

OURS: Final = "oloproof-"
"""What the names of the threads of a worker itself begin with."""
_STRAYS: Final[WeakSet[threading.Thread]] = WeakSet()
_PASSED_OVER: Final = ("threading", "concurrent.futures._base", "asyncio")
_WAITS_FOR_WORK: Final = ("concurrent.futures.thread", "multiprocessing.pool", "queue", "selectors")
_ALONE: Final[set[tuple[int, int]]] = set()
"""How many threads there were, seen from which, when none of them was a user's."""
_PATIENCE: Final = (0.001,) * 5
"""Seconds, a wait each: a worker that has handed over its result is idle a moment later."""


def is_stray() -> bool:
    """Whether the calling thread was at work when a case ended that it may have belonged to."""
    return bool(_STRAYS) and threading.current_thread() in _STRAYS


def note_strays(*, patient: bool) -> None:
    """Remember which threads are at work now, and forget those that have come to wait for work.

    A thread of a pool waits for work between two cases and stays welcome in the next one.
    Beside other open cases nobody can tell whose threads they are, and waiting for them
    (`patient`) would be in vain.
    """
    here = (threading.active_count(), threading.get_ident())
    if here in _ALONE and not _STRAYS:
        return
    threads = _foreign()
    if not threads:
        _ALONE.add(here)
    busy = _busy(threads)
    for pause in _PATIENCE if patient else ():
        if busy <= set(_STRAYS):
            break
        time.sleep(pause)
        busy = _busy(threads)
    _STRAYS.clear()
    _STRAYS.update(busy)


def _foreign() -> list[threading.Thread]:
    """The threads that user code may have started."""
    known = (threading.current_thread(), threading.main_thread())
    return [
        thread
        for thread in threading.enumerate()
        if thread not in known and not thread.name.startswith(OURS)
    ]


def _busy(threads: list[threading.Thread]) -> set[threading.Thread]:
    if not threads:
        return set()
    frames = sys._current_frames()  # the documented way to see what threads do
    return {
        thread
        for thread in threads
        if thread.is_alive() and not _waits_for_work(frames.get(thread.ident or 0))
    }


def _waits_for_work(frame: FrameType | None) -> bool:
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.split(".", 1)[0] not in _PASSED_OVER and module not in _PASSED_OVER:
            return module in _WAITS_FOR_WORK
        frame = frame.f_back
    return False
