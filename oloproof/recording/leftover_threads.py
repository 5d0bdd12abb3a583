"""Threads that are still at work when their case ends: no later case may take them for its own."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from types import FrameType

    from oloproof.recording.positions import OpenCase

OURS: Final = "oloproof-"
"""What the names of the threads of a worker itself begin with."""
_LEFTOVERS: Final[WeakKeyDictionary[threading.Thread, OpenCase | None]] = WeakKeyDictionary()
"""Threads that are at work beyond the end of a case, with that case where it is certain."""
_PASSED_OVER: Final = ("threading", "concurrent.futures._base", "asyncio")
_WAITS_FOR_WORK: Final = (
    *("concurrent.futures.thread", "multiprocessing.pool", "queue", "selectors"),
    "asyncio.unix_events",  # it waits for a process of the system's to end
)
_ALONE: Final[set[tuple[int, int]]] = set()
"""How many threads there were, seen from which, when none of them was a user's."""
_LOOK_EVERY_S: Final = 0.01
_PATIENCE: Final = (0.001,) * 5
"""Seconds, a wait each: a worker that has handed over its result is idle a moment later."""


def is_leftover_thread() -> bool:
    """Whether the calling thread was at work when a case ended that it may have belonged to."""
    return bool(_LEFTOVERS) and threading.current_thread() in _LEFTOVERS


def case_of_leftover_thread() -> OpenCase | None:
    """The case that the calling thread was certainly started in, where that has ended."""
    return _LEFTOVERS.get(threading.current_thread()) if _LEFTOVERS else None


def threads_now() -> frozenset[threading.Thread]:
    """The threads of user code, to be told apart from those that a case starts."""
    here = (threading.active_count(), threading.get_ident())
    return frozenset() if here in _ALONE else frozenset(_foreign())


def note_leftover_threads(
    session: OpenCase, before: frozenset[threading.Thread], *, alone: bool
) -> None:
    """Remember which threads are at work now, and forget those that have come to wait for work.

    A thread of a pool waits for work between two cases and stays welcome in the next one. Those
    that were not there `before` were started in the `session`, where it was `alone`; else
    nobody can tell, and waiting for them would be in vain.
    """
    here = (threading.active_count(), threading.get_ident())
    if here in _ALONE and not _LEFTOVERS:
        return
    threads = _foreign()
    if not threads:
        _ALONE.add(here)
    busy = _busy(threads)
    for pause in _PATIENCE if alone else ():
        if busy <= set(_LEFTOVERS):
            break
        time.sleep(pause)
        busy = _busy(threads)
    for thread in set(_LEFTOVERS) - busy:
        del _LEFTOVERS[thread]
    for thread in busy - set(_LEFTOVERS):
        _LEFTOVERS[thread] = session if alone and thread not in before else None


def wait_for_leftover_threads(patience_s: float) -> None:
    """Wait until what the cases left at work has ended, or was heard of; not for ever."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        at_work = _busy([t for t, case in list(_LEFTOVERS.items()) if case and not case.late.names])
        if not at_work:
            return
        time.sleep(_LOOK_EVERY_S)


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
        if module in _WAITS_FOR_WORK:
            return True
        if module.split(".", 1)[0] not in _PASSED_OVER and module not in _PASSED_OVER:
            return False
        frame = frame.f_back
    return False
