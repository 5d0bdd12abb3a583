"""Whose call a call is: threads without context, several sessions, code that outlives its case."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording_desk import Recorded, Sandbox, in_thread, record, replay

from oloproof.errors import OloproofError
from oloproof.recording.effects import tool
from oloproof.recording.events import Origin
from oloproof.recording.lanes import OPEN
from oloproof.recording.recording import RecordingSession
from oloproof.recording.replay import ReplaySession


@tool
def look(key: str) -> str:
    return key


@tool
def deep(key: str) -> str:
    return look(key) + look(key)


def test_a_thread_without_context_is_adopted_while_one_case_is_open() -> None:
    """Each of its calls is a lane of its own, and what it calls inside is inside."""

    def agent() -> list[Any]:
        return [in_thread(deep, "a"), in_thread(look, "b")]

    recorded = record(Sandbox(), agent)
    events = recorded.recording.events
    assert [None, 0, 0, None] == [event.parent for event in events]
    assert [None, 0, 1, None] == [event.after for event in events]
    assert events[0].lane != events[3].lane
    assert ["adopted_thread"] == [note.kind for note in recorded.recording.notes]
    assert replay(recorded, agent).difference is None


def test_a_reused_pool_thread_is_adopted_anew() -> None:
    """A pool's thread leaves nothing of a call behind for the next."""

    def agent() -> list[Any]:
        with ThreadPoolExecutor(1) as pool:
            return [pool.submit(look, key).result() for key in "abc"]

    recorded = record(Sandbox(), agent)
    assert 3 == len({event.lane for event in recorded.recording.events})
    assert {None} == {event.after for event in recorded.recording.events}
    assert replay(recorded, agent).difference is None


@pytest.mark.parametrize("next_is_open", [True, False])
def test_a_thread_that_outlives_its_case_is_known_to_be_of_it(next_is_open: bool) -> None:
    """Its calls are refused, without a context too; its own case says so, and no other."""
    go, refused = threading.Event(), []

    def late() -> None:
        go.wait()
        try:
            look("late")
        except OloproofError as error:
            refused.append(str(error))

    thread = threading.Thread(target=late)
    first, second = RecordingSession(Origin("first")), RecordingSession(Origin("second"))
    with first:
        thread.start()
    with second if next_is_open else contextlib.nullcontext():
        go.set()
        thread.join()
        look("mine")
    assert 1 == len(refused)
    assert "after the end of its case" in refused[0]
    assert ["look"] == first.late.so_far()
    assert [] == second.late.so_far()
    assert int(next_is_open) == len(second.events)
    assert [] == second.notes


def test_a_thread_of_before_a_case_that_works_beyond_it_belongs_to_nobody_known() -> None:
    """It is refused in the next case, which says so: nobody knows whose call it is."""
    go, refused = threading.Event(), []

    def late() -> None:
        go.wait()
        try:
            look("late")
        except OloproofError as error:
            refused.append(str(error))

    thread = threading.Thread(target=late)
    thread.start()
    first, second = RecordingSession(Origin("first")), RecordingSession(Origin("second"))
    with first:
        pass
    with second:
        go.set()
        thread.join()
    assert "an earlier case" in refused[0]
    assert [] == first.late.so_far()
    assert ["effect_outside_recorder"] == [note.kind for note in second.notes]


@tool(reads=True)
def peek(gate: str) -> str:
    GATES[gate].wait(5)
    return gate


@tool
def push(gate: str) -> str:
    GATES[gate].wait(5)
    return gate


GATES: dict[str, threading.Event] = {}


@pytest.mark.parametrize(("called", "names"), [(push, ["push"]), (peek, [])])
def test_a_tool_that_comes_back_after_the_end_is_late(
    called: Callable[[str], str], names: list[str]
) -> None:
    """Unless it only reads; it is heard of by who listens, and waited for."""
    GATES["end"] = threading.Event()
    session = RecordingSession(Origin("c"))
    heard: list[str] = []
    with session:
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(called, "end"))
        thread.start()
        while not session.events:
            pass
    assert [] == session.late.so_far()
    session.late.listen(heard.append)
    session.late.wait(0.01)
    GATES["end"].set()
    session.late.wait(5)
    thread.join()
    assert names == heard


def test_what_came_back_when_the_sandbox_had_been_read_is_late() -> None:
    """It may be in the state or not; what came before is in it."""
    session = RecordingSession(Origin("c"))
    with session:
        look("before")
        session.read_at = session.clock
        look("after")
    assert ["look"] == session.late.so_far()


