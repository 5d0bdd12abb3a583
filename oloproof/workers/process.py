"""One worker process as its parent holds it: the pipes to it, its asides, and how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final

from oloproof.workers.aside import open_aside, read_aside
from oloproof.workers.framing import READ_SIZE, Frame, FrameReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_BUFFERS: Final = 256
"""Written at once, fewer than any system's limit (IOV_MAX)."""


class WorkerProcess:
    """A process on two pipes that never block this one."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        slots: int = 1,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        job_read, self.inlet = os.pipe()
        self.outlet, reply_write = os.pipe()
        self._reader = FrameReader()
        self._unsent: deque[memoryview] = deque()
        self._asides = [open_aside() for _ in range(slots)]
        numbers = (job_read, reply_write, os.getpid(), *self._asides)
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                [*command, *map(str, numbers)],
                stdin=subprocess.DEVNULL,
                pass_fds=(job_read, reply_write, *self._asides),
                env=environment,
                cwd=folder,
                # A group of its own: what the user's system started dies with the worker.
                start_new_session=True,
            )
        except BaseException:
            self.close()
            raise
        finally:
            os.close(job_read)
            os.close(reply_write)
        os.set_blocking(self.inlet, False)
        os.set_blocking(self.outlet, False)

    @property
    def coming(self) -> int | None:
        """The slot of the frame of which only a part has come in; None between frames."""
        return self._reader.coming

    @property
    def garbled(self) -> bool:
        """Whether it sent what can be no frame."""
        return self._reader.garbled

    def queue(self, data: bytes) -> None:
        """Have `data` written as soon as the pipe takes it."""
        self._unsent.append(memoryview(data))

    def write(self) -> bool:
        """Write what the pipe takes now; whether that was everything."""
        unsent = self._unsent
        try:
            while unsent:
                written = os.writev(self.inlet, list(islice(unsent, _BUFFERS)))
                while unsent and written >= len(unsent[0]):
                    written -= len(unsent.popleft())
                if written:
                    unsent[0] = unsent[0][written:]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            unsent.clear()  # its end is noticed where its replies are read
        return True

    def read(self) -> list[Frame] | None:
        """The frames that came in, none where nothing did; None once it has closed its end."""
        try:
            data = os.read(self.outlet, READ_SIZE)
        except BlockingIOError:
            return []
        return self._reader.feed(data) if data else None

    def code(self) -> int | None:
        """How it exited: its code, or the number of a signal as a negative; None while it runs."""
        return self._process.poll()

    def aside(self, slot: int) -> tuple[int, bytes]:
        """What a slot said last on the way: of which number, and what."""
        return read_aside(self._asides[slot])

    def hang_up(self) -> None:
        """Close the pipe of jobs: a worker that listens leaves then, and may say more meanwhile."""
        if self.inlet >= 0:
            os.close(self.inlet)
            self.inlet = -1

    def close(self) -> None:
        """Close the pipes and let go of the asides."""
        self.hang_up()
        for descriptor in (self.outlet, *self._asides):
            os.close(descriptor)

    def end(self, patience_s: float) -> None:
        """Wait `patience_s` for it to leave, then kill it with everything in its group."""
        if patience_s > 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
