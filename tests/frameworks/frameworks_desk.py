"""What holds of an agent in any framework: a small shop, scripted models, and the rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from oloproof.paths import MISSING
from oloproof.recording.effects import model, tool
from oloproof.records.faults import fault_names, plan_of
from oloproof.replaying.plans import fault_plan
from tests.recording.recording_desk import Recorded, Sandbox, record, replay

KINDS = fault_names()
"""Every fault that there is."""

Script: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]
"""The tools that a model calls with an item each, turn by turn."""

Agent: TypeAlias = Callable[[], Awaitable[list[Any]]]
"""An agent, which gives what its model saw of the tools' answers."""

TWICE: Script = ((("put", "tea"),), (("put", "tea"),))


class Shop(Sandbox):
    """Orders are written down, and what is refused when it is first asked for."""

    def __init__(self) -> None:
        super().__init__({"orders": [], "refused": []})

    def put(self, item: str) -> dict[str, Any]:
        self.state["orders"].append(item)
        orders = list(self.state["orders"])
        return {"order": len(orders), "items": orders, "note": "packed with care", "open": True}

    def refuses(self, item: str) -> bool:
        """Whether it is asked for the first time."""
        if item in self.state["refused"]:
            return False
        self.state["refused"].append(item)
        return True

    def tools(self, *, sync: bool, **failing: Any) -> tuple[Any, Any]:
        """The tool that puts an item, and one that fails at first as the framework has it."""
        retry = failing.pop("retry")

        def put(item: str) -> Any:
            """Order an item."""
            return self.put(item)

        async def put_later(item: str) -> Any:
            """Order an item."""
            await asyncio.sleep(0)
            return self.put(item)

        def fussy(item: str) -> Any:
            """Order an item, at the second try."""
            if self.refuses(item):
                raise retry(f"say please for {item}")
            return self.put(item)

        put_later.__name__ = "put"
        return tool(**failing)(put if sync else put_later), tool(**failing)(fussy)


def brain(script: Script) -> Callable[[int, list[Any]], list[tuple[str, str]]]:
    """A model that follows a script: what it calls in a turn; nothing where it is at its end."""

    @model(name="brain")
    def ask(turn: int, seen: list[Any]) -> dict[str, Any]:
        return {"calls": [list(call) for call in script[turn]] if turn < len(script) else []}

    def calls(turn: int, seen: list[Any]) -> list[tuple[str, str]]:
        answer = ask(turn, seen)
        found = answer.get("calls") if isinstance(answer, dict) else None
        return [(call[0], call[1]) for call in found or [] if len(call) == 2]

    return calls


def calls_of(recorded: Recorded) -> list[tuple[str, str]]:
    """The calls of tools in the order in which they are recorded."""
    steps: Any = recorded.recording.trajectory.value["steps"]
    return [
        (step["tool_name"], step["arguments"]["item"])
        for step in steps
        if step["kind"] == "tool_call"
    ]


def reproduced(shop: Shop, agent: Agent) -> Recorded:
    """An agent recorded, of which a control at each of its calls reproduces."""
    recorded = record(shop, agent)
    assert ("completed", []) == (recorded.ending.status, recorded.recording.notes)
    for event in recorded.stored().events:
        made = replay(recorded, agent, event.index)
        assert (True, None, None) == (made.trusted, made.reason, made.difference)
    return recorded


