"""Agents of openai-agents."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oloproof.recording.effects import NoFunctionError, tool
from oloproof.replaying.plans import fault_plan
from tests.frameworks.frameworks_desk import (
    Agent,
    Contract,
    Script,
    Shop,
    brain,
    calls_of,
    reproduced,
)
from tests.recording.recording_desk import replay

pytest.importorskip("agents")

import agents
from agents import ModelResponse, Runner, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

agents.set_tracing_disabled(True)


def seen_in(items: Any) -> list[Any]:
    """What the model saw of its tools."""
    found = [] if isinstance(items, str) else items
    return [item["output"] for item in found if item.get("type") == "function_call_output"]


class Scripted(Model):
    """A model that follows a script, of which each turn is one answer."""

    def __init__(self, script: Script) -> None:
        self.follow = brain(script)
        self.turn = 0

    def output(self, items: Any) -> list[Any]:
        self.turn += 1
        calls = self.follow(self.turn - 1, seen_in(items))
        if not calls:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            return [
                ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
            ]
        return [
            ResponseFunctionToolCall(
                call_id=f"{name}-{item}-{self.turn}-{place}",
                name=name,
                arguments=json.dumps({} if name.startswith("transfer") else {key_of(name): item}),
                type="function_call",
            )
            for place, (name, item) in enumerate(calls)
        ]

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
        return ModelResponse(output=self.output(input), usage=Usage(), response_id=None)

    async def stream_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=self.output(input),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(
            response=response, sequence_number=0, type="response.completed"
        )


def declared(function: Any) -> Any:
    """A tool of the framework, which would by default not tell the model what failed."""
    return function_tool(function, failure_error_function=lambda _, error: f"failed: {error}")


def key_of(name: str) -> str:
    """The parameter of a tool; an agent as a tool takes an `input`."""
    return "input" if name == "delegate" else "item"


async def seen(agent: Any, *, streamed: bool) -> list[Any]:
    """What the models of a run saw of their tools."""
    if not streamed:
        return seen_in((await Runner.run(agent, "go")).to_input_list())
    result = Runner.run_streamed(agent, "go")
    async for _ in result.stream_events():
        pass
    return seen_in(result.to_input_list())


class TestOpenAIAgents(Contract):
    def agent(self, shop: Shop, script: Script, *, sync: bool, streamed: bool = False) -> Agent:
        async def run() -> list[Any]:
            put, fussy = (declared(t) for t in shop.tools(sync=sync, retry=ValueError))
            other = agents.Agent("other", tools=[put], model=Scripted(((("put", "milk"),),)))
            delegate = other.as_tool(tool_name="delegate", tool_description="Ask another.")
            made = agents.Agent("one", tools=[put, fussy, delegate], model=Scripted(script))
            return await seen(made, streamed=streamed)

        return run

    def shown(self, answer: Any) -> Any:
        return str(answer)


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_that_hands_over_is_recorded_and_reproduces(*, streamed: bool) -> None:
    """What the next one calls comes behind what the first one called."""
    shop = Shop()

    async def run() -> list[Any]:
        put, _ = (declared(t) for t in shop.tools(sync=True, retry=ValueError))
        other = agents.Agent("other", tools=[put], model=Scripted(((("put", "milk"),),)))
        script: Script = ((("put", "tea"),), (("transfer_to_other", ""),))
        made = agents.Agent("one", tools=[put], handoffs=[other], model=Scripted(script))
        return await seen(made, streamed=streamed)

    recorded = reproduced(shop, run)
    assert [("put", "tea"), ("put", "milk")] == calls_of(recorded)
    made = replay(recorded, run, recorded.call("put", 2), fault_plan("error"))
    assert (True, ["tea"]) == (made.trusted, made.ending.state["orders"])
    assert "internal error" in made.ending.output[-1]


def test_above_function_tool_ours_says_where_it_goes() -> None:
    """A framework's tool is called by its methods, which ours would not see."""
    with pytest.raises(NoFunctionError) as raised:
        tool(function_tool(lambda item: item, name_override="put"))
    assert "not `FunctionTool`" in raised.value.what
    assert "below the decorator" in str(raised.value.fix)
