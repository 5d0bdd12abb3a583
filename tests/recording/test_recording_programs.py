"""Generated agents: what is deterministic reproduces, and what is not is found."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recording_desk import APPLIED, ERROR, Recorded, Sandbox, record, replay

from oloproof.recording.determinism import now, rng, uuid4
from oloproof.recording.effects import model, tool

Program = list[Any]
KEYS = ("a", "b", "c")


class World(Sandbox):
    """Counters, with tools that read, write, fail and call each other."""

    def __init__(self, source: Callable[[], int] | None = None) -> None:
        super().__init__(dict.fromkeys((*KEYS, "x", "y", "z"), 0))
        self.source = source
        self.decisions: list[Any] = []

    @tool
    async def add(self, key: str, amount: int = 1) -> dict[str, Any]:
        self.ran.append("add")
        await asyncio.sleep(0)
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
            case ["add", amount]:
                return await self.add(key, amount=amount)
            case ["put", amount]:
                return self.put(key, amount)
            case ["look"]:
                return await self.look(key)
            case ["retry"]:
                return await self.retry(key)
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
            case ["draw"]:
                return await self.add(key, rng().randrange(100) + now().microsecond // 1000)
            case _:
                return await self.planted(step[0], key)

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


def steps(depth: int) -> st.SearchStrategy[Any]:
    if depth == 0:
        return LEAVES
    inner = st.lists(steps(depth - 1), min_size=1, max_size=3)
    # Inside of parallel parts there is one counter each: nothing that runs in parallel again.
    alone = st.lists(LEAVES, min_size=1, max_size=3)
    return st.one_of(
        LEAVES,
        st.builds(lambda a, b: ["think", a, b], inner, inner),
        st.builds(lambda a, b: ["branch", a, b], inner, inner),
        st.builds(lambda a: ["delegate", a], inner),
        st.builds(lambda a: ["together", a], st.lists(alone, min_size=2, max_size=3)),
    )


PROGRAMS = st.lists(steps(2), min_size=1, max_size=5)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))


def agent_of(world: World, program: Program) -> Callable[[], Awaitable[Any]]:
    async def agent() -> Any:
        return await world.run(program, "a")

    return agent


def check_deterministic(program: Program, choice: int) -> None:
    world = World()
    agent = agent_of(world, program)
    recorded = record(world, agent)
    events = recorded.recording.events
    tools = [event.index for event in events if event.kind == "tool"]
    targets = [None, tools[choice % len(tools)]] if tools else [None]
    for target in targets:
        again = replay(recorded, agent, target)
        assert (None, None) == (again.reason, again.difference)
    if tools:
        for fault in (ERROR, APPLIED):
            faulted = replay(recorded, agent, targets[1], fault)
            assert (True, None, None) == (faulted.delivered, faulted.reason, faulted.divergence)


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
    again = replay(recorded, agent, target)
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
