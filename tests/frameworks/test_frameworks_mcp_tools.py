"""Tools declared in a server of mcp, called by an agent with its client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.frameworks.frameworks_desk import Agent, Contract, Script, Shop, brain

pytest.importorskip("mcp")

import anyio
import mcp
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError


def text_of(answer: Any) -> str:
    """What a model is shown of an answer."""
    return "".join(content.text for content in answer.content)


async def converse(client: Any, script: Script, *, streamed: bool) -> list[Any]:
    """An agent over a client; what its model saw of the tools."""
    follow, seen, turn = brain(script), [], 0
    while calls := follow(turn, list(seen)):
        answers: dict[int, str] = {}

        async def ask(place: int, name: str, item: str, answers: Any = answers) -> None:
            options = {"progress_callback": progressed} if streamed else {}
            answers[place] = text_of(await client.call_tool(name, {"item": item}, **options))

        async with anyio.create_task_group() as group:
            for place, (name, item) in enumerate(calls):
                group.start_soon(ask, place, name, item)
        seen += [answers[place] for place in sorted(answers)]
        turn += 1
    return seen


async def progressed(progress: float, total: float | None, message: str | None) -> None:
    """Hears how far a tool is."""


class TestMcp(Contract):
    def agent(self, shop: Shop, script: Script, *, sync: bool, streamed: bool = False) -> Agent:
        async def run() -> list[Any]:
            put, fussy = shop.tools(
                sync=sync, retry=ToolError, on_fault=lambda fault: ToolError(str(fault))
            )
            server = MCPServer("shop")
            for declared in (put, fussy):
                server.tool(structured_output=False)(declared)

            @server.tool(structured_output=False)
            async def delegate(item: str) -> str:
                async with mcp.Client(server) as other:
                    return "".join(await converse(other, ((("put", item),),), streamed=streamed))

            async with mcp.Client(server) as client:
                return await converse(client, script, streamed=streamed)

        return run

    def shown(self, answer: Any) -> Any:
        """Nothing is no content, and items of a list are contents of their own."""
        if answer is None:
            return ""
        if isinstance(answer, list):
            return "".join(self.shown(item) for item in answer)
        return answer if isinstance(answer, str) else json.dumps(answer, indent=2)
