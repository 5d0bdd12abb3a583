"""A pool of worker processes that are given jobs, watched, killed and replaced.

Each worker answers a job with frames; the frame of kind `DONE` ends it. A worker that
stays silent longer than the deadline is killed, and the job at its head is reported as
lost together with the cause; the jobs behind it go to a fresh worker untouched.
"""

from __future__ import annotations

import selectors
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from oloproof.workers.framing import pack
from oloproof.workers.process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.workers.framing import Frame

OPEN: Final = b"O"
JOB: Final = b"J"
DONE: Final = b"D"
MARK: Final = b"M"
"""A sign of life: the clock starts anew, `header` more seconds are allowed."""
ASIDE: Final = b"E"
"""Something said on the way, which is no sign of life: a worker that says it for ever hangs."""

BROKEN_EXIT: Final = 71
"""How a worker exits whose pipes were closed or replaced, and what one is taken for that sent
something else than frames: its job broke it."""

OPENING_S: Final = 300.0
"""How long a worker may take until its first frame: importing a user's system can be slow."""

LOOK_AHEAD_S: Final = 0.02
"""How much work a worker may hold at its usual pace: many small jobs, handed over at once."""

LEAST_JOBS: Final = 2
MOST_JOBS: Final = 64
SLOW_S: Final = 0.5
"""Of jobs that take longer a worker holds one, so that all workers end together."""

MOST_BYTES: Final = 1 << 23
"""Of jobs that a worker holds; one more is always allowed."""

LEAVE_S: Final = 0.5
"""How long idle workers may take to leave when the pool is closed."""

_LOOK_AGAIN_S: Final = 0.01


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


class _Job(NamedTuple):
    tag: Any
    data: bytes


