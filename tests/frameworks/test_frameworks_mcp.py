"""The client of mcp over stdio, opened by a system in the ways that its documentation shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.workflows.conftest import TinyProject

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("mcp")

SERVER = """
try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("bookings")
booked = []

@server.tool()
def put(items: list[str]) -> str:
    booked[:] = items
    return "put"

@server.tool()
def book(item: str) -> str:
    booked.append(item)
    return "booked"

@server.tool()
def dump() -> str:
    return ",".join(booked)

if __name__ == "__main__":
    server.run()
"""

APP = '''
import asyncio
import os
import sys
from contextlib import AsyncExitStack
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
import oloproof

PATH = os.path.join(os.path.dirname(__file__), "server.py")
SERVER = StdioServerParameters(command=sys.executable, args=[PATH])


class Desk:
    """Its world is that of the server."""

    session = stack = None

    @oloproof.tool
    async def book(self, item):
        await self.session.call_tool("book", {"item": item})
        return {"ok": True}

    async def reset(self, state):
        await self.open_session()
        await self.session.call_tool("put", {"items": state["booked"]})

    async def enter(self):
        self.stack = AsyncExitStack()
        read, write = await self.stack.enter_async_context(stdio_client(SERVER))
        self.session = await self.stack.enter_async_context(ClientSession(read, write))
        await self.session.initialize()

    async def snapshot(self):
        dumped = await self.session.call_tool("dump", {})
        text = dumped.content[0].text
        return {"booked": text.split(",") if text else []}

    async def turn(self, message):
        await self.book(message)
        return "Booked."


class Closing(Desk):
    async def open_session(self):
        if self.stack is not None:
            await self.stack.aclose()
        await self.enter()


class Forgetting(Desk):
    async def open_session(self):
        await self.enter()


class Owning(Desk):
    """A task of its own holds the session."""

    async def open_session(self):
        self.ready = asyncio.get_running_loop().create_future()
        self.owner = asyncio.create_task(self.own())
        self.session = await self.ready

    async def own(self):
        async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            self.ready.set_result(session)
            await asyncio.Event().wait()
'''


@pytest.mark.parametrize("kind", ["Closing", "Forgetting", "Owning"])
@pytest.mark.parametrize("sandboxes", [1, 3])
def test_a_session_that_reset_opens_serves_every_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, sandboxes: int
) -> None:
    """Whether the next reset closes it, forgets it, or a task of its own holds it."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    tiny = TinyProject(tmp_path)
    (tmp_path / "server.py").write_text(SERVER)
    tiny.write(
        app=APP,
        cases=[
            {
                "id": f"c-{n}",
                "turns": [f"tea-{n}", "milk"],
                "initial_state": {"booked": [f"bread-{n}"]},
                "expected": {"state": {"booked": [f"bread-{n}", f"tea-{n}", "milk"]}},
            }
            for n in range(4)
        ],
        system={"callable": f"app:{kind}", "timeout_s": 60},
        concurrency={"system": sandboxes},
    )
    report = tiny.run()
    assert {"completed": 4} == report.outcomes
    assert ["pass"] * 4 == [tiny.verdict(f"c-{n}", "state_matches").status for n in range(4)]
