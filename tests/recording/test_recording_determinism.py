"""Time, identifiers and randomness that a replay sees again."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from recording_desk import ERROR, Sandbox, record, replay

from oloproof.recording.determinism import now, rng, uuid4
from oloproof.recording.effects import tool
from oloproof.recording.events import EPOCH, Origin
from oloproof.recording.recording import RecordingSession


def output(agent: Callable[[], Any], **origin: Any) -> Any:
    session = RecordingSession(Origin(**({"case": "c"} | origin)))
    with session:
        return asyncio.run(agent()) if asyncio.iscoroutinefunction(agent) else agent()


def draw() -> list[Any]:
    return [str(uuid4()), rng().random()]


def test_outside_of_a_case_they_are_the_real_ones() -> None:
    """The clock is the clock, and no two draws agree."""
    before = datetime.now(UTC)
    assert before <= now() <= datetime.now(UTC)
    assert uuid4() != uuid4()
    assert rng().random() != rng().random()


def test_they_have_the_types_of_the_standard_library() -> None:
    """An aware time, a version 4 identifier, a generator."""

    def agent() -> list[Any]:
        return [now(), uuid4(), rng()]

    when, name, chance = output(agent)
    assert timedelta(0) == when.utcoffset()
    assert (uuid.UUID, 4) == (type(name), name.version)
    assert isinstance(chance, random.Random)


def test_the_same_case_draws_the_same_and_another_another() -> None:
    """Draws derive from the case and its replicate."""
    assert output(draw) == output(draw)
    assert output(draw) != output(draw, case="other")
    assert output(draw) != output(draw, replicate=2)


def test_draws_on_one_line_differ_and_other_lines_shift_nothing() -> None:
    """A counter tells draws of a line apart; a line knows nothing of the others."""

    def agent(more: int) -> list[Any]:
        for _ in range(more):
            uuid4()
        return [uuid4() for _ in range(2)]

    few, many = output(lambda: agent(0)), output(lambda: agent(3))
    assert few == many
    assert few[0] != few[1]


def test_parallel_tasks_draw_for_themselves() -> None:
    """What one task draws shifts nothing in another, whichever is first."""

    @tool
    async def look(name: str, pause_s: float) -> str:
        await asyncio.sleep(pause_s)
        return name

    def agent(pauses: dict[str, float]) -> Callable[[], Any]:
        async def part(name: str, pause_s: float) -> tuple[str, str]:
            await look(name, 0.0)
            await asyncio.sleep(pause_s)
            return name, str(uuid4())

        async def whole() -> dict[str, str]:
            return dict(await asyncio.gather(*(part(n, s) for n, s in pauses.items())))

        return whole

    first = output(agent({"a": 0.0, "b": 0.02}))
    second = output(agent({"a": 0.02, "b": 0.0}))
    assert first == second
    assert first["a"] != first["b"]


def test_the_clock_never_goes_back_and_goes_on_with_every_look() -> None:
    """Loops that wait for a time end."""

    def agent() -> list[datetime]:
        looks = [now() for _ in range(5)]
        return [*looks, now()]

    looks = output(agent)
    assert sorted(looks) == looks
    assert EPOCH == looks[0]
    assert 5 == len(set(looks))


def test_a_case_begins_when_it_is_told_to() -> None:
    """The beginning can be chosen."""
    began = datetime(2030, 5, 1, tzinfo=UTC)
    assert began == output(now, began=began)


def test_draws_inside_a_served_tool_shift_nothing_behind_it() -> None:
    """A tool that draws gives the same in a replay that runs only its last call."""
    sandbox = Sandbox({"ids": []})

    @tool
    def make(name: str) -> str:
        made = str(uuid4())
        sandbox.state["ids"].append(made)
        return made

    def agent() -> list[str]:
        return [make("same"), make("same"), str(uuid4()), make("same")]

    recorded = record(sandbox, agent)
    again = replay(recorded, agent, recorded.call("make", 3))
    assert again.difference is None
    assert 4 == len(set(recorded.ending.output))  # type: ignore[arg-type]


def test_a_fault_does_not_shift_later_draws() -> None:
    """The retry draws again, and every other line draws as before."""

    @tool
    def pay(key: str) -> str:
        return key

    def agent() -> list[str]:
        before = str(uuid4())
        try:
            pay("k")
        except RuntimeError:
            str(uuid4())
            pay("k")
        return [before, str(uuid4())]

    recorded = record(Sandbox(), agent)
    again = replay(recorded, agent, recorded.call("pay"), ERROR)
    assert again.delivered
    assert recorded.ending.output == again.ending.output
