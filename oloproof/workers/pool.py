"""A pool of worker processes that are given jobs, watched, killed and replaced.

Each worker answers a job with frames; the frame of kind `DONE` ends it. A worker that
stays silent longer than the deadline is killed, and the job at its head is reported as
lost together with the cause; the jobs behind it go to a fresh worker untouched.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from oloproof.workers.framing import READ_SIZE, Frame, FrameReader, pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OPEN: Final = b"O"
JOB: Final = b"J"
DONE: Final = b"D"
MARK: Final = b"M"
"""A sign of life: the clock starts anew, `header` more seconds are allowed."""

OPENING_S: Final = 300.0
"""How long a worker may take until its first frame: importing a user's system can be slow."""

WINDOW: Final = 4
"""Jobs a worker may hold: enough that it never waits for the parent, few enough to lose."""


class Reply(NamedTuple):
    """A frame that a worker sent while it worked on `tag`."""

    tag: Any
    frame: Frame


class Lost(NamedTuple):
    """A worker ended while it worked on `tag`: it hung, left with a code, or a signal killed it."""

    tag: Any
    cause: Literal["timed_out", "exited", "killed"]
    code: int
    opened: bool
    """False when it ended before it had ever answered: the system could not be started."""


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    inlet: int
    outlet: int
    reader: FrameReader = field(default_factory=FrameReader)
    jobs: deque[tuple[Any, bytes]] = field(default_factory=deque)
    unsent: deque[memoryview] = field(default_factory=deque)
    clock: float = 0.0
    allowance: float = 0.0
    opened: bool = False
    hung: bool = False
    writing: bool = False


class Pool:
    """`size` workers started on demand; use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: int,
        opening: Any,
        deadline_s: float,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        self._command = list(command)
        self._size = size
        self._opening = pack(OPEN, opening)
        self._deadline_s = deadline_s
        self._environment = environment
        self._folder = folder
        self._workers: list[_Worker] = []
        self._waiting: deque[tuple[Any, bytes]] = deque()
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in list(self._workers):
            # An ended pipe tells an idle worker to leave; a busy one does not listen.
            self._end(worker, patience_s=0.0 if worker.jobs else 0.5)
        self._selector.close()

    @property
    def pending(self) -> int:
        """Jobs that have been submitted and are not done."""
        return len(self._waiting) + sum(len(worker.jobs) for worker in self._workers)

    @property
    def hungry(self) -> bool:
        """Whether another job would find room in a worker's window."""
        return self.pending < self._size * WINDOW

    def submit(self, tag: Any, header: Any, body: bytes = b"") -> None:
        """Queue a job; its replies carry `tag`."""
        self._waiting.append((tag, pack(JOB, header, body)))
        self._assign()

    def poll(self, timeout_s: float | None = None) -> Iterator[Reply | Lost]:
        """What has come in; waits for something at most `timeout_s` (None: until there is)."""
        self._assign()
        for key, mask in self._selector.select(self._patience(timeout_s)):
            worker: _Worker = key.data
            if mask & selectors.EVENT_WRITE:
                self._send(worker)
            if mask & selectors.EVENT_READ:
                yield from self._receive(worker)
        yield from self._kill_the_hung()

    def _patience(self, timeout_s: float | None) -> float | None:
        now = time.monotonic()
        waits = [self._due(worker) - now for worker in self._workers if worker.jobs]
        if timeout_s is not None:
            waits.append(timeout_s)
        return max(0.0, min(waits)) if waits else 0.0

    def _due(self, worker: _Worker) -> float:
        limit = self._deadline_s if worker.opened else OPENING_S
        return worker.clock + worker.allowance + limit

    def _assign(self) -> None:
        while self._waiting:
            roomy = [worker for worker in self._workers if len(worker.jobs) < WINDOW]
            idle = [worker for worker in roomy if not worker.jobs]
            if not idle and len(self._workers) < self._size:
                idle = [self._start()]
            worker = idle[0] if idle else min(roomy, key=lambda w: len(w.jobs), default=None)
            if worker is None:
                return
            tag, data = self._waiting.popleft()
            if not worker.jobs:
                self._restart_clock(worker, 0.0)
            worker.jobs.append((tag, data))
            worker.unsent.append(memoryview(data))
            self._send(worker)

    def _start(self) -> _Worker:
        job_read, job_write = os.pipe()
        reply_read, reply_write = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                [*self._command, str(job_read), str(reply_write)],
                stdin=subprocess.DEVNULL,
                pass_fds=(job_read, reply_write),
                env=self._environment,
                cwd=self._folder,
                # A group of its own: what the user's system started dies with the worker.
                start_new_session=True,
            )
        finally:
            os.close(job_read)
            os.close(reply_write)
        os.set_blocking(job_write, False)
        os.set_blocking(reply_read, False)
        worker = _Worker(process, job_write, reply_read)
        worker.unsent.append(memoryview(self._opening))
        self._workers.append(worker)
        self._selector.register(reply_read, selectors.EVENT_READ, worker)
        return worker

    def _send(self, worker: _Worker) -> None:
        try:
            while worker.unsent:
                head = worker.unsent[0]
                written = os.write(worker.inlet, head)
                if written < len(head):
                    worker.unsent[0] = head[written:]
                else:
                    worker.unsent.popleft()
        except BlockingIOError:
            pass
        except BrokenPipeError:
            worker.unsent.clear()  # its end is noticed where its replies are read
        wanted = bool(worker.unsent)
        if wanted != worker.writing:
            if wanted:
                self._selector.register(worker.inlet, selectors.EVENT_WRITE, worker)
            else:
                self._selector.unregister(worker.inlet)
            worker.writing = wanted

    def _receive(self, worker: _Worker) -> Iterator[Reply | Lost]:
        try:
            data = os.read(worker.outlet, READ_SIZE)
        except BlockingIOError:
            return
        if not data:
            yield from self._bury(worker)
            return
        worker.opened = True
        self._restart_clock(worker, 0.0)
        for frame in worker.reader.feed(data):
            if frame.kind == MARK:
                self._restart_clock(worker, float(frame.header))
                continue
            tag = worker.jobs[0][0] if worker.jobs else None
            if frame.kind == DONE:
                worker.jobs.popleft()
            yield Reply(tag, frame)
        self._assign()

    def _restart_clock(self, worker: _Worker, allowance: float) -> None:
        worker.clock = time.monotonic()
        worker.allowance = allowance

    def _kill_the_hung(self) -> Iterator[Lost]:
        now = time.monotonic()
        for worker in [w for w in self._workers if w.jobs and self._due(w) <= now]:
            worker.hung = True
            yield from self._bury(worker)

    def _bury(self, worker: _Worker) -> Iterator[Lost]:
        """Take an ended worker out, hand its untouched jobs on, and report the one it held."""
        jobs = worker.jobs
        # A pipe closes a moment before its process is gone: its own exit code is worth a wait.
        self._end(worker, patience_s=0.0 if worker.hung else 5.0)
        code = worker.process.returncode
        if jobs:
            tag, _ = jobs.popleft()
            self._waiting.extendleft(reversed(jobs))
            cause: Literal["timed_out", "exited", "killed"] = "killed" if code < 0 else "exited"
            yield Lost(tag, "timed_out" if worker.hung else cause, abs(code), worker.opened)

    def _end(self, worker: _Worker, patience_s: float) -> None:
        self._workers.remove(worker)
        self._selector.unregister(worker.outlet)
        if worker.writing:
            self._selector.unregister(worker.inlet)
        os.close(worker.inlet)
        os.close(worker.outlet)
        try:
            worker.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
