"""The order of parallel calls is kept, whatever chance has made of it when they were recorded."""

from __future__ import annotations

import asyncio
import contextvars
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording_desk import ERROR, Sandbox, record, replay

from oloproof.recording.determinism import uuid4
from oloproof.recording.effects import model, tool
from oloproof.records.faults import FaultPlan

JITTER = random.SystemRandom()


class Board(Sandbox):
    """Cells, written by many at once, each after a while of its own."""

    def __init__(self, pause_s: float = 0.002) -> None:
        super().__init__({"cells": {}})
        self.pause_s = pause_s
        self.common_s = 0.0

    def rest(self) -> float:
        return JITTER.random() * self.pause_s

    def write(self, cell: str) -> str:
        time.sleep(self.rest())
        self.ran.append(cell)
        cells = self.state["cells"]
        cells[cell] = cells.get(cell, 0) + 1
        return cell

    @tool
    def put(self, cell: str) -> str:
        return self.write(cell)

    @tool
    async def aput(self, cell: str) -> str:
        await asyncio.sleep(self.rest())
        self.ran.append(cell)
        cells = self.state["cells"]
        cells[cell] = cells.get(cell, 0) + 1
        return cell

    @tool(reads=True)
    async def look(self, cell: str) -> int:
        await asyncio.sleep(self.rest())
        return int(self.state["cells"].get(cell, 0))

    @tool
    async def batch(self, name: str) -> list[str]:
        return list(await asyncio.gather(*(self.late(f"{name}{i}") for i in range(2))))

    @model
    def think(self, seen: list[str]) -> int:
        return len(seen)

    async def late(self, cell: str) -> str:
        await asyncio.sleep(self.rest())
        await self.look(cell)
        return await self.aput(cell)

    # --- agents ---

    def pool(self, *, with_context: bool) -> Callable[[], list[str]]:
        def job(cell: str) -> str:
            time.sleep(self.rest())
            return self.put(cell)

        def agent() -> list[str]:
            got: list[str] = []
            for turn in range(3):
                self.think(sorted(got))
                with ThreadPoolExecutor(3) as pool:
                    jobs = []
                    for number in range(3):
                        cell = f"{turn}.{number}"
                        if with_context:
                            copy = contextvars.copy_context()
                            jobs.append(pool.submit(copy.run, job, cell))
                        else:
                            jobs.append(pool.submit(job, cell))
                    got += [one.result() for one in jobs]
            return got

        return agent

    async def gathered(self) -> list[str]:
        got: list[str] = []
        for turn in range(3):
            self.think(sorted(got))
            got += await asyncio.gather(*(self.late(f"{turn}.{i}") for i in range(3)))
        return got

    async def completed(self) -> list[str]:
        """Reads results in the order in which they happen to come."""
        got: list[str] = []
        for turn in range(3):
            tasks = [asyncio.create_task(self.aput(f"{turn}.{i}")) for i in range(3)]
            for task in asyncio.as_completed(tasks):
                got.append(await task)
                self.think(got)
        return got

    async def grouped(self) -> list[str]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.batch(name)) for name in "ab"]
        return [cell for task in tasks for cell in task.result()]

    async def threaded(self) -> list[str]:
        first = await asyncio.gather(*(asyncio.to_thread(self.put, f"t{i}") for i in range(3)))
        return [*first, await self.aput("end")]

    async def background(self) -> str:
        """A task that nobody waits for before the next call."""
        task = asyncio.create_task(self.late("behind"))
        await asyncio.sleep(self.rest())
        await self.aput("front")
        return await task

    async def as_they_come(self) -> list[str]:
        """Sees several results at once where several tools end in one pass of the loop."""
        got: list[str] = []
        self.common_s = self.rest() / 4
        left = {asyncio.create_task(self.aput_together(f"{i}")) for i in range(6)}
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            got += [task.result() for task in done]
            self.think(got)
        return got

    @tool
    async def aput_together(self, cell: str) -> str:
        await asyncio.sleep(self.common_s)
        return await asyncio.to_thread(self.write, cell) if cell == "3" else self.write(cell)

    async def drawing(self) -> list[str]:
        async def order(name: str) -> str:
            await asyncio.sleep(self.rest())
            await self.look(name)
            await asyncio.sleep(self.rest())
            return await self.aput(f"{name}-{uuid4()}")

        return list(await asyncio.gather(*map(order, "abc")))


def agents(board: Board) -> dict[str, Callable[[], Any]]:
    return {
        "pool": board.pool(with_context=True),
        "lost context": board.pool(with_context=False),
        "gathered": board.gathered,
        "completed": board.completed,
        "grouped": board.grouped,
        "threaded": board.threaded,
        "background": board.background,
        "drawing": board.drawing,
        "as they come": board.as_they_come,
    }


NAMES = list(agents(Board()))


def check(name: str, rounds: int) -> None:
    for _ in range(rounds):
        board = Board()
        agent = agents(board)[name]
        recorded = record(board, agent)
        calls = [e.index for e in recorded.recording.events if e.kind == "tool"]
        for target in (None, JITTER.choice(calls)):
            again = replay(recorded, agent, target, patience_s=5.0)
            assert (None, None) == (again.reason, again.difference), (name, target)
        again = replay(recorded, agent, JITTER.choice(calls), ERROR, patience_s=5.0)
        assert (True, None, None) == (again.delivered, again.reason, again.divergence)


