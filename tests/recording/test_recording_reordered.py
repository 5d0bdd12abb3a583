"""Calls that are awaited one after the other, wherever they run, come in the recorded order."""

from __future__ import annotations

import asyncio
import contextvars
import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording_desk import APPLIED, ERROR, Sandbox, in_thread, record, replay

from oloproof.recording.effects import tool
from oloproof.records.faults import FaultPlan

JITTER = random.SystemRandom()


class Shelf(Sandbox):
    """Independent cells: nothing but the order tells two runs apart."""

    def __init__(self) -> None:
        super().__init__({"cells": {}})
        self.order = ["a", "b"]

    @tool
    def put(self, cell: str) -> str:
        time.sleep(JITTER.random() * 0.002)
        self.ran.append(cell)
        self.state["cells"][cell] = True
        return cell

    @tool
    async def aput(self, cell: str) -> str:
        await asyncio.sleep(JITTER.random() * 0.002)
        self.ran.append(cell)
        self.state["cells"][cell] = True
        return cell

    @tool
    async def end(self) -> str:
        return "end"


def in_pool(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def with_context(function: Callable[[], Any]) -> Callable[[], Any]:
    copy = contextvars.copy_context()
    return lambda: copy.run(function)


async def in_executor(function: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, function)


async def in_group(work: Awaitable[Any]) -> Any:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)  # type: ignore[arg-type]
    return task.result()


async def on_loop(shelf: Shelf, cell: str) -> str:
    return shelf.put(cell)


SYNC: dict[str, Callable[[Shelf, str], Any]] = {
    "copied context": lambda shelf, cell: contextvars.copy_context().run(shelf.put, cell),
    "thread": lambda shelf, cell: in_thread(with_context(lambda: shelf.put(cell))),
    "thread without context": lambda shelf, cell: in_thread(lambda: shelf.put(cell)),
    "pool": lambda shelf, cell: in_pool(with_context(lambda: shelf.put(cell))),
    "pool without context": lambda shelf, cell: in_pool(lambda: shelf.put(cell)),
    "loop": lambda shelf, cell: asyncio.run(shelf.aput(cell)),
    "loop in a thread": lambda shelf, cell: in_thread(
        with_context(lambda: asyncio.run(shelf.aput(cell)))
    ),
}
ASYNC: dict[str, Callable[[Shelf, str], Awaitable[Any]]] = {
    "task": lambda shelf, cell: asyncio.create_task(shelf.aput(cell)),
    "task in a copied context": lambda shelf, cell: asyncio.create_task(
        shelf.aput(cell), context=contextvars.copy_context()
    ),
    "task of a sync tool": lambda shelf, cell: asyncio.create_task(on_loop(shelf, cell)),
    "gather": lambda shelf, cell: asyncio.gather(shelf.aput(cell)),
    "group": lambda shelf, cell: in_group(shelf.aput(cell)),
    "deadline": lambda shelf, cell: asyncio.wait_for(shelf.aput(cell), 60),
    "to_thread": lambda shelf, cell: asyncio.to_thread(shelf.put, cell),
    "executor": lambda shelf, cell: in_executor(with_context(lambda: shelf.put(cell))),
    "executor without context": lambda shelf, cell: in_executor(lambda: shelf.put(cell)),
    "loop in a thread": lambda shelf, cell: asyncio.to_thread(asyncio.run, shelf.aput(cell)),
}


def agents(shelf: Shelf) -> dict[str, Callable[[], Any]]:
    """Agents that make two calls in `shelf.order`, each awaited, and one more behind them."""

    def sync_agent(way: Callable[[Shelf, str], Any]) -> Callable[[], Any]:
        def agent() -> list[Any]:
            got = [way(shelf, cell) for cell in shelf.order]
            return [*sorted(got), shelf.put("end")]

        return agent

    def async_agent(way: Callable[[Shelf, str], Awaitable[Any]]) -> Callable[[], Any]:
        async def agent() -> list[Any]:
            got = [await way(shelf, cell) for cell in shelf.order]
            return [*sorted(map(str, got)), await shelf.end()]

        return agent

    return {f"sync, {name}": sync_agent(way) for name, way in SYNC.items()} | {
        f"async, {name}": async_agent(way) for name, way in ASYNC.items()
    }


NAMES = list(agents(Shelf()))


@pytest.mark.parametrize("fault", [None, ERROR, APPLIED], ids=["control", "error", "applied"])
@pytest.mark.parametrize("name", NAMES)
def test_awaited_calls_in_another_order_are_reordered(name: str, fault: FaultPlan | None) -> None:
    """Before any fault the order is the program's own, in whatever context its calls are made."""
    shelf = Shelf()
    agent = agents(shelf)[name]
    recorded = record(shelf, agent)
    last = len(recorded.recording.events) - 1
    shelf.order.reverse()
    for restores in (False, True):
        again = replay(recorded, agent, last, fault, restores=restores)
        assert again.divergence is not None
        assert ("reordered", False) == (again.divergence.kind, again.delivered)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_order_reproduces(name: str) -> None:
    """The same program, with the jitter that threads and tasks have, is never accused."""
    shelf = Shelf()
    agent = agents(shelf)[name]
    recorded = record(shelf, agent)
    last = len(recorded.recording.events) - 1
    for restores in (False, True):
        again = replay(recorded, agent, last, restores=restores)
        assert (None, None) == (again.reason, again.difference)
        again = replay(recorded, agent, last, ERROR, restores=restores)
        assert (True, None, None) == (again.delivered, again.reason, again.divergence)
