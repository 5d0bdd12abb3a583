"""Graphs of LangGraph, with tools and chat models of langchain-core."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oloproof.recording.effects import NoFunctionError, tool
from tests.frameworks.frameworks_desk import Agent, Contract, Script, Shop, brain

pytest.importorskip("langgraph")

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException
from langchain_core.tools import tool as langchain_tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


def seen_in(messages: list[Any]) -> list[Any]:
    """What the model saw of its tools."""
    return [message.content for message in messages if isinstance(message, ToolMessage)]


class Scripted(BaseChatModel):
    """A chat model that follows a script."""

    follow: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        calls = [
            {"name": name, "args": {"item": item}, "id": f"c-{turn}-{place}"}
            for place, (name, item) in enumerate(self.follow(turn, seen_in(messages)))
        ]
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def graph(script: Script, tools: list[Any]) -> Any:
    """A model and its tools in turn."""
    chat = Scripted(follow=brain(script))

    async def ask(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    made = StateGraph(MessagesState)
    made.add_node("ask", ask)
    made.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    made.add_edge(START, "ask")
    made.add_conditional_edges("ask", tools_condition, ["tools", END])
    made.add_edge("tools", "ask")
    return made.compile()


class TestLangGraph(Contract):
    def agent(self, shop: Shop, script: Script, *, sync: bool, streamed: bool = False) -> Agent:
        async def run() -> list[Any]:
            put, fussy = (langchain_tool(t) for t in shop.tools(sync=sync, retry=ToolException))

            @langchain_tool
            async def delegate(item: str) -> str:
                """Ask another agent."""
                answer = await graph(((("put", item),),), [put]).ainvoke({"messages": ["go"]})
                return str(answer["messages"][-1].content)

            made = graph(script, [put, fussy, delegate])
            given = {"messages": ["go"]}
            if not streamed:
                return seen_in((await made.ainvoke(given))["messages"])
            async for state in made.astream(given, stream_mode="values"):
                last = state
            return seen_in(last["messages"])

        return run

    def shown(self, answer: Any) -> Any:
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def test_above_the_framework_s_decorator_ours_says_where_it_goes() -> None:
    """A framework's tool is called by its methods, which ours would not see."""

    @langchain_tool
    def put(item: str) -> str:
        """Order an item."""
        return item

    with pytest.raises(NoFunctionError) as raised:
        tool(put)
    assert "not `StructuredTool`" in raised.value.what
    assert "below the decorator" in str(raised.value.fix)
