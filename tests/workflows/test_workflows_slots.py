"""Runs of an async system whose sandboxes share a worker."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

APP = """
import asyncio, os, signal, sys, threading, time
from oloproof import AgentStep, AgentTrajectory, current_case

DOES = {
    "hang": lambda: time.sleep(60),
    "exit": lambda: os._exit(9),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda: sys.exit("enough"),
}
PLACES = set()

class Desk:
    def __init__(self):
        self.busy = False

    async def reset(self, state):
        self.state = state

    async def snapshot(self):
        return self.state

    async def __call__(self, request):
        assert not self.busy, "another case is in this sandbox"
        self.busy = True
        try:
            return await self.work(request)
        finally:
            self.busy = False

    async def work(self, request):
        PLACES.add((os.getpid(), id(self)))
        await asyncio.sleep(0.02)
        step = AgentStep(index=1, kind="message", result=current_case().id)
        current_case().agent_trajectory(AgentTrajectory(steps=[step]))
        DOES.get(request.get("does"), lambda: None)()
        found = await asyncio.to_thread(lambda: current_case().id)
        self.state["by"].append(found)
        return {"case": current_case().id, "process": os.getpid(), "places": len(PLACES)}
"""


def cases(count: int, **does: str) -> list[dict[str, Any]]:
    """Cases that each leave their name in their sandbox; some do something worse."""
    return [
        {
            "id": f"c-{n}",
            "input": {"does": does.get(f"c_{n}")},
            "initial_state": {"by": []},
            "expected": {"state": {"by": [f"c-{n}"]}},
        }
        for n in range(count)
    ]


@pytest.fixture(autouse=True)
def _one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sandboxes then share one worker, on every machine."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


def write(tiny: TinyProject, given: list[dict[str, Any]], callable_: str, **suite: Any) -> None:
    tiny.write(
        app=APP + "\nmake = Desk\n_only = Desk()\ndef same(): return _only\ndesk = Desk()\n",
        cases=given,
        system={"callable": f"app:{callable_}", "timeout_s": 1},
        concurrency={"system": 6},
        **suite,
    )


@pytest.mark.parametrize(
    ("callable_", "shared"), [("Desk", True), ("make", True), ("same", False), ("desk", False)]
)
def test_each_case_is_alone_in_its_sandbox(tiny: TinyProject, callable_: str, shared: bool) -> None:
    """A class or a factory shares a worker; one object for all has a worker for each sandbox."""
    write(tiny, cases(24), callable_)
    tiny.run()
    outputs = [tiny.panel(f"c-{n}").output for n in range(24)]
    assert [f"c-{n}" for n in range(24)] == [output["case"] for output in outputs]
    assert {"pass"} == {tiny.verdict(f"c-{n}", "state_matches").status for n in range(24)}
    assert shared == (1 == len({output["process"] for output in outputs}))
    assert shared == (max(output["places"] for output in outputs) > 1)


def test_a_case_that_ends_the_worker_touches_no_other(tiny: TinyProject) -> None:
    """Each gets its own outcome and what it reported; the others their own evidence."""
    does = {"c_3": "hang", "c_7": "kill", "c_8": "exit", "c_12": "raise"}
    write(tiny, cases(24, **does), "Desk")
    tiny.run()
    expected = {"c-3": "timed_out", "c-7": "killed", "c-8": "exited", "c-12": "exited"}
    for n in range(24):
        panel = tiny.panel(f"c-{n}")
        assert expected.get(f"c-{n}", "completed") == panel.outcome.status
        assert [f"c-{n}"] == [step["result"] for step in panel.steps]
        if f"c-{n}" not in expected:
            assert "pass" == tiny.verdict(f"c-{n}", "state_matches").status


def test_what_cannot_be_made_again_is_refused(tiny: TinyProject) -> None:
    """The second sandbox is made before any case is run."""
    app = APP + "\nmade = []\ndef make():\n    made.append(1)\n    assert len(made) < 3\n"
    app += "    return Desk()\n"
    tiny.write(
        app=app,
        cases=cases(3),
        system={"callable": "app:make"},
        concurrency={"system": 6},
    )
    with pytest.raises(ConfigurationError, match="making the system from `app:make` raised"):
        tiny.run()


@pytest.mark.parametrize(("callable_", "told"), [("Desk", 1), ("desk", 0)])
def test_that_sandboxes_share_a_process_is_said(
    tiny: TinyProject, callable_: str, told: int
) -> None:
    """Its globals are shared, too, which only the author of the system can know to be harmless."""
    write(tiny, cases(6), callable_)
    notices = tiny.run().notices
    assert told == sum("share a process" in notice for notice in notices)


THREADS = """
import asyncio, contextvars, threading
from concurrent.futures import ThreadPoolExecutor
import oloproof

POOL = ThreadPoolExecutor(8)


class Desk:
    async def reset(self, state):
        self.state = state

    async def snapshot(self):
        return self.state

    @oloproof.tool
    def book(self, name):
        self.state["by"].append(name)
        return {"ok": True}

    def in_thread(self, name):
        thread = threading.Thread(target=self.book, args=(name,))
        thread.start()
        thread.join()

    async def __call__(self, request):
        name, loop = request["name"], asyncio.get_running_loop()
        await asyncio.sleep(0.05)
        how = request["how"]
        for _ in range(2):
            try:
                if how == "default":
                    await loop.run_in_executor(None, self.book, name)
                elif how == "pool":
                    await loop.run_in_executor(POOL, self.book, name)
                else:
                    await asyncio.to_thread(self.in_thread, name)
                break
            except RuntimeError:
                pass
        return "done"


system = Desk
"""


@pytest.mark.parametrize(
    ("how", "runs"), [("default", "once"), ("pool", "once"), ("bare", "again")]
)
def test_threads_are_told_apart_where_sandboxes_share_a_process(
    tiny: TinyProject, how: str, runs: str
) -> None:
    """The loop's executors carry the context; cases with bare threads are run again, each alone.

    None of it is a failure of the agent, and faults strike.
    """
    given = [
        {
            "id": f"c-{n}",
            "input": {"name": f"c-{n}", "how": how},
            "initial_state": {"by": []},
            "expected": {"state": {"by": [f"c-{n}"]}},
        }
        for n in range(8)
    ]
    tiny.write(
        app=THREADS,
        cases=given,
        concurrency={"system": 4},
        evaluators=[
            {"type": "state_matches"},
            {"type": "calls", "required": {"book": {"min": 1, "max": 1}}},
            {"type": "fault_recovery", "tool": "book", "fault": "error"},
        ],
    )
    report = tiny.run()
    assert {"completed": 8} == report.outcomes
    assert (8, 16) == (report.executed, report.replayed)
    recovered = "pass" if runs == "once" else "fail"  # a bare thread keeps what was raised
    for n in range(8):
        found = {v.metric: v.status for v in tiny.panel(f"c-{n}").verdicts}
        assert {
            "state_matches": "pass",
            "calls": "pass",
            "recovers_from_error_at_book": recovered,
        } == found