def test_a_thread_that_waits_for_work_between_cases_is_adopted_in_each() -> None:
    """A pool, or a thread that reads a queue, may serve every case of a process."""
    jobs: queue.Queue[Callable[[], object] | None] = queue.Queue()
    answers: queue.Queue[object] = queue.Queue()

    def serve() -> None:
        while (job := jobs.get()) is not None:
            answers.put(job())

    server = threading.Thread(target=serve)
    server.start()
    with ThreadPoolExecutor(1) as pool:

        def agent() -> list[object]:
            jobs.put(lambda: look("a"))
            return [answers.get(), pool.submit(look, "b").result()]

        for _ in range(20):
            recording = record(Sandbox(), agent).recording
            assert 2 == len(recording.events)
            assert ["adopted_thread"] == [note.kind for note in recording.notes]
    jobs.put(None)
    server.join()


def test_a_call_without_context_is_of_any_of_the_cases_that_are_open() -> None:
    """It must not fail the agent: it is made, and all of the cases say that they may lack it."""
    first, second = RecordingSession(Origin("a")), RecordingSession(Origin("b"))
    with first, second:
        assert "x" == in_thread(look, "x")
        look("mine")
    for session, calls in ((first, 0), (second, 1)):
        recording = session.close()
        assert session.is_unclear
        assert calls == len(recording.events)
        assert recording.obstacle is not None
        assert "effect_outside_recorder" == recording.obstacle.kind


def test_a_call_without_context_makes_a_replay_untrusted() -> None:
    """A replay that may lack a call says nothing."""
    recorded = record(Sandbox(), lambda: look("a"))
    session = ReplaySession(recorded.recording)
    with session, RecordingSession(Origin("other")):
        assert "x" == in_thread(look, "x")
    made = session.close()
    assert made.divergence is not None
    assert "effect_outside_recorder" == made.divergence.kind


def test_several_cases_run_side_by_side_in_threads() -> None:
    """Each case in a thread of its own records its own calls alone, tasks included."""
    barrier = threading.Barrier(4)

    def case(name: str) -> Recorded:
        async def part(number: int) -> str:
            await asyncio.sleep(0)
            return await asyncio.to_thread(look, f"{name}{number}")

        async def agent() -> list[str]:
            barrier.wait()
            return list(await asyncio.gather(*map(part, range(5))))

        recorded = record(Sandbox(), agent)
        again = replay(recorded, agent)
        assert (None, None) == (again.reason, again.difference)
        return recorded

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(case, "abcd"))
    for name, recorded in zip("abcd", made, strict=True):
        keys = {event.arguments for event in recorded.recording.events}
        assert {f'{{"key":"{name}{n}"}}' for n in range(5)} == keys
    assert [] == OPEN


def test_code_that_outlives_its_case_is_refused() -> None:
    """A thread left behind touches neither its own case nor the next."""
    held = contextvars.Context()

    def agent() -> None:
        nonlocal held
        held = contextvars.copy_context()

    record(Sandbox(), agent)
    with RecordingSession(Origin("next")) as session, pytest.raises(OloproofError, match="end of"):
        held.run(look, "late")
    assert [] == session.close().events


def test_a_call_that_never_came_back_is_recorded_without_an_end() -> None:
    """Nobody knows how far it got: its step has no status."""
    gate = threading.Event()

    @tool
    def hang() -> None:
        gate.wait(5)

    def agent() -> str:
        thread = threading.Thread(target=contextvars.copy_context().run, args=(hang,))
        thread.start()
        return "gone"

    recorded = record(Sandbox(), agent)
    gate.set()
    steps: Any = recorded.recording.trajectory.value["steps"]
    assert ["tool_call", "final"] == [step["kind"] for step in steps]
    assert "status" not in steps[0]


def test_each_step_is_told_as_it_happens() -> None:
    """Who watches a case sees each call begin and end, numbered as the trajectory is."""
    told: list[Any] = []
    recorded = record(Sandbox(), lambda: deep("a"), on_step=told.append)
    steps: Any = recorded.recording.trajectory.value["steps"]
    assert [1, 2, 3, 4, 5, 6] == [step["index"] for step in told]
    assert [step["kind"] for step in steps[:6]] == [step["kind"] for step in told]
    assert steps[2] == told[2]


def test_the_order_of_the_program_is_known_from_its_tasks() -> None:
    """A call comes after the one before it in its task, or before the task was made."""

    async def agent() -> None:
        look("before")

        async def child() -> None:
            look("child")
            look("child again")

        task = asyncio.create_task(child())
        look("meanwhile")
        await task

    events = record(Sandbox(), agent).recording.events
    assert ["before", "meanwhile", "child", "child again"] == [e.arguments[8:-2] for e in events]
    assert [None, 0, 0, 2] == [event.after for event in events]
