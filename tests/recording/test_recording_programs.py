"""Generated agents: what is deterministic reproduces, and what is not is found.

So it is with jitter in tools and agents, and wherever calls are made: in tasks, threads,
executors and copied contexts.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recording_desk import APPLIED, ERROR, Recorded, Sandbox, in_thread, record, replay

from oloproof.recording.determinism import now, rng, uuid4
from oloproof.recording.effects import model, tool
from oloproof.recording.waiting import PATIENCE_S

JITTER = random.SystemRandom()
THREADS = ("to_thread", "thread", "executor")
Program = list[Any]
KEYS = ("a", "b", "c")


class World(Sandbox):
    """Counters, with tools that read, write, fail and call each other."""

    def __init__(
        self, source: Callable[[], int] | None = None, *, jitter_s: float | None = None
    ) -> None:
        super().__init__(dict.fromkeys((*KEYS, "x", "y", "z", "first", "second"), 0))
        self.source = source
        self.decisions: list[Any] = []
        self.jitter_s = jitter_s
        self.swapped = False

    async def rest(self) -> None:
        """A pause that is never the same."""
        if self.jitter_s is not None:
            await asyncio.sleep(JITTER.random() * self.jitter_s)

    @tool
    async def add(self, key: str, amount: int = 1) -> dict[str, Any]:
        self.ran.append("add")
        await asyncio.sleep(0)
        await self.rest()
        self.state[key] += amount
        return {"key": key, "value": self.state[key], "id": str(uuid4())}

    @tool
    def put(self, key: str, amount: int) -> int:
        self.ran.append("put")
        self.state[key] += amount
        return int(self.state[key])

    @tool(reads=True)
    async def look(self, key: str) -> int:
        self.ran.append("look")
        await self.rest()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return int(self.state[key])

    @tool
    async def flaky(self, key: str) -> int:
        self.ran.append("flaky")
        self.state[key] += 1
        if self.state[key] % 3:
            raise ValueError(f"{key} is at {self.state[key]}")
        return int(self.state[key])

    @tool
    async def delegate(self, key: str, program: Program) -> list[Any]:
        return await self.run(program, key)

    @tool
    async def leak(self, key: str) -> dict[str, Any]:
        assert self.source is not None
        value = self.source()
        self.decisions.append(value)
        return {"key": key, "value": value}

    @tool
    async def soil(self, key: str) -> None:
        assert self.source is not None
        value = self.source()
        self.decisions.append(value)
        self.state[key] = value

    @model
    async def think(self, seen: list[Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"go": len(seen) % 2 == 0, "usage": {"input_tokens": len(seen)}}

    async def run(self, program: Program, key: str) -> list[Any]:
        """Run a program over one counter; parallel parts get counters of their own."""
        seen: list[Any] = []
        for step in program:
            seen.append(await self.step(step, key, seen))
        return seen

    async def step(self, step: Any, key: str, seen: list[Any]) -> Any:
        match step:
            case ["think", then, otherwise]:
                answer = await self.think(seen)
                return await self.run(then if answer["go"] else otherwise, key)
            case ["branch", then, otherwise]:
                return await self.run(then if await self.look(key) % 2 else otherwise, key)
            case ["delegate", program]:
                return await self.delegate(key, program)
            case ["together", programs]:
                pairs = zip(programs, KEYS if key in KEYS else ("x", "y", "z"), strict=False)
                return await asyncio.gather(*(self.run(p, k) for p, k in pairs))
            case ["apart", way, leaf]:
                return await self.apart(way, leaf, key, seen)
            case ["swap", *parts]:
                pair = list(zip(parts, ("first", "second"), strict=True))
                for part, counter in reversed(pair) if self.swapped else pair:
                    await self.step(part, counter, [])
                return "swapped"
            case _:
                return await self.leaf(step, key)

    async def leaf(self, step: Any, key: str) -> Any:
        match step:
            case ["add", amount]:
                return await self.add(key, amount=amount)
            case ["put", amount]:
                return self.put(key, amount)
            case ["look"]:
                return await self.look(key)
            case ["retry"]:
                return await self.retry(key)
            case ["draw"]:
                return await self.add(key, rng().randrange(100) + now().microsecond // 1000)
            case _:
                return await self.planted(step[0], key)

    async def apart(self, way: str, leaf: Any, key: str, seen: list[Any]) -> Any:
        """Make a step wherever its tool runs, and wait for it."""
        await self.rest()
        if way == "task":
            return await asyncio.create_task(self.step(leaf, key, seen))
        if way == "group":
            async with asyncio.TaskGroup() as group:
                task = group.create_task(self.step(leaf, key, seen))
            return task.result()

        def work() -> Any:
            time.sleep(JITTER.random() * (self.jitter_s or 0.0))
            return asyncio.run(self.step(leaf, key, seen))

        if way == "to_thread":
            return await asyncio.to_thread(work)
        copy = contextvars.copy_context()
        if way == "thread":
            return await asyncio.to_thread(in_thread, partial(copy.run, work))
        return await asyncio.get_running_loop().run_in_executor(None, copy.run, work)

    async def retry(self, key: str) -> Any:
        told: list[str] = []
        for _ in range(3):
            try:
                return [told, await self.flaky(key)]
            except ValueError as error:
                told.append(str(error))
        return told

    async def planted(self, sink: str, key: str) -> Any:
        """Something that is not the same twice, where an agent may let it get to."""
        if sink == "result":
            return (await self.leak(key))["key"]
        if sink == "state":
            return await self.soil(key)
        assert self.source is not None
        value = self.source()
        if sink == "branch":
            decision = value // 2 % 2
            self.decisions.append(decision)
            return await self.add(key, 1) if decision else self.put(key, 2)
        self.decisions.append(value)
        return await self.add(key, value) if sink == "argument" else value


LEAVES = st.one_of(
    st.builds(lambda n: ["add", n], st.integers(1, 3)),
    st.builds(lambda n: ["put", n], st.integers(1, 3)),
    st.sampled_from([["look"], ["retry"], ["draw"]]),
)


WAITING = LEAVES.filter(lambda leaf: leaf[0] not in ("put", "draw"))
"""What parallel tasks may begin with after a time of their own, as chance has it.

