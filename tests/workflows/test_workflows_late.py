"""Tools that are called when their case has ended: what they did was not seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.records.report import RunReport

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

SYNC = """
import asyncio, threading, time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
import oloproof

POOL = ThreadPoolExecutor(4)
LOOP = asyncio.new_event_loop()
threading.Thread(target=LOOP.run_forever, daemon=True).start()


class Desk:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    @oloproof.tool
    def write(self, name):
        self.state["files"].append(name)

    @oloproof.tool
    def write_slowly(self, name):
        time.sleep(0.1)
        self.state["files"].append(name)

    @oloproof.tool(reads=True)
    def read_slowly(self):
        time.sleep(0.1)
        return list(self.state["files"])

    def later(self):
        time.sleep(0.1)
        self.write("late")

    async def later_in_loop(self):
        await asyncio.sleep(0.1)
        self.write("late")

    def begin(self, how):
        within = copy_context().run
        match how:
            case "thread":
                threading.Thread(target=within, args=(self.later,)).start()
            case "bare_thread":
                threading.Thread(target=self.later).start()
            case "timer":
                threading.Timer(0.1, within, (self.write, "late")).start()
            case "bare_timer":
                threading.Timer(0.1, self.write, ("late",)).start()
            case "job":
                POOL.submit(within, self.later)
            case "loop":
                asyncio.run_coroutine_threadsafe(self.later_in_loop(), LOOP)
            case "within":
                threading.Thread(target=within, args=(self.write_slowly, "late")).start()
                time.sleep(0.02)
            case "reads":
                threading.Thread(target=within, args=(self.read_slowly,)).start()
                time.sleep(0.02)
            case "waited":
                thread = threading.Thread(target=within, args=(self.later,))
                thread.start()
                thread.join()

    def __call__(self, request):
        return self.turn(request["how"])

    def turn(self, message):
        if message == "fine":
            time.sleep(0.25)
            self.write("mine")
        elif message != "stop":
            self.begin(message)
        return "done"


system = Desk
"""

ASYNC = """
import asyncio, time
import oloproof


class Desk:
    async def reset(self, state):
        self.state = state

    async def snapshot(self):
        return self.state

    @oloproof.tool
    async def write(self, name):
        self.state["files"].append(name)

    @oloproof.tool
    def write_at_once(self, name):
        self.state["files"].append(name)

    def later(self):
        time.sleep(0.1)
        self.write_at_once("late")

    async def go_on(self):
        await asyncio.sleep(0.1)
        await self.write("late")

    async def clean_up(self):
        try:
            await asyncio.sleep(60)
        finally:
            await self.write("late")

    async def begin(self, how):
        loop = asyncio.get_running_loop()
        match how:
            case "task":
                self.task = asyncio.create_task(self.go_on())
            case "cleaning":
                self.task = asyncio.create_task(self.clean_up())
                await asyncio.sleep(0)
            case "thread":
                self.task = asyncio.create_task(asyncio.to_thread(self.later))
                await asyncio.sleep(0.02)
            case "executor":
                loop.run_in_executor(None, self.later)
            case "timer":
                loop.call_later(0.1, self.write_at_once, "late")
            case "timer_task":
                loop.call_later(0.1, lambda: asyncio.ensure_future(self.write("late")))
            case "waited":
                await asyncio.create_task(self.go_on())

    async def __call__(self, request):
        return await self.turn(request["how"])

    async def turn(self, message):
        if message == "fine":
            await asyncio.sleep(0.25)
            await self.write("mine")
        elif message != "stop":
            await self.begin(message)
        return "done"


