"""A worker process on its descriptors, from its first frame to its end."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Final, NoReturn

from oloproof.errors import OloproofError
from oloproof.pool.framing import BROKEN_EXIT, OPEN, READ_SIZE, Frame, FrameReader
from oloproof.recording.leftover_threads import wait_for_leftover_threads
from oloproof.worker import forks
from oloproof.worker.outlet import REFUSED, Outlet, end_with_parent
from oloproof.worker.slots import Slots, refusal, tell_crash

if TYPE_CHECKING:
    from collections.abc import Iterator

LINGER_S: Final = 2.0
"""How long a worker that may leave is held by threads that a case left at work."""


def main(jobs: int, replies: int, parent: int, *asides: int) -> None:
    """Serve jobs, at most as many at once as there are `asides`, until the pipe is closed."""
    for pipe in (jobs, replies):
        os.set_inheritable(pipe, False)
    # What a user's system prints must not mix with the run's own standard output.
    os.dup2(2, 1)
    outlet = Outlet(jobs, replies)
    end_with_parent(parent, _end_group)
    slots: Slots | None = None
    try:
        for frame in _frames(jobs):
            if frame.kind != OPEN:
                assert slots is not None
                _do(frame, slots, outlet)
                continue
            gc.enable()
            try:
                slots = Slots(frame.header, outlet, asides)
            except OloproofError as error:
                outlet.send(REFUSED, refusal(error, frame.header))
                return
            # What importing made stays: collecting garbage need not look through it again.
            gc.freeze()
        # What goes on in a thread, as in a process that is left, may still be told of.
        wait_for_leftover_threads(LINGER_S)
        if slots is not None:
            slots.close()
    except BaseException as error:
        tell_crash(error, outlet)
        raise


def _do(frame: Frame, slots: Slots, outlet: Outlet) -> None:
    """Do a job; one that has to be in a process of its own, in a fork where that is safe."""
    if not frame.header.get("fresh") or not forks.are_safe():
        slots.job(frame)
        return

    def in_fork() -> None:
        try:
            slots.job(frame)
            wait_for_leftover_threads(LINGER_S)
        except BaseException as error:
            tell_crash(error, outlet)
            traceback.print_exc()
            os._exit(1)
        _flush()

    forks.do(in_fork, outlet)


def _frames(descriptor: int) -> Iterator[Frame]:
    reader = FrameReader()
    while data := _read(descriptor):
        yield from reader.feed(data)
        if reader.garbled:
            os._exit(BROKEN_EXIT)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, READ_SIZE)
    except OSError:
        os._exit(BROKEN_EXIT)


def _end_group() -> None:
    """End this process and what the user's system started in its group."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the system may have put anything in their place
            stream.flush()


def serve_and_exit(*descriptors: int) -> NoReturn:
    """Serve jobs, then end the process; `main` says what the numbers are."""
    code = 0
    try:
        main(*descriptors)
    except BaseException:
        code = 1
        traceback.print_exc()
    _flush()
    os._exit(code)  # threads and tasks a user's system left behind must not hold the process