`put` cannot wait on the thread of a loop, and who draws first draws first.
"""


def apart(ways: st.SearchStrategy[str], leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda way, leaf: ["apart", way, leaf], ways, leaves)


IN_TASKS, IN_THREADS = st.sampled_from(("task", "group")), st.sampled_from(THREADS)
APART = apart(st.one_of(IN_TASKS, IN_THREADS), LEAVES)
WAITING_APART = st.one_of(
    apart(IN_TASKS, WAITING), apart(IN_THREADS, LEAVES.filter(lambda leaf: leaf[0] != "draw"))
)


def steps(depth: int) -> st.SearchStrategy[Any]:
    if depth == 0:
        return LEAVES
    inner = st.lists(steps(depth - 1), min_size=1, max_size=3)
    # Inside of parallel parts there is one counter each: nothing that runs in parallel again.
    alone = st.lists(LEAVES, min_size=1, max_size=3)
    jittery = st.lists(st.one_of(WAITING, WAITING_APART), min_size=1, max_size=3)
    return st.one_of(
        LEAVES,
        APART,
        st.builds(lambda a, b: ["think", a, b], inner, inner),
        st.builds(lambda a, b: ["branch", a, b], inner, inner),
        st.builds(lambda a: ["delegate", a], inner),
        st.builds(lambda a: ["together", a], st.lists(alone, min_size=2, max_size=3)),
        st.builds(lambda a: ["together", a], st.lists(jittery, min_size=2, max_size=3)),
    )


PROGRAMS = st.lists(steps(2), min_size=1, max_size=5)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))


def agent_of(world: World, program: Program) -> Callable[[], Awaitable[Any]]:
    async def agent() -> Any:
        return await world.run(program, "a")

    return agent


def check_deterministic(program: Program, choice: int, jitter_s: float | None = None) -> None:
    world = World(jitter_s=jitter_s)
    agent = agent_of(world, program)
    recorded = record(world, agent)
    events = recorded.recording.events
    tools = [event.index for event in events if event.kind == "tool"]
    targets = [None, tools[choice % len(tools)]] if tools else [None]
    for target, restores in itertools.product(targets, (True, False)):
        again = replay(recorded, agent, target, restores=restores, patience_s=PATIENCE_S)
        assert (None, None) == (again.reason, again.difference)
    if tools:
        for fault in (ERROR, APPLIED):
            faulted = replay(recorded, agent, targets[1], fault, patience_s=PATIENCE_S)
            assert (True, None, None) == (faulted.delivered, faulted.reason, faulted.divergence)


def check_reordered(program: Program, place: int, swap: Any, choice: int) -> None:
    """Two calls, each awaited, whose order is another one when the program runs again."""
    world = World(jitter_s=0.001)
    agent = agent_of(world, [*program[:place], swap, *program[place:], ["add", 1]])
    recorded = record(world, agent)
    last = len(recorded.recording.events) - 1
    fault = (None, ERROR, APPLIED)[choice % 3]
    target = None if fault is None and choice % 2 else last
    for restores in (True, False):
        world.swapped = False
        again = replay(recorded, agent, target, fault, restores=restores, patience_s=PATIENCE_S)
        assert (None, None) == (again.reason, again.divergence)
        world.swapped = True
        again = replay(recorded, agent, target, fault, restores=restores)
        assert again.divergence is not None
        assert ("reordered", False) == (again.divergence.kind, again.delivered)


def check_planted(
    program: Program, place: int, sink: str, source: Callable[[], int], choice: int
) -> None:
    world = World(source)
    planted = [*program[:place], [sink], *program[place:]]
    agent = agent_of(world, planted)
    recorded = record(world, agent)
    before, world.decisions = world.decisions, []
    target = None
    if sink in ("argument", "branch", "output"):  # else the tool has to run again to show it
        tools = [event.index for event in recorded.recording.events if event.kind == "tool"]
        target = [None, *tools][choice % (len(tools) + 1)]
    again = replay(recorded, agent, target, patience_s=PATIENCE_S)
    reached = before != world.decisions
    assert reached is (again.difference is not None)


@given(PROGRAMS, st.integers(0, 30))
@FEW
def test_a_deterministic_agent_always_reproduces(program: Program, choice: int) -> None:
    """A control of a deterministic program finds nothing, whichever call it starts from."""
    check_deterministic(program, choice)


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 30))
@MANY
def test_two_thousand_deterministic_agents_reproduce(program: Program, choice: int) -> None:
    """A control of a deterministic program finds nothing, whichever call it starts from."""
    check_deterministic(program, choice)


@given(PROGRAMS, st.integers(0, 30))
@FEW
def test_jitter_in_a_deterministic_agent_is_no_divergence(program: Program, choice: int) -> None:
    """Whatever time tools and agents take, a program that does the same reproduces."""
    check_deterministic(program, choice, 0.002)


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 30))
@MANY
def test_jitter_in_two_thousand_agents_is_no_divergence(program: Program, choice: int) -> None:
    """Whatever time tools and agents take, a program that does the same reproduces."""
    check_deterministic(program, choice, 0.002)


def swaps() -> st.SearchStrategy[Any]:
    """Two calls in one order or the other, alone or beside others."""
    put, add = st.just(["put", 1]), st.just(["add", 1])
    waiting = st.one_of(apart(IN_TASKS, add), apart(IN_THREADS, put))
    beside = st.builds(lambda a, b: ["together", [[["swap", a, b]], [["look"]]]], waiting, waiting)
    calls = apart(st.one_of(IN_TASKS, IN_THREADS), put)
    return st.one_of(beside, st.builds(lambda a, b: ["swap", a, b], calls, calls))


@given(PROGRAMS, st.integers(0, 5), swaps(), st.integers(0, 30))
@settings(FEW, max_examples=30)
def test_a_planted_reordering_is_found(
    program: Program, place: int, swap: Any, choice: int
) -> None:
    """Calls that came in another order are found, and the same program in its order is not."""
    check_reordered(program, place, swap, choice)


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 5), swaps(), st.integers(0, 30))
@MANY
def test_reorderings_planted_in_two_thousand_agents_are_found(
    program: Program, place: int, swap: Any, choice: int
) -> None:
    """Calls that came in another order are found, and the same program in its order is not."""
    check_reordered(program, place, swap, choice)


SINKS = st.sampled_from(["argument", "branch", "result", "output", "state"])
SOURCES = st.sampled_from(["clock", "random", "counter", "file"])


@dataclass
class Sources:
    """What differs from one look to the next."""

    folder: Path
    counter: itertools.count[int] = field(default_factory=itertools.count)

    def of(self, kind: str) -> Callable[[], int]:
        return {
            "clock": time.perf_counter_ns,
            "random": lambda: random.SystemRandom().randrange(1 << 40),
            "counter": lambda: next(self.counter),
            "file": self._file,
        }[kind]

    def _file(self) -> int:
        path = self.folder / "hidden"
        seen = int(path.read_text()) if path.exists() else 0
        path.write_text(str(seen + 1))
        return seen


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return Sources(tmp_path_factory.mktemp("hidden"))


@given(PROGRAMS, st.integers(0, 5), SINKS, SOURCES, st.integers(0, 30))
@FEW
def test_planted_nondeterminism_is_found(
    sources: Sources, program: Program, place: int, sink: str, source: str, choice: int
) -> None:
    """What differs is found exactly when it reaches an argument, branch, result, output, state."""
    check_planted(program, place, sink, sources.of(source), choice)


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 5), SINKS, SOURCES, st.integers(0, 30))
@MANY
def test_nondeterminism_in_two_thousand_agents_is_found(
    sources: Sources, program: Program, place: int, sink: str, source: str, choice: int
) -> None:
    """What differs is found exactly when it reaches an argument, branch, result, output, state."""
    check_planted(program, place, sink, sources.of(source), choice)


def test_a_stored_recording_is_the_one_that_was_made() -> None:
    """A recording comes back from its JSON form as it was."""
    world = World()
    recorded: Recorded = record(world, agent_of(world, [["retry"], ["together", [[["look"]]]]]))
    assert recorded.recording.to_json() == recorded.stored().to_json()
