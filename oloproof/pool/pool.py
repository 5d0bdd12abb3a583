"""A pool of worker processes that are given jobs, watched, killed and replaced.

Each worker answers a job with frames; the frame of kind `DONE` ends it. A worker that
stays silent longer than the deadline is killed, and the job that it was at is reported as
lost together with the cause; the jobs behind it go to a fresh worker untouched.

A worker may say that it does several jobs at once: it then has as many lanes. When it ends
by itself, which of them ended it is found by doing each alone.
"""

from __future__ import annotations

import os
import selectors
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from oloproof.pool.framing import (
    BROKEN_EXIT,
    DONE,
    JOB,
    MARK,
    MOST_SLOTS,
    OPEN,
    SLOTS,
    pack,
)
from oloproof.pool.jobs import Again, Cause, Lost, Message, Pace, Reply
from oloproof.pool.process import Job, Lane, Worker, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.pool.framing import Frame

OPENING_S: Final = 300.0
"""How long a worker may take until its first frame: importing a user's system can be slow."""

MOST_BYTES: Final = 1 << 23
"""Of jobs that a worker holds; one more is always allowed."""

LEAVE_S: Final = 0.5
"""How long idle workers may take to leave when the pool is closed."""

FAREWELL_S: Final = 5.0
"""How long they may take that are dismissed: what they began may have to end first."""

_LOOK_AGAIN_S: Final = 0.01


