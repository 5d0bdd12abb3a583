"""Sessions to tool servers, each with a task of its own, that a case opens and leaves open."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

APP = '''
import asyncio
import contextlib
import threading
import oloproof

OPENED = "{opened}"


class Session:
    """In the place of a client of a tool server: a task answers while it is open."""

    def __init__(self, world, serve):
        self.world, self.serve = world, serve
        self.requests = asyncio.Queue()
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        while True:
            item, answer = await self.requests.get()
            answer.set_result(await self.serve(self.world, item))

    async def ask(self, item):
        answer = asyncio.get_running_loop().create_future()
        await self.requests.put((item, answer))
        return await answer


class Desk:
    session = None

    async def reset(self, state):
        self.world = state
        self.session = None
        if OPENED == "reset":
            await self.open_session()
        if "ticks" in state:
            self.ticker = asyncio.create_task(self.tick())

    async def open_session(self):
        await asyncio.sleep(0)
        self.session = Session(self.world, self.serve)

    async def tick(self):
        """What touches the sandbox for as long as it is let."""
        while True:
            await asyncio.sleep(0.001)
            self.world["ticks"] = self.world.get("ticks", 0) + 1

    async def snapshot(self):
        await asyncio.sleep(0.002)
        return self.world

    async def serve(self, world, item):
        await self.store(item)
        return {{"ok": True}}

    @oloproof.tool
    async def store(self, item):
        self.world["booked"].append(item)

    @oloproof.tool
    async def book(self, item):
        if self.session is None:
            await self.open_session()
        return await self.session.ask(item)

    async def turn(self, message):
        await asyncio.sleep(0.01)
        try:
            await self.book(message)
        except RuntimeError:
            await self.book(message)
        return "Booked."

    async def __call__(self, request):
        for message in request["all"]:
            await self.turn(message)
        return "Booked."


system = Desk
'''


def cases(count: int, *, talks: bool) -> list[dict[str, Any]]:
    """Cases that book two things each; every other one is touched by a task of its own."""
    made: list[dict[str, Any]] = []
    for n in range(count):
        both = [f"tea-{n}", f"milk-{n}"]
        asked = {"turns": both} if talks else {"input": {"all": both}}
        ticking = {"ticks": 0} if n % 2 else {}
        state = {"booked": [], **ticking}
        expected = {"state": {"booked": both}}
        made.append({"id": f"c-{n}", **asked, "initial_state": state, "expected": expected})
    return made


@pytest.mark.parametrize("opened", ["reset", "turn"])
@pytest.mark.parametrize("talks", [True, False])
@pytest.mark.parametrize("sandboxes", [1, 4])
def test_a_session_serves_its_case_and_no_other(
    tiny: TinyProject,
    monkeypatch: pytest.MonkeyPatch,
    opened: str,
    talks: bool,
    sandboxes: int,
) -> None:
    """Through all of its turns and replays; a task left running touches its own sandbox alone."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    tiny.write(
        app=APP.format(opened=opened),
        cases=cases(8, talks=talks),
        system={"timeout_s": 5},
        concurrency={"system": sandboxes},
        evaluators=[
            {"type": "state_matches", "mode": "subset"},
            {"type": "state_unchanged", "criterion": "not_ticked", "paths": ["ticks"]},
            {"type": "calls", "required": {"book": {"min": 2, "max": 2}, "store": {"min": 2}}},
            {"type": "fault_recovery", "tool": "book", "fault": "error"},
        ],
    )
    report = tiny.run()
    assert {"completed": 8} == report.outcomes
    found: dict[str, list[str]] = {}
    for n in range(8):
        for verdict in tiny.panel(f"c-{n}").verdicts:
            found.setdefault(verdict.metric, []).append(verdict.status)
    # A ticking world is hardly twice the same: most of its controls do not hold.
    del found["recovers_from_error_at_book"][1::2]
    assert {
        "state_matches": ["pass"] * 8,
        "not_ticked": ["pass", "fail"] * 4,
        "calls": ["pass"] * 8,
        "recovers_from_error_at_book": ["pass"] * 4,
    } == found
    for n in range(0, 8, 2):
        state: Any = tiny.panel(f"c-{n}").final.state
        assert "ticks" not in state
