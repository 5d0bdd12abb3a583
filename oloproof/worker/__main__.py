"""`python -m oloproof.worker JOBS REPLIES PARENT`: a worker process on two descriptors."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING

from oloproof.errors import OloproofError
from oloproof.worker.dispatch import Dispatch, refusal
from oloproof.worker.messages import CRASHED, REFUSED
from oloproof.worker.outlet import Outlet, end_with_parent
from oloproof.workers.framing import READ_SIZE, Frame, FrameReader
from oloproof.workers.pool import BROKEN_EXIT, OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator


def main(jobs: int, replies: int, parent: int) -> None:
    """Serve jobs until the parent closes the pipe."""
    for pipe in (jobs, replies):
        os.set_inheritable(pipe, False)
    # What a user's system prints must not mix with the run's own standard output.
    os.dup2(2, 1)
    outlet = Outlet(jobs, replies)
    end_with_parent(parent, _end_group)
    dispatch: Dispatch | None = None
    try:
        for frame in _frames(jobs):
            if frame.kind != OPEN:
                assert dispatch is not None
                dispatch.job(frame)
                continue
            try:
                dispatch = Dispatch(frame.header, outlet)
            except OloproofError as error:
                outlet.send(REFUSED, refusal(error, frame.header))
                return
            # What importing made stays: collecting garbage need not look through it again.
            gc.freeze()
    except BaseException as error:
        if outlet.forked:
            os._exit(0)  # a fork of the user's came out of its call; it has no part in the run
        if isinstance(error, Exception) and not isinstance(error, MemoryError):
            # Nothing that a user's system does leaves `execution`: this is an error of ours.
            outlet.send(CRASHED, {"traceback": traceback.format_exc()})
        raise


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


if __name__ == "__main__":
    code = 0
    try:
        main(*map(int, sys.argv[1:4]))
    except BaseException:
        code = 1
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the system may have put anything in their place
            stream.flush()
    os._exit(code)  # threads and tasks a user's system left behind must not hold the process
