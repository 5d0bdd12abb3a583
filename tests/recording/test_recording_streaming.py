"""Calls that are cancelled, and streams that are read as far as they were."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from recording_desk import Sandbox, record, replay

from oloproof.recording.effects import model, tool


def test_a_cancelled_call_waits_until_it_is_cancelled_again() -> None:
    """A time-out of the agent's own comes to pass in the replay too."""
    sandbox = Sandbox({"mail": []})

    @tool
    async def slow() -> None:
        sandbox.ran.append("slow")
        await asyncio.sleep(60)

    @tool
    def mail(text: str) -> None:
        sandbox.state["mail"].append(text)

    async def agent() -> str:
        try:
            await asyncio.wait_for(slow(), 0.02)
        except TimeoutError:
            mail("too slow")
        return "done"

    recorded = record(sandbox, agent)
    steps: Any = recorded.recording.trajectory.value["steps"]
    assert "cancelled" == steps[1]["status"]
    again = replay(recorded, agent, recorded.call("mail"))
    assert again.difference is None
    assert [] == sandbox.ran


@model
async def words(text: str) -> AsyncIterator[str]:
    for word in text.split():
        await asyncio.sleep(0)
        yield word


@model
def sync_words(text: str) -> Iterator[str]:
    yield from text.split()


def reader(most: int, *, sync: bool) -> Callable[[], Any]:
    async def agent() -> list[str]:
        got: list[str] = []
        if sync:
            for word in sync_words("a b c"):
                got.append(word)
                if len(got) == most:
                    break
            return got
        async for word in words("a b c"):
            got.append(word)
            if len(got) == most:
                break
        return got

    return agent


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize("most", [1, 2, 99])
def test_streams_are_served_as_far_as_they_were_read(most: int, *, sync: bool) -> None:
    """A stream that was left early is left again, item by item."""
    recorded = record(Sandbox(), reader(most, sync=sync))
    again = replay(recorded, reader(most, sync=sync))
    assert (None, None) == (again.reason, again.difference)
    assert recorded.ending.output == again.ending.output
    ending = recorded.recording.events[0].ending
    assert ("returned" if most == 99 else "abandoned") == ending


@pytest.mark.parametrize("sync", [True, False])
def test_reading_beyond_what_was_recorded_is_an_overrun(*, sync: bool) -> None:
    """Nobody knows what would have come."""
    again = replay(record(Sandbox(), reader(2, sync=sync)), reader(3, sync=sync))
    assert again.divergence is not None
    assert "stream_overrun" == again.divergence.kind


@pytest.mark.parametrize("sync", [True, False])
def test_reading_less_than_was_recorded_is_a_difference(*, sync: bool) -> None:
    """A stream that is left earlier is not read as it was."""
    again = replay(record(Sandbox(), reader(2, sync=sync)), reader(1, sync=sync))
    assert again.divergence is not None
    assert "changed_result" == again.divergence.kind


def test_tools_called_while_a_stream_is_read_are_outside_of_it() -> None:
    """What the reader calls is the reader's; what the body calls is inside."""
    act = tool(name="act")(lambda key: key)

    @tool
    def rows() -> Iterator[int]:
        for number in range(2):
            act(f"inside {number}")
            yield number

    def agent() -> list[int]:
        got = []
        for row in rows():
            act(f"outside {row}")
            got.append(row)
        act("end")
        return got

    recorded = record(Sandbox(), agent)
    assert [None, 0, None, 0, None, None] == [e.parent for e in recorded.recording.events]
    for target in range(6):
        assert replay(recorded, agent, target).difference is None