@pytest.mark.parametrize("name", NAMES)
def test_jitter_is_no_divergence(name: str) -> None:
    """A program whose calls overlap as chance has it reproduces every time."""
    check(name, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_jitter_is_no_divergence_a_hundred_times(name: str) -> None:
    """Of a hundred controls none is falsely untrusted."""
    check(name, 50)


def test_results_are_read_in_the_recorded_order() -> None:
    """What was read as it completed is read in the same order again, whoever is served."""

    class Race(Sandbox):
        def enter(self) -> None:
            self.over = {name: asyncio.Event() for name in "abc"}

        @tool
        async def run_behind(self, name: str, other: str | None) -> str:
            if other is not None:
                await self.over[other].wait()
            self.over[name].set()
            return name

        @tool
        async def rank(self, names: list[str]) -> None:
            self.state["rank"] = names

    race = Race()

    async def agent() -> list[str]:
        race.enter()
        entered = {"a": "c", "b": None, "c": "b"}
        tasks = [asyncio.create_task(race.run_behind(n, o)) for n, o in entered.items()]
        names = [await task for task in asyncio.as_completed(tasks)]
        await race.rank(names)
        return names

    recorded = record(race, agent)
    again = replay(recorded, agent, recorded.call("rank"))
    assert ["b", "c", "a"] == recorded.ending.output == again.ending.output
    assert again.difference is None


class Paced(Sandbox):
    """Tools in parallel tasks, each of which begins when it is told to."""

    def __init__(self) -> None:
        super().__init__({"order": [], "polls": 0})
        self.pauses: dict[str, float] = {}

    @tool
    async def add(self, name: str) -> str:
        self.ran.append(name)
        self.state["order"].append(name)
        return name

    @tool
    async def poll(self) -> int:
        self.state["polls"] += 1
        return int(self.state["polls"])

    @tool
    async def end(self) -> None:
        """Nothing: a target behind everything else."""

    async def each(self, part: Callable[[str], Any]) -> list[Any]:
        async def late(name: str, pause_s: float) -> Any:
            await asyncio.sleep(pause_s)
            return await part(name)

        return list(await asyncio.gather(*(late(n, s) for n, s in self.pauses.items())))


def test_calls_that_did_not_overlap_run_in_the_recorded_order() -> None:
    """What one call left behind is there for the next, as it was."""
    paced = Paced()

    async def agent() -> None:
        await paced.each(paced.add)

    paced.pauses = {"a": 0.0, "b": 0.02}
    recorded = record(paced, agent)
    paced.pauses = {"a": 0.02, "b": 0.0}
    again = replay(recorded, agent)
    assert again.difference is None
    assert ["a", "b"] == paced.state["order"]


def test_equal_calls_of_parallel_tasks_are_told_apart_by_their_task() -> None:
    """Each task gets the answer that it got, whichever asks first."""
    paced = Paced()

    async def part(name: str) -> tuple[str, int]:
        await paced.add(name)
        await asyncio.sleep(paced.pauses[name])
        return name, await paced.poll()

    async def agent() -> dict[str, int]:
        got = dict(await asyncio.gather(part("a"), part("b")))
        await paced.end()
        return got

    paced.pauses = {"a": 0.0, "b": 0.02}
    recorded = record(paced, agent)
    paced.pauses = {"a": 0.02, "b": 0.0}
    again = replay(recorded, agent, recorded.call("end"))
    assert {"a": 1, "b": 2} == again.ending.output
    assert again.difference is None


def test_a_fault_waits_for_parallel_calls_that_were_over_before() -> None:
    """The state restored at a fault is that in which all earlier calls had ended."""
    paced = Paced()

    async def part(name: str) -> str:
        try:
            return await paced.add(name)
        except RuntimeError:
            return "failed"

    async def agent() -> list[str]:
        return await paced.each(part)

    paced.pauses = {"before": 0.0, "target": 0.02}
    recorded = record(paced, agent)
    paced.pauses = {"before": 0.02, "target": 0.0}
    again = replay(recorded, agent, recorded.call("add", 2), ERROR)
    assert (True, None) == (again.delivered, again.divergence)
    assert [] == paced.ran
    assert ["before"] == paced.state["order"]
    assert ["before", "failed"] == again.ending.output


def test_a_parallel_call_that_the_fault_has_no_part_in_is_still_served() -> None:
    """A model that was asked before the fault came back is not asked again."""
    asked: list[str] = []

    @model
    async def think(what: str) -> str:
        asked.append(what)
        return what

    async def agent() -> list[str]:
        async def aside() -> str:
            await asyncio.sleep(0.02)
            return await think("aside")

        async def target() -> str:
            answer = await slow("target")
            return answer + await think("behind")

        return list(await asyncio.gather(target(), aside()))

    @tool
    async def slow(name: str) -> str:
        await asyncio.sleep(0.04)
        return name

    recorded = record(Sandbox(), agent)
    assert ["aside", "behind"] == asked
    asked.clear()
    quiet = FaultPlan(fault="empty", answer=lambda _: "")
    again = replay(recorded, agent, recorded.call("slow"), quiet)
    assert (["behind", "aside"], True) == (again.ending.output, again.trusted)
    assert ["behind"] == asked
