"""Workers that do several jobs at once, with real processes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.pool.framing import BROKEN_EXIT, DONE, pack
from oloproof.pool.jobs import Again, Lost, Message, Reply
from oloproof.pool.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = [sys.executable, str(Path(__file__).with_name("scripted_worker.py"))]


@pytest.fixture(autouse=True)
def _one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker then gets all the lanes, on every machine."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


def make_pool(size: int, deadline_s: float = 20.0) -> Pool:
    return Pool(SCRIPT, size=size, opening=[["slots"]], deadline_s=deadline_s)


def drain(pool: Pool, steps: dict[Any, Any] | None = None) -> Iterator[Message]:
    """Everything until no job is left; what has to be done again is."""
    until = time.monotonic() + 30
    while pool.pending:
        assert time.monotonic() < until, "the pool does not come to an end"
        for message in pool.poll():
            if isinstance(message, Again) and steps is not None:
                pool.submit(message.tag, steps[message.tag], alone=message.alone)
            yield message


def done(messages: list[Message]) -> list[Any]:
    return [m.tag for m in messages if isinstance(m, Reply) and m.frame.kind == DONE]


def processes(messages: list[Message]) -> set[int]:
    return {m.frame.header for m in messages if isinstance(m, Reply) and m.frame.kind == DONE}


class TestLanes:
    def test_jobs_run_side_by_side_in_one_process(self) -> None:
        """As many as the worker takes, each in its own lane, with the replies of each."""
        with make_pool(4) as pool:
            for n in range(4):
                pool.submit(n, [["sleep", 0.05 if n else 1.0], ["echo"]], b"%d" % n)
            messages = list(drain(pool))
        assert list(range(4)) == sorted(done(messages))
        assert 1 == len(processes(messages))
        echoes = {m.tag: m.frame.body for m in messages if isinstance(m, Reply) and m.frame.body}
        assert {n: b"%d" % n for n in range(4)} == echoes
        assert 0 == done(messages)[-1], "the others did not wait for the one that takes long"

    def test_a_worker_that_does_one_at_a_time_is_joined_by_others(self) -> None:
        """Nothing waits behind the first before it has said so."""
        with Pool(SCRIPT, size=3, opening=[], deadline_s=20) as pool:
            for n in range(3):
                pool.submit(n, [["sleep", 0.3]])
            messages = list(drain(pool))
        assert 3 == len(processes(messages))

    def test_there_are_never_more_lanes_than_its_size(self, monkeypatch: Any) -> None:
        """Whatever the number of processors, and however often workers are replaced."""
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        steps = {n: [["exit", 1]] if n % 5 == 0 else [["sleep", 0.02]] for n in range(30)}
        with make_pool(5) as pool:
            for n, step in steps.items():
                pool.submit(n, step)
            ended: list[Message] = []
            for message in drain(pool, steps):
                ended.append(message)
                assert sum(len(worker.lanes) for worker in pool._workers) <= 5
        assert {n for n in steps if n % 5} == set(done(ended))

    def test_a_frame_of_no_lane_ends_the_worker(self) -> None:
        """It is somebody else's bytes."""
        with make_pool(2) as pool:
            pool.submit("a", [["raw", pack(b"U", {}, slot=9).hex()], ["sleep", 60]])
            (end,) = [m for m in drain(pool) if isinstance(m, Lost)]
        assert ("a", "exited", BROKEN_EXIT) == (end.tag, end.cause, end.code)


class TestEnds:
    def test_the_lane_that_hung_is_lost_and_the_others_are_done_again(self) -> None:
        """They need not be alone: who is to blame is known."""
        steps: dict[Any, Any] = {"hung": [["sleep", 60]], "slow": [["drip", 0.05]]}
        with make_pool(2, deadline_s=0.6) as pool:
            for tag, step in steps.items():
                pool.submit(tag, step)
            messages = []
            for message in drain(pool):
                messages.append(message)
                if isinstance(message, Again):
                    pool.submit(message.tag, [], alone=message.alone)
        assert [Lost("hung", "timed_out", 0, True)] == [m for m in messages if isinstance(m, Lost)]
        assert [Again("slow", alone=False)] == [m for m in messages if isinstance(m, Again)]
        assert ["slow"] == done(messages)

    def test_who_ended_the_process_is_found_by_doing_each_alone(self) -> None:
        """The others are done, each with nothing beside it; the guilty one is lost."""
        steps: dict[Any, Any] = {n: [["sleep", 0.2]] for n in range(4)}
        steps["bad"] = [["sleep", 0.1], ["kill", "SIGSEGV"], ["sleep", 60]]
        with make_pool(5) as pool:
            for tag, step in steps.items():
                pool.submit(tag, step)
            messages = list(drain(pool, steps))
        again = {m.tag: m.alone for m in messages if isinstance(m, Again)}
        assert again == dict.fromkeys(again, True)
        assert "bad" in again
        assert ["bad"] == [m.tag for m in messages if isinstance(m, Lost)]
        assert [0, 1, 2, 3] == sorted(done(messages))

    def test_jobs_behind_those_at_work_are_not_touched(self) -> None:
        """They go to the next worker as they are."""
        steps: dict[Any, Any] = {n: [["sleep", 0.05]] for n in range(40)}
        steps[1] = [["exit", 3]]
        with make_pool(2) as pool:
            for tag, step in steps.items():
                pool.submit(tag, step)
            messages = list(drain(pool, steps))
        again = [m.tag for m in messages if isinstance(m, Again)]
        assert len(again) <= 2
        assert [1] == [m.tag for m in messages if isinstance(m, Lost)]
        assert [n for n in steps if n != 1] == sorted(done(messages))

    def test_a_job_alone_has_nothing_beside_it(self) -> None:
        """A worker that is busy is kept free for it first; others go on as soon as it is done."""
        with make_pool(3) as pool:
            for n in range(6):
                pool.submit(n, [["sleep", 0.05]])
            pool.poll(0.01)
            pool.submit("alone", [["sleep", 0.2], ["echo"]], b"x", alone=True)
            ended: list[Message] = []
            while pool.pending:
                ended += pool.poll()
                (worker,) = pool._workers
                if worker.lanes[0].jobs and worker.lanes[0].jobs[0].alone:
                    assert [worker.lanes[0]] == worker.busy
        assert {0, 1, 2, 3, 4, 5, "alone"} == set(done(ended))
