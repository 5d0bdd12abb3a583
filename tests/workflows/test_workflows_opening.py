"""Systems that are opened before all cases of a sandbox and closed after them."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

APP = """
import asyncio, contextlib, os
from pathlib import Path
import oloproof

HERE = Path(__file__).parent


def note(text):
    with (HERE / "log").open("a") as log:
        log.write(text + "\\n")


class Server:
    \"\"\"A task that serves every case of the sandbox.\"\"\"

    def __init__(self):
        self.requests = asyncio.Queue()
        self.task = asyncio.create_task(self.serve())

    async def serve(self):
        while True:
            work, answer = await self.requests.get()
            answer.set_result(await work())

    async def ask(self, work):
        answer = asyncio.get_running_loop().create_future()
        await self.requests.put((work, answer))
        return await answer


class Base:
    server = None
    is_ready = False

    def begin(self):
        note("open")
        self.is_ready = True

    def end(self):
        note("close")

    async def begin_server(self):
        await asyncio.sleep(0)
        self.begin()
        self.server = Server()
        self.scope = asyncio.timeout(None)
        await self.scope.__aenter__()

    async def end_server(self):
        await self.scope.__aexit__(None, None, None)
        assert not self.server.task.done(), "the server lives until here"
        self.server.task.cancel()
        await asyncio.wait([self.server.task])
        self.end()

    @oloproof.tool
    async def write(self, name):
        self.state["by"].append(name)

    async def reset(self, state):
        assert self.is_ready
        self.state = state

    async def snapshot(self):
        return self.state

    async def __call__(self, request):
        async def work():
            await self.write(request)
        if self.server is None:
            await work()
        else:
            await self.server.ask(work)
        return request


class Manager(Base):
    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()


class AsyncManager(Base):
    async def __aenter__(self):
        await self.begin_server()
        return self

    async def __aexit__(self, *_):
        await self.end_server()


class Opened(Base):
    def open(self):
        self.begin()

    def close(self):
        self.end()


class AsyncOpened(Base):
    async def open(self):
        await self.begin_server()

    async def close(self):
        await self.end_server()


@contextlib.contextmanager
def generated():
    system = Base()
    system.begin()
    try:
        yield system
    finally:
        system.end()


@contextlib.asynccontextmanager
async def async_generated():
    system = Base()
    await system.begin_server()
    try:
        yield system
    finally:
        await system.end_server()


class Tools(Base):
    is_ready = True

    @oloproof.tool
    def open(self):
        self.state["by"].append("opened")

    @oloproof.tool
    def close(self):
        self.state["by"].append("closed")


class Failing(Base):
    def open(self):
        raise OSError("no such server")

    def close(self):
        pass


@contextlib.contextmanager
def giving_nothing():
    yield 7
"""

CASES: list[dict[str, Any]] = [
    {
        "id": f"c-{n}",
        "input": f"c-{n}",
        "initial_state": {"by": []},
        "expected": {"state": {"by": [f"c-{n}"]}},
    }
    for n in range(6)
]
KINDS = ["Manager", "AsyncManager", "Opened", "AsyncOpened", "generated", "async_generated"]


def write(tiny: TinyProject, name: str, sandboxes: int = 1, **system: Any) -> None:
    tiny.write(
        app=APP,
        cases=CASES,
        system={"callable": f"app:{name}", **system},
        concurrency={"system": sandboxes},
        evaluators=[
            {"type": "state_matches"},
            {"type": "calls", "required": {"write": {"min": 1, "max": 1}}},
        ],
    )


def log(tiny: TinyProject) -> Counter[str]:
    path = tiny.folder / "log"
    return Counter(path.read_text().split()) if path.exists() else Counter()


def statuses(tiny: TinyProject) -> set[str]:
    return {v.status for n in range(6) for v in tiny.panel(f"c-{n}").verdicts}


@pytest.mark.parametrize("kind", KINDS)
def test_a_system_is_opened_once_a_sandbox_and_closed_at_the_end(
    tiny: TinyProject, kind: str
) -> None:
    """What it began then serves every case: a task that calls a tool does so for the open one."""
    write(tiny, kind)
    tiny.run()
    assert {"open": 1, "close": 1} == log(tiny)
    assert {"pass"} == statuses(tiny)


@pytest.mark.parametrize("kind", ["AsyncManager", "AsyncOpened", "async_generated"])
def test_each_sandbox_in_a_process_is_opened(
    tiny: TinyProject, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """In the thread and the loop of its cases."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    write(tiny, kind, sandboxes=3)
    tiny.run()
    assert {"open": 3, "close": 3} == log(tiny)
    assert {"pass"} == statuses(tiny)


def test_tools_called_open_and_close_are_tools(tiny: TinyProject) -> None:
    """They are the agent's to call."""
    write(tiny, "Tools")
    tiny.run()
    assert {} == log(tiny)
    assert {"pass"} == statuses(tiny)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Failing", "opening `app:Failing` raised OSError: no such server"),
        ("giving_nothing", "what entering `app:giving_nothing` gave is an int"),
    ],
)
def test_one_that_cannot_be_opened_is_refused(tiny: TinyProject, name: str, told: str) -> None:
    """Before any case runs, with the line."""
    write(tiny, name)
    with pytest.raises(ConfigurationError, match=told):
        tiny.run()


def test_one_whose_loop_was_given_up_is_opened_again(tiny: TinyProject) -> None:
    """A task that would not end costs its own case, and not those after it."""
    stubborn = """
    async def __call__(self, request):
        if request == "c-1":
            while True:
                try:
                    await asyncio.sleep(0.01)
                except asyncio.CancelledError:
                    pass
        return await Base.__call__(self, request)
"""
    write(tiny, "AsyncOpened", timeout_s=1)
    app = APP.replace("\nclass Tools", f"{stubborn}\n\nclass Tools", 1)
    app = app.replace(stubborn, "").replace(
        "        await self.end_server()\n\n\n@contextlib.contextmanager\ndef generated",
        f"        await self.end_server()\n{stubborn}\n\n@contextlib.contextmanager\ndef generated",
    )
    (tiny.folder / "app.py").write_text(app)
    report = tiny.run()
    assert {"completed": 5, "timed_out": 1} == report.outcomes
    assert 2 == log(tiny)["open"]
    assert "pass" == tiny.verdict("c-5", "state_matches").status
