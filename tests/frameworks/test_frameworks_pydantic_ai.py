"""Agents of pydantic-ai."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.frameworks.frameworks_desk import Agent, Contract, Script, Shop, brain

pytest.importorskip("pydantic_ai")

import pydantic_ai
from pydantic_ai import ModelRetry
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def seen_in(messages: list[Any]) -> list[Any]:
    """What the model saw of its tools."""
    parts = [part for message in messages for part in message.parts]
    return [part.content for part in parts if isinstance(part, ToolReturnPart | RetryPromptPart)]


def scripted(script: Script) -> FunctionModel:
    """A model that follows a script, whether its answer is streamed or not."""
    follow = brain(script)

    def turn(messages: list[Any]) -> list[tuple[str, str]]:
        answered = sum(isinstance(message, ModelResponse) for message in messages)
        return follow(answered, seen_in(messages))

    def answer(messages: list[Any], _info: Any) -> ModelResponse:
        calls = turn(messages)
        parts = [ToolCallPart(name, {"item": item}) for name, item in calls]
        return ModelResponse(parts or [TextPart("done")])

    async def stream(messages: list[Any], _info: Any) -> AsyncIterator[Any]:
        calls = turn(messages)
        for place, (name, item) in enumerate(calls):
            yield {place: DeltaToolCall(name=name, json_args=json.dumps({"item": item}))}
        if not calls:
            yield "done"

    return FunctionModel(answer, stream_function=stream)


class TestPydanticAi(Contract):
    def agent(self, shop: Shop, script: Script, *, sync: bool, streamed: bool = False) -> Agent:
        async def run() -> list[Any]:
            put, fussy = shop.tools(
                sync=sync, retry=ModelRetry, on_fault=lambda fault: ModelRetry(str(fault))
            )

            async def delegate(item: str) -> str:
                other = pydantic_ai.Agent(scripted(((("put", item),),)), tools=[put], retries=3)
                return (await other.run("go")).output

            made = pydantic_ai.Agent(scripted(script), tools=[put, fussy, delegate], retries=3)
            if not streamed:
                return seen_in((await made.run("go")).all_messages())
            async with made.run_stream("go") as result:
                await result.get_output()
                return seen_in(result.all_messages())

        return run

    def shown(self, answer: Any) -> Any:
        return answer
