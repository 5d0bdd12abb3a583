"""A worker as the pool holds it: a process on two pipes, and a lane for each of its jobs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.pool.framing import READ_SIZE, Frame, FrameReader, at_slot
from oloproof.pool.shared import open_aside, read_aside

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


class Job(NamedTuple):
    """What was submitted, packed; beside one that has to be `alone` a worker does nothing else."""

    tag: Any
    data: bytes
    alone: bool


class Lane:
    """The jobs that one slot of a worker holds, in order, with the clock of the first."""

    def __init__(self, worker: Worker, slot: int) -> None:
        self.worker = worker
        self.slot = slot
        self.jobs: deque[Job] = deque()
        self.allowance_s = 0.0
        self.clock = self.began = time.monotonic()

    def restart_clock(self, allowance_s: float = 0.0) -> None:
        """Count the silence from now on; `allowance_s` more seconds of it are allowed."""
        self.clock = time.monotonic()
        self.allowance_s = allowance_s

    def take(self, job: Job) -> None:
        """Hold one more job, and have it sent."""
        if not self.jobs:
            self.restart_clock()
            self.began = self.clock
        self.jobs.append(job)
        self.worker.held_bytes += len(job.data)
        self.worker.process.queue(at_slot(job.data, self.slot))

    def finish(self) -> float:
        """Strike the first job off; the seconds it took."""
        self.worker.held_bytes -= len(self.jobs.popleft().data)
        began, self.began = self.began, time.monotonic()
        return self.began - began


class Worker:
    """A process with its lanes: one, until it says that it does several jobs at once.

    `opened` says that it has answered, `disconnected` that it has closed its pipe, `most` how many
    lanes it may have, `kept_free` that it gets no job until a job that has to be alone.
    """

    def __init__(self, process: WorkerProcess, *, most: int) -> None:
        self.process = process
        self.most = most
        self.kept_free = False
        self.lanes = [Lane(self, 0)]
        self.held_bytes = 0
        self.opened = False
        self.disconnected = False

    def widen(self, slots: int) -> None:
        """Have as many lanes as the worker says, at most those that it may have."""
        for slot in range(len(self.lanes), min(slots, self.most)):
            self.lanes.append(Lane(self, slot))

    @property
    def taking(self) -> bool:
        """Whether it may be given a job beside those that it holds."""
        lone = self.lanes[0].jobs and self.lanes[0].jobs[0].alone
        return not (self.disconnected or self.kept_free or lone)

    @property
    def busy(self) -> list[Lane]:
        """The lanes that hold a job."""
        return [lane for lane in self.lanes if lane.jobs]
