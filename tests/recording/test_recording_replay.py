"""A recording replayed: what is served, what runs, and what is held against it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from recording_desk import APPLIED, ERROR, Sandbox, event_of, record, replay, run
from recording_nest import Nest

from oloproof.recording.effects import model, tool
from oloproof.recording.endings import ReplayStop
from oloproof.recording.recording import RECORDING_SHAPE, Recording
from oloproof.recording.replay import ReplaySession
from oloproof.records.faults import FaultPlan

EMPTY_DESK = {"orders": {"o1": {"total": 49}}, "refunds": [], "mail": []}


class Desk(Sandbox):
    """A desk that refunds."""

    def __init__(self) -> None:
        super().__init__(EMPTY_DESK)
        self.asked: list[int] = []

    @tool(reads=True)
    def get_order(self, order_id: str) -> dict[str, Any]:
        self.ran.append("get_order")
        return {"status": "paid", **self.state["orders"][order_id]}

    @tool
    def refund(self, order_id: str, amount: int) -> dict[str, bool]:
        self.ran.append("refund")
        self.state["refunds"].append([order_id, amount])
        return {"ok": True}

    @tool
    def mail(self, text: str) -> None:
        self.ran.append("mail")
        self.state["mail"].append(text)

    @model
    def think(self, step: int, seen: Any) -> dict[str, Any]:
        self.asked.append(step)
        return {"step": step, "seen": seen}

    def agent(self, retries: int = 0) -> Callable[[], str]:
        def agent() -> str:
            self.think(0, None)
            order = self.get_order("o1")
            for attempt in range(retries + 1):
                self.think(1 + attempt, order)
                try:
                    self.refund("o1", order["total"])
                except RuntimeError as error:
                    order = {"total": order["total"], "error": str(error)}
                else:
                    self.mail("refunded")
                    return "refunded"
            self.mail("sorry")
            return "failed"

        return agent


def test_a_control_serves_what_was_before_and_runs_the_rest() -> None:
    """Tools behind the checkpoint run on the restored state; no model is asked."""
    desk = Desk()
    recorded = record(desk, desk.agent())
    desk.asked.clear()
    again = replay(recorded, desk.agent(), recorded.call("refund"))
    assert (True, None) == (again.trusted, again.difference)
    assert (["refund", "mail"], []) == (desk.ran, desk.asked)
    assert recorded.recording.trajectory.value == again.trajectory.value


def test_without_a_target_every_tool_runs() -> None:
    """Only model calls are served."""
    desk = Desk()
    recorded = record(desk, desk.agent())
    again = replay(recorded, desk.agent())
    assert again.difference is None
    assert ["get_order", "refund", "mail"] == desk.ran


def test_a_fault_keeps_the_tool_from_running_and_the_models_are_asked() -> None:
    """Behind the fault everything is live."""
    desk = Desk()
    recorded = record(desk, desk.agent(retries=1))
    desk.asked.clear()
    again = replay(recorded, desk.agent(retries=1), recorded.call("refund"), ERROR)
    assert (True, True) == (again.trusted, again.delivered)
    assert (["refund", "mail"], [2]) == (desk.ran, desk.asked)
    assert [["o1", 49]] == desk.state["refunds"]
    step: Any = again.trajectory.value["steps"][again.step_index]  # type: ignore[index]
    assert ("tool_result", "ToolError: internal error") == (step["kind"], step["error"])
    assert {"fault": "error", "as": "raised", "applied": False} == step["fault"]


def test_an_applied_fault_does_the_work_and_says_it_did_not() -> None:
    """An agent that retries does it twice."""
    desk = Desk()
    recorded = record(desk, desk.agent(retries=1))
    replay(recorded, desk.agent(retries=1), recorded.call("refund"), APPLIED)
    assert [["o1", 49], ["o1", 49]] == desk.state["refunds"]


def test_without_models_a_suffix_that_needs_one_says_so() -> None:
    """A call that the recording can answer is served; another is not guessed."""
    desk = Desk()
    recorded = record(desk, desk.agent(retries=1))
    desk.asked.clear()
    again = replay(
        recorded, desk.agent(retries=1), recorded.call("refund"), ERROR, models="recorded"
    )
    assert ("model_needed", "think") == (again.reason, again.detail)
    assert [] == desk.asked
    gives_up = replay(recorded, desk.agent(), recorded.call("refund"), ERROR, models="recorded")
    assert (True, "failed") == (gives_up.trusted, gives_up.ending.output)


def diverging(**changes: Callable[[Desk], Any]) -> Any:
    return [pytest.param(kind, agent, id=kind) for kind, agent in changes.items()]


def changed_args(desk: Desk) -> str:
    desk.think(0, None)
    order = desk.get_order("o1")
    desk.think(1, order)
    desk.refund("o1", 40)
    return "refunded"


def unexpected_call(desk: Desk) -> str:
    desk.think(0, None)
    tool(name="surprise")(lambda: None)()
    return desk.agent()()


def reordered(desk: Desk) -> str:
    desk.get_order("o1")
    desk.think(0, None)
    return "refunded"


def missing_call(desk: Desk) -> str:
    desk.think(0, None)
    return "refunded"


def changed_output(desk: Desk) -> str:
    desk.agent()()
    return "rejected"


def changed_state(desk: Desk) -> str:
    desk.state["hidden"] = True
    return desk.agent()()


def changed_outcome(desk: Desk) -> str:
    desk.agent()()
    raise ValueError


def changed_result(desk: Desk) -> str:
    desk.state["orders"]["o1"]["note"] = "new"
    return desk.agent()()


@pytest.mark.parametrize(
    "other",
    [
        changed_args,
        unexpected_call,
        reordered,
        missing_call,
        changed_output,
        changed_state,
        changed_outcome,
        changed_result,
    ],
)
def test_each_difference_has_its_name(other: Callable[[Desk], str]) -> None:
    """The first difference is named, with what was expected and what came."""
    desk = Desk()
    recorded = record(desk, desk.agent())
    again = replay(recorded, lambda: other(desk))
    assert again.difference is not None
    assert other.__name__ == again.difference.kind


@pytest.mark.parametrize("how", ["bare", "gather", "retry"])
def test_an_agent_that_swallows_the_stop_is_untrusted_all_the_same(how: str) -> None:
    """The mark is set when the difference is found, and no tool runs after it."""
    desk = Desk()
    recorded = record(desk, desk.agent())

    async def wrong() -> Any:
        return desk.refund("o1", 1)

    async def agent() -> Any:
        desk.think(0, None)
        if how == "gather":
            await asyncio.gather(wrong(), wrong(), return_exceptions=True)
        for _ in range(3):
            try:  # noqa: SIM105  # what agents do
                desk.refund("o1", 1)
            except:  # noqa: E722
                pass
            if how == "bare":
                break
        with pytest.raises(ReplayStop):
            desk.mail("never")
        return "refunded"

    again = replay(recorded, agent)
    assert "completed" == again.ending.status
    assert again.divergence is not None
    assert "changed_args" == again.divergence.kind
    assert [] == desk.ran


def test_a_call_that_is_skipped_is_found_by_the_next() -> None:
    """Order counts where the program made one."""
    desk = Desk()
    recorded = record(desk, desk.agent())

    def agent() -> str:
        desk.think(0, None)
        desk.think(1, {"status": "paid", "total": 49})
        return "refunded"

    again = replay(recorded, agent)
    assert again.divergence is not None
    assert "reordered" == again.divergence.kind
    assert {"kind": "tool", "name": "get_order", "arguments": {"order_id": "o1"}} == (
        again.divergence.expected
    )


def test_numbers_are_compared_by_value() -> None:
    """1 and 1.0 are the same argument, True and 1 are not."""
    desk = Desk()
    recorded = record(desk, lambda: desk.think(1, 2.0))
    assert replay(recorded, lambda: desk.think(1.0, 2)).difference is None  # type: ignore[arg-type]
    other = replay(recorded, lambda: desk.think(True, 2))
    assert other.divergence is not None
    assert "changed_args" == other.divergence.kind


def test_results_are_served_with_their_keys_in_order() -> None:
    """An agent that shows a result shows the same text again."""

    @tool
    def give() -> dict[str, int]:
        return {"z": 1, "a": 2}

    last = tool(name="last")(lambda: None)

    def agent() -> str:
        text = str(give())
        last()
        return text

    recorded = record(Sandbox(), agent)
    again = replay(recorded, agent, recorded.call("last"))
    assert "{'z': 1, 'a': 2}" == again.ending.output


def test_a_target_that_is_not_reached_is_a_missing_call() -> None:
    """A fault that was never delivered proves nothing."""
    desk = Desk()
    recorded = record(desk, desk.agent())
    again = replay(recorded, lambda: desk.think(0, None), recorded.call("refund"), ERROR)
    assert not again.delivered
    assert again.divergence is not None
    assert "missing_call" == again.divergence.kind


def test_a_scripted_model_is_noticed() -> None:
    """A model that begins its script again when it goes live is remarked."""
    desk = Desk()
    script: Iterator[str] = iter(())

    @model
    def scripted(prompt: str) -> str:
        return next(script)

    def agent() -> str:
        told = "begin"
        while scripted(told) != "stop":
            try:
                desk.refund("o1", len(told))
                told += " done"
            except RuntimeError:
                told += " failed"
        return told

    script = iter(["go", "go", "stop"])
    recorded = record(desk, agent)
    script = iter(["go", "go", "stop"])
    again = replay(recorded, agent, recorded.call("refund", 2), ERROR)
    assert ["scripted_model"] == [note.kind for note in again.notes]
    assert again.trusted


def test_calls_that_share_an_identifier_are_told_apart() -> None:
    """A retry with the same identifier is the next of that name."""
    sandbox = Sandbox({"n": 0})

    @tool(call_id=lambda arguments: arguments["key"])
    def pay(key: str, amount: int) -> int:
        sandbox.state["n"] += 1
        if sandbox.state["n"] == 1:
            raise ValueError("again")
        return amount

    def agent(amount: int = 5) -> int:
        try:
            return pay("k", amount)
        except ValueError:
            return pay("k", amount)

    recorded = record(sandbox, agent)
    assert replay(recorded, agent, recorded.call("pay", 2)).difference is None
    again = replay(recorded, lambda: agent(6))
    assert again.divergence is not None
    assert "changed_args" == again.divergence.kind


def test_a_recording_names_its_places() -> None:
    """Calls are found by tool and occurrence, and by their step."""
    nest = Nest()
    recording = record(nest, nest.agent).recording
    assert None is event_of(recording, "write", 7)
    assert None is event_of(recording, "write", 0)
    second = event_of(recording, "write", 2)
    assert second is not None
    steps = recording.trajectory
    assert second == recording.event_at(steps.call_steps[second])
    assert None is recording.event_at(99)


def test_the_shape_of_a_recording_covers_its_fields() -> None:
    """Every text of the user's is named to whoever takes secrets out."""
    fields = set(RECORDING_SHAPE)  # type: ignore[arg-type]
    desk = Desk()
    stored = Recording.from_json(record(desk, desk.agent()).recording.to_json())
    ours = {"failed", "checkpoints"}
    assert set(stored.to_json()) - ours <= fields


def test_an_agent_that_reads_the_sandbox_past_its_tools_is_found() -> None:
    """Before the checkpoint its state is not there yet."""
    desk = Desk()

    def agent() -> None:
        desk.mail("one")
        desk.refund("o1", len(desk.state["mail"]))

    recorded = record(desk, agent)
    again = replay(recorded, agent, recorded.call("refund"))
    assert again.divergence is not None
    assert "changed_args" == again.divergence.kind


def test_a_fault_without_a_target_is_a_mistake() -> None:
    """A fault strikes a call."""
    desk = Desk()
    recording = record(desk, desk.agent()).recording
    with pytest.raises(ValueError, match="needs the call"):
        ReplaySession(recording, fault=FaultPlan(fault="error", error="x"))


def test_unused_time_is_not_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sequential replay never waits."""
    desk = Desk()
    recorded = record(desk, desk.agent())
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it slept"))
    assert replay(recorded, desk.agent()).trusted
    assert "refunded" == run(desk.agent())