class _Worker:
    """A process with the jobs it holds and the clock that runs for the first of them."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process
        self.jobs: deque[_Job] = deque()
        self.held_bytes = 0
        self.opened = False
        self.deaf = False
        self.allowance_s = 0.0
        self.clock = self.began = time.monotonic()

    def restart_clock(self, allowance_s: float = 0.0) -> None:
        self.clock = time.monotonic()
        self.allowance_s = allowance_s

    def take(self, job: _Job) -> None:
        if not self.jobs:
            self.restart_clock()
            self.began = self.clock
        self.jobs.append(job)
        self.held_bytes += len(job.data)
        self.process.queue(job.data)

    def finish(self) -> float:
        """Strike the first job off; the seconds it took."""
        self.held_bytes -= len(self.jobs.popleft().data)
        began, self.began = self.began, time.monotonic()
        return self.began - began


class Pool:
    """`size` workers started on demand; use it as a context manager.

    `command` gets three arguments more: the descriptors of its jobs and of its replies, and
    the number of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: int,
        opening: Any,
        deadline_s: float,
        opening_s: float = OPENING_S,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        self._command = list(command)
        self._size = size
        self._opening = pack(OPEN, opening)
        self._deadline_s = deadline_s
        self._opening_s = opening_s
        self._environment = environment
        self._folder = folder
        self._workers: list[_Worker] = []
        self._waiting: deque[_Job] = deque()
        self._selector = selectors.DefaultSelector()
        self._pace_s = LOOK_AHEAD_S / LEAST_JOBS
        self._filling = True

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        """Let idle workers leave, and kill the busy ones."""
        for worker in self._workers:
            self._unregister(worker)
            worker.process.close()  # an ended pipe tells an idle worker to leave
        until = time.monotonic() + LEAVE_S
        for worker in self._workers:
            worker.process.end(0.0 if worker.jobs else max(0.0, until - time.monotonic()))
        self._workers.clear()
        self._selector.close()

    @property
    def pending(self) -> int:
        """Jobs that have been submitted and are not done."""
        return len(self._waiting) + sum(len(worker.jobs) for worker in self._workers)

    @property
    def hungry(self) -> bool:
        """Whether more jobs should be submitted.

        From when half of the room for them is empty, or a worker would have nothing to do,
        until the room is full: so they are handed over many at once.
        """
        room = self._size * self._window
        pending = self.pending
        if pending >= room or (pending >= self._size and self._held_bytes >= MOST_BYTES):
            self._filling = False
        elif pending <= room // 2 or self._idle > len(self._waiting):
            self._filling = True
        return self._filling

    def submit(self, tag: Any, header: Any, body: bytes = b"") -> None:
        """Queue a job for the next `poll`; its replies carry `tag`."""
        self._waiting.append(_Job(tag, pack(JOB, header, body)))

    def poll(self, timeout_s: float | None = None) -> list[Reply | Lost]:
        """What has come in; waits for something at most `timeout_s` (None: until there is)."""
        out: list[Reply | Lost] = []
        self._assign()
        for key, mask in self._selector.select(self._patience(timeout_s)):
            worker: _Worker = key.data
            if mask & selectors.EVENT_WRITE and not worker.deaf:
                self._send(worker)
            if mask & selectors.EVENT_READ:
                out += self._receive(worker)
        for worker in list(self._workers):
            out += self._bury_if_ended(worker)
        self._assign()
        return out

    def _patience(self, timeout_s: float | None) -> float:
        """How long to wait at most: without any job there is nothing to wait for."""
        busy = [worker for worker in self._workers if worker.jobs]
        if not busy:
            return 0.0
        if any(worker.deaf for worker in busy):
            return _LOOK_AGAIN_S
        left_s = min(map(self._due, busy)) - time.monotonic()
        return max(0.0, left_s if timeout_s is None else min(left_s, timeout_s))

    def _due(self, worker: _Worker) -> float:
        limit_s = self._deadline_s if worker.opened else self._opening_s
        return worker.clock + worker.allowance_s + limit_s

    # -- giving out ----------------------------------------------------------------------------

    @property
    def _idle(self) -> int:
        """Workers that have nothing to do, or were not needed yet."""
        return self._size - sum(bool(worker.jobs) for worker in self._workers)

    @property
    def _window(self) -> int:
        """How many jobs a worker may hold."""
        if self._pace_s > SLOW_S:
            return 1
        return max(LEAST_JOBS, min(MOST_JOBS, int(LOOK_AHEAD_S / max(self._pace_s, 1e-6))))

    @property
    def _held_bytes(self) -> int:
        waiting = sum(len(job.data) for job in self._waiting)
        return waiting + sum(worker.held_bytes for worker in self._workers)

    def _assign(self) -> None:
        """Give waiting jobs to workers with room, the least loaded first."""
        given: set[_Worker] = set()
        while self._waiting:
            worker = min((w for w in self._workers if not w.deaf), key=_load, default=None)
            if (worker is None or worker.jobs) and len(self._workers) < self._size:
                worker = self._start()
            if worker is None or not self._has_room(worker):
                break
            worker.take(self._waiting.popleft())
            given.add(worker)
        for worker in given:
            self._send(worker)

    def _has_room(self, worker: _Worker) -> bool:
        return not worker.jobs or (
            len(worker.jobs) < self._window and worker.held_bytes < MOST_BYTES
        )

    def _start(self) -> _Worker:
        process = WorkerProcess(self._command, environment=self._environment, folder=self._folder)
        worker = _Worker(process)
        process.queue(self._opening)
        self._workers.append(worker)
        self._selector.register(process.outlet, selectors.EVENT_READ, worker)
        return worker

    def _send(self, worker: _Worker) -> None:
        """Write what the pipe takes now; the rest when it takes more."""
        inlet = worker.process.inlet
        whole = worker.process.write()
        registered = inlet in self._selector.get_map()
        if not whole and not registered:
            self._selector.register(inlet, selectors.EVENT_WRITE, worker)
        elif whole and registered:
            self._selector.unregister(inlet)

    # -- taking in -----------------------------------------------------------------------------

    def _receive(self, worker: _Worker) -> list[Reply | Lost]:
        """What a worker sent; one that closed its pipe, or sends anything else, is at its end."""
        if worker.deaf:
            return []
        frames = worker.process.read()
        if frames is None:
            worker.deaf = True
            self._unregister(worker)
            return []
        if worker.process.coming not in (None, ASIDE):
            worker.restart_clock()
        out: list[Reply | Lost] = [
            reply for frame in frames if (reply := self._take(worker, frame)) is not None
        ]
        if worker.process.garbled:
            out += self._bury(worker, "exited", BROKEN_EXIT)
        return out

    def _take(self, worker: _Worker, frame: Frame) -> Reply | None:
        worker.opened = True
        if frame.kind == MARK:
            worker.restart_clock(float(frame.header))
            return None
        tag = worker.jobs[0].tag if worker.jobs else None
        if frame.kind == DONE and worker.jobs:
            self._pace_s += (worker.finish() - self._pace_s) / 16
        if frame.kind != ASIDE:
            worker.restart_clock()
        return Reply(tag, frame)

    # -- ends ----------------------------------------------------------------------------------

    def _bury_if_ended(self, worker: _Worker) -> list[Reply | Lost]:
        late = bool(worker.jobs) and self._due(worker) <= time.monotonic()
        if not late and not worker.deaf:
            return []
        # It may have ended although something that it started still holds its pipe.
        code = worker.process.code()
        if code is not None:
            return self._bury(worker, "killed" if code < 0 else "exited", abs(code))
        if late or not worker.jobs:
            return self._bury(worker, "timed_out", 0)
        return []

    def _bury(
        self, worker: _Worker, cause: Literal["timed_out", "exited", "killed"], code: int
    ) -> list[Reply | Lost]:
        """Take a worker out, hand its untouched jobs on, and report the one it held."""
        self._workers.remove(worker)
        self._unregister(worker)
        worker.deaf = True
        worker.process.close()
        worker.process.end(0.0)
        if not worker.jobs:
            return []
        tag = worker.jobs.popleft().tag
        self._waiting.extendleft(reversed(worker.jobs))
        return [Lost(tag, cause, code, worker.opened)]

    def _unregister(self, worker: _Worker) -> None:
        for descriptor in (worker.process.inlet, worker.process.outlet):
            if descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)


def _load(worker: _Worker) -> int:
    return len(worker.jobs)