class Contract:
    """The rules; a framework says how its agents are made and what their models see."""

    def agent(self, shop: Shop, script: Script, *, sync: bool, streamed: bool = False) -> Agent:
        """An agent with the tools `put`, `fussy` and `delegate`, to which another one answers."""
        raise NotImplementedError

    def shown(self, answer: Any) -> Any:
        """What a model of the framework sees of a tool's answer."""
        raise NotImplementedError

    @pytest.mark.parametrize("streamed", [False, True])
    @pytest.mark.parametrize("sync", [False, True])
    def test_calls_are_recorded_in_order_and_controls_reproduce(
        self, *, sync: bool, streamed: bool
    ) -> None:
        """Of sync and async tools, in runs that are streamed and that are not."""
        shop = Shop()
        script: Script = ((("put", "tea"),), (("put", "milk"),), (("put", "tea"),))
        recorded = reproduced(shop, self.agent(shop, script, sync=sync, streamed=streamed))
        assert [("put", "tea"), ("put", "milk"), ("put", "tea")] == calls_of(recorded)
        assert ["tea", "milk", "tea"] == recorded.ending.state["orders"]
        kinds = [step["kind"] for step in recorded.recording.trajectory.value["steps"]]  # type: ignore[union-attr,index,call-overload]
        assert ["decision", "tool_call", "tool_result"] * 3 + ["decision"] == kinds[:10]

    @pytest.mark.parametrize("sync", [False, True])
    def test_parallel_calls_of_one_turn_reproduce(self, *, sync: bool) -> None:
        """And of them the one fails that a fault strikes."""
        shop = Shop()
        script: Script = ((("put", "tea"), ("put", "milk"), ("put", "bread")),)
        agent = self.agent(shop, script, sync=sync)
        recorded = reproduced(shop, agent)
        assert {("put", "tea"), ("put", "milk"), ("put", "bread")} == set(calls_of(recorded))
        made = replay(recorded, agent, recorded.call("put", 2), fault_plan("error"))
        assert (True, True, 2) == (made.trusted, made.delivered, len(made.ending.state["orders"]))
        assert 1 == sum("internal error" in str(seen) for seen in made.ending.output)

    @pytest.mark.parametrize("sync", [False, True])
    def test_what_the_framework_has_tried_again_is_two_calls(self, *, sync: bool) -> None:
        """The first of them failed."""
        shop = Shop()
        script: Script = ((("fussy", "tea"),), (("fussy", "tea"),))
        recorded = reproduced(shop, self.agent(shop, script, sync=sync))
        assert [("fussy", "tea")] * 2 == calls_of(recorded)
        assert (["raised", "returned"], ["tea"]) == (
            [event.ending for event in recorded.recording.events if event.kind == "tool"],
            recorded.ending.state["orders"],
        )
        assert "say please for tea" in str(recorded.ending.output[0])

    @pytest.mark.parametrize("streamed", [False, True])
    def test_calls_of_another_agent_are_recorded_and_reproduce(self, *, streamed: bool) -> None:
        """One that is asked as a tool, between calls of the first."""
        shop = Shop()
        script: Script = ((("put", "tea"),), (("delegate", "milk"),), (("put", "bread"),))
        agent = self.agent(shop, script, sync=False, streamed=streamed)
        recorded = reproduced(shop, agent)
        assert [("put", "tea"), ("put", "milk"), ("put", "bread")] == calls_of(recorded)
        made = replay(recorded, agent, recorded.call("put", 2), fault_plan("applied_error"))
        assert (True, True, ["tea", "milk", "bread"]) == (
            made.trusted,
            made.delivered,
            made.ending.state["orders"],
        )

    @pytest.mark.parametrize("sync", [False, True])
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_fault_at_a_tool_is_what_the_model_sees(self, kind: Any, *, sync: bool) -> None:
        """A failure as the framework hands it on, or an altered answer; the world is as said."""
        shop, plan = Shop(), fault_plan(kind)
        agent = self.agent(shop, TWICE, sync=sync)
        recorded = record(shop, agent)
        target = recorded.call("put", 2)
        made = replay(recorded, agent, target, plan)
        assert (True, True, None) == (made.trusted, made.delivered, made.reason)
        assert ["tea"] * (1 + plan.runs) == made.ending.state["orders"]
        if plan.error is not None:
            assert plan.error in str(made.ending.output[-1])
            return
        first, second = (
            event.result for event in recorded.recording.events if event.kind == "tool"
        )
        wanted = plan.answer(BASES[plan.basis](first, second))
        assert wanted is not MISSING
        assert self.shown(wanted) == made.ending.output[-1]

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_fault_at_a_model_strikes_or_says_why_not(self, kind: Any) -> None:
        """A model has no effect, and no earlier answer to another question."""
        shop, plan = Shop(), fault_plan(kind)
        agent = self.agent(shop, TWICE, sync=False)
        recorded = record(shop, agent)
        target = recorded.call("brain", 2, "model")
        made = replay(recorded, agent, target, plan)
        if plan_of(kind).applied or kind == "stale":
            reason = "no_earlier_answer" if kind == "stale" else "fault_not_for_models"
            assert (False, reason) == (made.trusted, made.reason)
            return
        assert (True, True, None) == (made.trusted, made.delivered, made.reason)
        step: Any = next(
            step
            for step in made.trajectory.value["steps"]  # type: ignore[union-attr]
            if isinstance(step, dict) and step.get("fault")
        )
        assert kind == step["fault"]["fault"]
        assert ("raised" if plan.error else "returned") == step["fault"]["as"]


BASES: dict[str, Callable[[Any, Any], Any]] = {
    "nothing": lambda first, second: None,
    "result": lambda first, second: json.loads(second),
    "recorded": lambda first, second: json.loads(second),
    "earlier": lambda first, second: json.loads(first),
}
"""Of what an answer is made, out of what the call gave before and gave when it was recorded."""