system = Desk
"""

LATE = {
    "sync": ["thread", "bare_thread", "timer", "bare_timer", "job", "loop", "within"],
    "async": ["task", "cleaning", "thread", "executor", "timer", "timer_task"],
}
IN_TIME = {"sync": ["reads", "waited"], "async": ["waited"]}


def case(name: str, how: str, *, talks: bool) -> dict[str, Any]:
    """A case whose agent goes on in some way, or is fine."""
    written = {"fine": ["mine"], "waited": ["late"]}.get(how, [])
    asked = {"turns": [how, "stop"]} if talks else {"input": {"how": how}}
    answer = "done"
    expected = {"answer": answer, "state": {"files": written}}
    if talks:
        expected = {"turns": {"2": expected}}
    return {"id": name, **asked, "initial_state": {"files": []}, "expected": expected}


EVALUATORS: list[dict[str, Any]] = [
    {"type": "exact_match", "criterion": "answered", "expected_field": "answer"},
    {"type": "state_matches", "final": True},
    {"type": "calls", "allowed": ["write", "write_at_once", "write_slowly", "read_slowly"]},
]


@pytest.mark.parametrize("talks", [False, True])
@pytest.mark.parametrize(("kind", "sandboxes"), [("sync", 1), ("async", 1), ("async", 3)])
def test_a_tool_that_is_called_after_the_end_leaves_its_case_missing(
    tiny: TinyProject, monkeypatch: pytest.MonkeyPatch, kind: str, talks: bool, sandboxes: int
) -> None:
    """Whoever calls it, while other cases run or when the worker leaves; none of these is touched.

    What was said is known all the same, and so is what came to its end in time.
    """
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    late, fine = LATE[kind], IN_TIME[kind]
    hows = [*fine, *(how for one in late for how in (one, "fine")), late[0]]
    names = [f"{n}-{how}" for n, how in enumerate(hows)]
    tiny.write(
        app=SYNC if kind == "sync" else ASYNC,
        cases=[case(name, how, talks=talks) for name, how in zip(names, hows, strict=True)],
        concurrency={"system": sandboxes},
        evaluators=EVALUATORS,
        rules=[{"id": "answers", "metric": "answered", "max_failures": 0}],
    )
    report = tiny.run()
    for name, how in zip(names, hows, strict=True):
        found = {v.metric: (v.status, v.reason) for v in tiny.panel(name).verdicts}
        lost = ("missing", "effect_after_end") if how in late else ("pass", None)
        wanted = {"answered": ("pass", None), "state_matches": lost, "calls": lost}
        assert (name, wanted) == (name, found)
    assert any("was called after the end of its case in" in note for note in report.notices)
    assert report.gate is not None
    assert "WARN" == report.gate.verdict
    assert any("effect_after_end" in note for note in report.gate.notes)
    assert_reused(tiny, report)


def assert_reused(tiny: TinyProject, report: RunReport) -> None:
    """Another run takes the marks over with the evidence, and says the same."""
    again = tiny.run()
    assert 0 == again.executed
    assert report.notices == again.notices
    assert report.metrics == again.metrics


FAULTED = """
import threading, time
from contextvars import copy_context
import oloproof

class Desk:
    def reset(self, state):
        self.state = state
    def snapshot(self):
        return self.state
    @oloproof.tool(reads=True)
    def look(self):
        return 1
    @oloproof.tool
    def write(self, name):
        self.state["files"].append(name)
    def later(self):
        time.sleep(0.1)
        self.write("late")
    def __call__(self, request):
        try:
            self.look()
        except RuntimeError:
            threading.Thread(target=copy_context().run, args=(self.later,)).start()
        return "done"

system = Desk
"""


def test_a_replay_that_goes_on_after_its_end_is_missing(tiny: TinyProject) -> None:
    """Its recording is judged as it was."""
    tiny.write(
        app=FAULTED,
        cases=[
            {
                "id": "c",
                "input": None,
                "initial_state": {"files": []},
                "expected": {"state": {"files": []}},
            }
        ],
        evaluators=[
            {"type": "state_matches"},
            {"type": "fault_recovery", "tool": "look", "fault": "error"},
        ],
    )
    report = tiny.run()
    assert "pass" == tiny.verdict("c", "state_matches").status
    recovery = tiny.verdict("c", "recovers_from_error_at_look")
    assert ("missing", "effect_after_end") == (recovery.status, recovery.reason)
    assert any("after the end of a replay" in note for note in report.notices)
    assert_reused(tiny, report)
