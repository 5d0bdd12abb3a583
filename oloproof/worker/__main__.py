"""`python -m oloproof.worker JOBS REPLIES`: the two descriptors of a worker process."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from oloproof.errors import OloproofError
from oloproof.worker.dispatch import Dispatch
from oloproof.worker.messages import REFUSED
from oloproof.workers.framing import READ_SIZE, Frame, FrameReader, pack, write_all
from oloproof.workers.pool import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Serve jobs until the parent closes the pipe."""
    jobs, replies = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(jobs, False)
    os.set_inheritable(replies, False)
    # What a user's system prints must not mix with the run's own standard output.
    os.dup2(2, 1)

    def send(kind: bytes, header: Any, body: bytes) -> None:
        write_all(replies, pack(kind, header, body))

    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    dispatch: Dispatch | None = None
    for frame in _frames(jobs):
        if frame.kind == OPEN:
            try:
                dispatch = Dispatch(frame.header, send)
            except OloproofError as error:
                send(REFUSED, {"what": error.what, "where": error.where, "mend": error.mend}, b"")
                return
        elif dispatch is not None:
            dispatch.job(frame)


def _frames(descriptor: int) -> Iterator[Frame]:
    reader = FrameReader()
    while data := os.read(descriptor, READ_SIZE):
        yield from reader.feed(data)


def _leave_with(parent: int) -> None:
    """End this process, whatever it is busy with, once its parent was killed."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the parent is gone; nobody is left to tell
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads and tasks a user's system left behind must not hold the process