class Pool:
    """Workers started on demand that do `size` jobs at once; use it as a context manager.

    `command` gets more arguments: the descriptors of its jobs and of its replies, the number of
    this process, and a descriptor for what is said on the way for each job that it may do at
    once; the worker says how many it does.
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
        # How many jobs at once a worker is asked to do: the processors are shared by all.
        self._slots = min(MOST_SLOTS, -(-size // min(size, os.cpu_count() or 1)))
        self._workers: list[Worker] = []
        self._waiting: deque[Job] = deque()
        self._alone: deque[Job] = deque()
        self.pending = 0
        """Jobs that have been submitted and are not done."""
        self._pending_bytes = 0
        self._selector = selectors.DefaultSelector()
        self._pace = Pace()
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
            worker.process.end(0.0 if worker.busy else max(0.0, until - time.monotonic()))
        self._workers.clear()
        self._selector.close()

    @property
    def hungry(self) -> bool:
        """Whether more jobs should be submitted.

        From when half of the room for them is empty, or a worker would have nothing to do,
        until the room is full: so they are handed over many at once.
        """
        room = self._size * self._pace.window
        pending = self.pending
        if pending >= room or (pending >= self._size and self._pending_bytes >= MOST_BYTES):
            self._filling = False
        elif pending <= room // 2 or self._idle > len(self._waiting):
            self._filling = True
        return self._filling

    def submit(self, tag: Any, header: Any, body: bytes = b"", *, alone: bool = False) -> None:
        """Queue a job for the next `poll`; its replies carry `tag`.

        Beside one that has to be `alone`, its worker does nothing else.
        """
        job = Job(tag, pack(JOB, header, body), alone)
        (self._alone if alone else self._waiting).append(job)
        self.pending += 1
        self._pending_bytes += len(job.data)

    def poll(self, timeout_s: float | None = None) -> list[Message]:
        """What has come in; waits for something at most `timeout_s` (None: until there is)."""
        out: list[Message] = []
        self._assign()
        for key, mask in self._selector.select(self._patience(timeout_s)):
            worker: Worker = key.data
            if mask & selectors.EVENT_WRITE and not worker.disconnected:
                self._send(worker)
            if mask & selectors.EVENT_READ:
                out += self._receive(worker)
        for worker in list(self._workers):
            out += self._remove_if_ended(worker)
        self._assign()
        return out

    def dismiss(self) -> list[Message]:
        """Have the workers leave, none of which is busy; what they say until they have left."""
        out: list[Message] = []
        until = time.monotonic() + FAREWELL_S
        for worker in self._workers:
            worker.process.hang_up()
        while any(worker.opened and not worker.disconnected for worker in self._workers):
            left_s = until - time.monotonic()
            if left_s <= 0:
                break
            for key, _ in self._selector.select(left_s):
                out += self._receive(key.data)
        return out

    def _patience(self, timeout_s: float | None) -> float:
        """How long to wait at most: without any job there is nothing to wait for."""
        busy = [lane for lane in self._lanes if lane.jobs]
        if not busy:
            return 0.0
        if any(lane.worker.disconnected for lane in busy):
            return _LOOK_AGAIN_S
        left_s = min(map(self._due, busy)) - time.monotonic()
        return max(0.0, left_s if timeout_s is None else min(left_s, timeout_s))

    def _due(self, lane: Lane) -> float:
        limit_s = self._deadline_s if lane.worker.opened else self._opening_s
        return lane.clock + lane.allowance_s + limit_s

    # -- giving out ----------------------------------------------------------------------------

    @property
    def _lanes(self) -> list[Lane]:
        return [lane for worker in self._workers for lane in worker.lanes]

    @property
    def _idle(self) -> int:
        """How many jobs more could be done at once."""
        return self._size - sum(bool(lane.jobs) for lane in self._lanes)

    def _assign(self) -> None:
        """Give waiting jobs to lanes with room, the least loaded first."""
        given: set[Worker] = set()
        while self._alone and (free := self._free_worker()) is not None:
            free.lanes[0].take(self._alone.popleft())
            given.add(free)
        while self._waiting:
            lane = min((ln for ln in self._lanes if ln.worker.taking), key=_load, default=None)
            if (lane is None or lane.jobs) and self._room > 0:
                lane = self._start().lanes[0]
            if lane is None or not self._has_room(lane):
                break
            lane.take(self._waiting.popleft())
            given.add(lane.worker)
        for worker in given:
            self._send(worker)

    def _free_worker(self) -> Worker | None:
        """A worker without any job; where there is none, one is kept free from now on."""
        listening = [worker for worker in self._workers if not worker.disconnected]
        free = next((worker for worker in listening if not worker.busy), None)
        if free is None and self._room > 0:
            free = self._start()
        if free is not None:
            free.kept_free = False
        elif listening and not any(worker.kept_free for worker in listening):
            min(listening, key=lambda worker: len(worker.busy)).kept_free = True
        return free

    @property
    def _room(self) -> int:
        """How many lanes more there may be; a worker may get its most until it has answered."""
        return self._size - sum(
            len(worker.lanes) if worker.opened else worker.most for worker in self._workers
        )

    def _has_room(self, lane: Lane) -> bool:
        if not lane.jobs:
            return True
        if any(worker.most > 1 and not worker.opened for worker in self._workers):
            return False  # there may soon be a lane that is free
        return len(lane.jobs) < self._pace.window and lane.worker.held_bytes < MOST_BYTES

    def _start(self) -> Worker:
        most = min(self._slots, self._room)
        process = WorkerProcess(
            self._command, slots=most, environment=self._environment, folder=self._folder
        )
        worker = Worker(process, most=most)
        process.queue(self._opening)
        self._workers.append(worker)
        self._selector.register(process.outlet, selectors.EVENT_READ, worker)
        return worker

    def _send(self, worker: Worker) -> None:
        """Write what the pipe takes now; the rest when it takes more."""
        inlet = worker.process.inlet
        whole = worker.process.write()
        registered = inlet in self._selector.get_map()
        if not whole and not registered:
            self._selector.register(inlet, selectors.EVENT_WRITE, worker)
        elif whole and registered:
            self._selector.unregister(inlet)

    # -- taking in -----------------------------------------------------------------------------

    def _receive(self, worker: Worker) -> list[Message]:
        """What a worker sent; one that closed its pipe, or sends anything else, is at its end."""
        if worker.disconnected:
            return []
        frames = worker.process.read()
        if frames is None:
            worker.disconnected = True
            self._unregister(worker)
            return []
        out: list[Message] = []
        garbled = worker.process.garbled
        for frame in frames:
            if frame.kind == SLOTS:
                worker.widen(int(frame.header))
            elif frame.slot >= len(worker.lanes):
                garbled = True
            elif (reply := self._take(worker.lanes[frame.slot], frame)) is not None:
                out.append(reply)
        if garbled:
            return out + self._remove(worker, "exited", BROKEN_EXIT)
        self._note_coming(worker)
        return out

    def _note_coming(self, worker: Worker) -> None:
        """A frame of which a part is there is a sign of life, too."""
        coming = worker.process.coming
        if coming is not None and coming < len(worker.lanes):
            worker.lanes[coming].restart_clock()

    def _take(self, lane: Lane, frame: Frame) -> Reply | None:
        worker = lane.worker
        if not worker.opened:
            worker.opened = True
            if len(worker.lanes) < worker.most:
                self._slots = len(worker.lanes)
        if frame.kind == MARK:
            lane.restart_clock(float(frame.header))
            return None
        tag = lane.jobs[0].tag if lane.jobs else None
        if frame.kind == DONE and lane.jobs:
            self._strike_off(lane.jobs[0])
            self._pace.take(lane.finish())
        lane.restart_clock()
        return Reply(tag, frame)

    # -- ends ----------------------------------------------------------------------------------

    def _remove_if_ended(self, worker: Worker) -> list[Message]:
        now = time.monotonic()
        late = [lane for lane in worker.busy if self._due(lane) <= now]
        if not late and not worker.disconnected:
            return []
        # It may have ended although something that it started still holds its pipe.
        code = worker.process.code()
        if code is not None:
            return self._remove(worker, "killed" if code < 0 else "exited", abs(code))
        if late or not worker.busy:
            return self._remove(worker, "timed_out", 0, late)
        return []

    def _remove(
        self, worker: Worker, cause: Cause, code: int, late: Sequence[Lane] = ()
    ) -> list[Message]:
        """Take a worker out, hand its untouched jobs on, and report those that it was at.

        `late` are the lanes that were silent for too long; without any, the one that was at
        work ended it, and where several were, nobody knows which.
        """
        self._workers.remove(worker)
        self._unregister(worker)
        worker.disconnected = True
        worker.process.end(0.0)
        busy = worker.busy
        guilty = late or (busy if len(busy) == 1 else [])
        out: list[Message] = []
        for lane in busy:
            job = lane.jobs.popleft()
            self._strike_off(job)
            self._waiting.extendleft(reversed(lane.jobs))
            out.append(
                Lost(job.tag, cause, code, worker.opened, worker.process.aside(lane.slot))
                if lane in guilty
                else Again(job.tag, alone=not guilty)
            )
        worker.process.close()
        return out

    def _strike_off(self, job: Job) -> None:
        self.pending -= 1
        self._pending_bytes -= len(job.data)

    def _unregister(self, worker: Worker) -> None:
        for descriptor in (worker.process.inlet, worker.process.outlet):
            if descriptor >= 0 and descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)


def _load(lane: Lane) -> int:
    return len(lane.jobs)
