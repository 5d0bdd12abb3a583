"""A call waits for another as long as that may still come."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording_desk import Sandbox, record, replay

from oloproof.recording.effects import tool
from oloproof.recording.waiting import Turns, is_idle

PATIENCE_S = 0.2
WORK_S = 0.5


def spin(work_s: float) -> None:
    """Keep the thread busy, and the loop that runs in it."""
    until = time.process_time() + work_s
    while time.process_time() < until:
        pass


async def spin_off(work_s: float) -> None:
    await asyncio.to_thread(spin, work_s)


async def sleep_off(work_s: float) -> None:
    await asyncio.to_thread(time.sleep, work_s)


async def spin_here(work_s: float) -> None:
    spin(work_s)


async def wait_for_thread(work_s: float) -> None:
    done = threading.Event()
    threading.Timer(work_s, done.set).start()
    await asyncio.to_thread(done.wait)


async def wait_for_queue(work_s: float) -> None:
    left: queue.Queue[None] = queue.Queue()
    threading.Timer(work_s, left.put, [None]).start()
    await asyncio.to_thread(left.get, timeout=60)


async def wait_for_process(work_s: float) -> None:
    program = f"import time; time.sleep({work_s})"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    await process.wait()


async def run_process(work_s: float) -> None:
    program = f"import time; time.sleep({work_s})"
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program], check=True)


async def give_up_waiting(work_s: float) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), work_s)


WORK: list[Callable[[float], Awaitable[None]]] = [
    asyncio.sleep,
    spin_off,
    sleep_off,
    spin_here,
    wait_for_thread,
    wait_for_queue,
    wait_for_process,
    run_process,
    give_up_waiting,
]


class Pair(Sandbox):
    """Two parallel branches, of which the first is slow in a replay."""

    def __init__(self) -> None:
        super().__init__({"order": []})
        self.slow_s = 0.0
        self.recorded = threading.Event()

    @tool
    async def add(self, name: str) -> str:
        self.state["order"].append(name)
        self.recorded.set()
        return name

    @tool
    def put(self, name: str) -> str:
        self.state["order"].append(name)
        self.recorded.set()
        return name


@pytest.mark.parametrize(
    ("work", "second"),
    [*((work, "task") for work in WORK), *((work, "thread") for work in WORK[:4])],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_a_call_waits_for_one_behind_undeclared_work(
    work: Callable[[float], Awaitable[None]], second: str
) -> None:
    """What goes on in a loop, a thread or another process may yet lead to the awaited call."""
    pair = Pair()

    async def first() -> str:
        await work(pair.slow_s)
        return await pair.add("first")

    async def behind() -> str:
        while not pair.recorded.is_set():
            await asyncio.sleep(0.001)
        if second == "task":
            return await pair.add("second")
        return await asyncio.to_thread(pair.put, "second")

    async def agent() -> list[str]:
        return list(await asyncio.gather(first(), behind()))

    recorded = record(pair, agent)
    pair.slow_s = WORK_S  # and the second does not wait of itself any more
    again = replay(recorded, agent, patience_s=PATIENCE_S)
    assert (None, None) == (again.reason, again.difference)
    assert ["first", "second"] == pair.state["order"]


def test_a_thread_waits_for_a_thread_at_work() -> None:
    """Without a loop it is the same."""
    pair = Pair()

    def first() -> str:
        time.sleep(pair.slow_s)
        return pair.put("first")

    def behind() -> str:
        pair.recorded.wait()
        return pair.put("second")

    def agent() -> list[str]:
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(contextvars.copy_context().run, job) for job in (first, behind)]
            return [job.result() for job in jobs]

    recorded = record(pair, agent)
    pair.slow_s = WORK_S
    again = replay(recorded, agent, patience_s=PATIENCE_S)
    assert (None, None) == (again.reason, again.difference)


def test_a_declared_tool_at_work_is_waited_for_as_long_as_it_takes() -> None:
    """A deadline far away is no work, but for a tool that may be waiting for it."""
    pair = Pair()

    @tool
    async def slow(name: str) -> str:
        await asyncio.sleep(pair.slow_s)
        return await pair.add(name)

    async def behind() -> str:
        while not pair.recorded.is_set():
            await asyncio.sleep(0.001)
        return await pair.add("second")

    async def agent() -> list[str]:
        return list(await asyncio.gather(slow("first"), behind()))

    recorded = record(pair, agent)
    pair.slow_s = WORK_S
    again = replay(recorded, agent, patience_s=PATIENCE_S)
    assert (None, None) == (again.reason, again.difference)


class ForeignLoop:
    """A loop of another make: it has no list of what is ready."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.create_future = loop.create_future
        self.call_soon = loop.call_soon


def test_a_loop_that_cannot_be_looked_into_may_have_more_to_do() -> None:
    """The next call ends only after what the one before led to, over several passes."""

    async def main() -> list[str]:
        loop: Any = ForeignLoop(asyncio.get_running_loop())
        turns = Turns(loop)
        seen: list[str] = []

        async def notice() -> None:
            for _ in range(5):
                await asyncio.sleep(0)
            seen.append("the agent took notice")

        turns.ended(1)
        noticing = asyncio.create_task(notice())
        await turns.take(2)
        seen.append("the next call ended")
        await noticing
        return seen

    assert ["the agent took notice", "the next call ended"] == asyncio.run(main())


def test_a_process_that_does_nothing_is_idle() -> None:
    """Threads of a pool that wait for work, and for each other, are idle; one at work is not."""
    with ThreadPoolExecutor(3) as pool:
        for _ in range(3):
            pool.submit(time.sleep, 0.001)
        held = threading.Lock()
        gate = threading.Event()
        waiting = pool.submit(gate.wait)
        assert _settles(idle=True)
        with held:
            working = pool.submit(spin, WORK_S)
            assert _settles(idle=False)
        working.result()
        assert _settles(idle=True)
        gate.set()
        waiting.result()


def _settles(*, idle: bool) -> bool:
    """Whether the process comes to be idle, or at work, before a while is over."""
    until = time.monotonic() + 10
    while is_idle(None, within_s=60) is not idle:
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True
