"""States of the sandbox, taken and restored, around and inside of other tools."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from recording_desk import ERROR, Sandbox, record, replay
from recording_nest import Nest

from oloproof.recording.checkpoints import START
from oloproof.recording.effects import tool


def test_a_served_tool_serves_what_it_called_inside() -> None:
    """Its body does not run, and its steps are there."""
    nest = Nest()
    recorded = record(nest, nest.agent)
    again = replay(recorded, nest.agent, recorded.call("write", 6))
    assert again.difference is None
    assert ["end"] == nest.ran
    assert recorded.recording.trajectory.value == again.trajectory.value


def test_around_a_target_inside_a_tool_the_body_runs() -> None:
    """Replay reaches the target through the body of the tool that called it."""
    nest = Nest()
    recorded = record(nest, nest.agent)
    for occurrence in range(1, 7):
        again = replay(recorded, nest.agent, recorded.call("write", occurrence))
        assert again.difference is None
    again = replay(recorded, nest.agent, recorded.call("write", 5), ERROR)
    assert ["helped", "between", "failed", "end"] == again.ending.output
    log = ["helper a", "a 1", "a 2", "between", "helper b", "b 1", "end"]
    assert log == nest.state["log"]


def test_states_are_taken_only_where_they_are_asked_for() -> None:
    """A snapshot is taken at each target, and none elsewhere."""
    nest = Nest()
    recorded = record(nest, nest.agent, targets=[("write", 2), ("helper", 2)])
    assert 2 == nest.snapshots
    assert {"write", "helper"} == {e.name for e in recorded.recording.events if e.checkpoint}
    assert 2 == len(recorded.recording.states)


def test_without_a_state_of_its_own_a_target_is_reached_from_the_last_one() -> None:
    """More tools run again then, from an earlier state or from the start."""
    nest = Nest()
    recorded = record(nest, nest.agent, targets=[("write", 3)])
    assert replay(recorded, nest.agent, recorded.call("write", 6)).difference is None
    assert ["between", "b 1", "b 2", "end"] == nest.ran
    assert replay(recorded, nest.agent, recorded.call("write", 2)).difference is None
    assert ["a 1", "a 2", "between", "b 1", "b 2", "end"] == nest.ran


def test_a_snapshot_that_fails_leaves_the_last_state() -> None:
    """The case goes on, and the recording remarks it."""
    nest = Nest()
    nest.snapshot = lambda: 1 / 0  # type: ignore[assignment,return-value]
    recorded = record(nest, nest.agent)
    assert {"snapshot_failed"} == {note.kind for note in recorded.recording.notes}
    assert {START} == {e.checkpoint for e in recorded.recording.events}
    assert replay(recorded, nest.agent, recorded.call("write", 6)).difference is None


def test_tools_used_by_snapshot_and_reset_are_no_effects() -> None:
    """What reads the sandbox out may use the agent's own tools."""
    nest = Nest()
    read = tool(name="read")(lambda: None)
    plain, put = nest.snapshot, nest.reset

    def snapshot() -> bytes:
        read()
        return plain()

    def reset(state: bytes) -> None:
        read()
        put(state)

    nest.snapshot, nest.reset = snapshot, reset  # type: ignore[method-assign]
    recorded = record(nest, nest.agent)
    assert {"write", "helper"} == {event.name for event in recorded.recording.events}
    assert replay(recorded, nest.agent, recorded.call("write", 4)).difference is None


def test_overlapping_tools_share_the_last_quiet_state() -> None:
    """While another tool is at work no state is taken: the one before both stands in."""
    sandbox = Sandbox({"done": {}})

    @tool
    async def work(name: str) -> str:
        sandbox.ran.append(name)
        await asyncio.sleep(0.005)
        sandbox.state["done"][name] = True
        return name

    async def agent() -> list[str]:
        first = await work("first")
        return [first, *await asyncio.gather(work("a"), work("b"))]

    recorded = record(sandbox, agent, targets=[("work", 3)])
    assert (1, None, None, "state-3") == (
        len(recorded.recording.states),
        recorded.recording.events[0].checkpoint,
        recorded.recording.events[1].checkpoint,
        recorded.recording.events[2].checkpoint,
    )
    assert replay(recorded, agent, recorded.call("work", 3)).difference is None
    assert ["a", "b"] == sandbox.ran


def test_a_tool_that_changed_its_argument_is_found() -> None:
    """Served, its body does not run, and the agent goes on with another value."""

    @tool
    def fill(items: list[int]) -> None:
        items.append(1)

    last = tool(name="last")(lambda items: None)

    def agent() -> None:
        items: list[int] = []
        fill(items)
        last(items)

    recorded = record(Sandbox(), agent)
    again = replay(recorded, agent, recorded.call("last"))
    assert again.divergence is not None
    assert "changed_args" == again.divergence.kind


def test_a_tool_that_only_reads_keeps_no_state_from_being_taken() -> None:
    """It may overlap with a target, and is served where it began before the state."""
    sandbox = Sandbox({"done": []})

    @tool(reads=True)
    async def look() -> int:
        sandbox.ran.append("look")
        await asyncio.sleep(0.02)
        return len(sandbox.state["done"])

    @tool
    async def work() -> None:
        sandbox.ran.append("work")
        sandbox.state["done"].append(True)

    async def agent() -> int:
        async def later() -> None:
            await asyncio.sleep(0.005)
            with suppress(RuntimeError):
                await work()

        seen, _ = await asyncio.gather(look(), later())
        return seen

    recorded = record(sandbox, agent, targets=[("work", 1)])
    event = recorded.recording.events[1]
    assert ("work", "state-2") == (event.name, event.checkpoint)
    assert replay(recorded, agent, event.index).difference is None
    assert ["work"] == sandbox.ran
    again = replay(recorded, agent, event.index, ERROR)
    assert (True, True) == (again.trusted, again.delivered)
    # What it had read was the work of the struck call: it reads again, behind the fault.
    assert (0, []) == (again.ending.output, sandbox.state["done"])
