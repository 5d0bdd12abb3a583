"""A worker as the pool holds it: a process, and for each job that it does at once a lane."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.workers.framing import at_slot

if TYPE_CHECKING:
    from oloproof.workers.process import WorkerProcess


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

    `opened` says that it has answered, `deaf` that it has closed its pipe, `most` how many
    lanes it may have, `kept_free` that it gets no job until a job that has to be alone.
    """

    def __init__(self, process: WorkerProcess, *, most: int) -> None:
        self.process = process
        self.most = most
        self.kept_free = False
        self.lanes = [Lane(self, 0)]
        self.held_bytes = 0
        self.opened = False
        self.deaf = False

    def widen(self, slots: int) -> None:
        """Have as many lanes as the worker says, at most those that it may have."""
        for slot in range(len(self.lanes), min(slots, self.most)):
            self.lanes.append(Lane(self, slot))

    @property
    def taking(self) -> bool:
        """Whether it may be given a job beside those that it holds."""
        lone = self.lanes[0].jobs and self.lanes[0].jobs[0].alone
        return not (self.deaf or self.kept_free or lone)

    @property
    def busy(self) -> list[Lane]:
        """The lanes that hold a job."""
        return [lane for lane in self.lanes if lane.jobs]
