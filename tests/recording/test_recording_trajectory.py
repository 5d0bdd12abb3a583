"""The trajectory of a session, beyond its calls: usage, latencies, turns, the final step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from recording_desk import Sandbox, record

from oloproof.paths import MISSING
from oloproof.recording.effects import model, tool
from oloproof.recording.events import Origin
from oloproof.recording.recording import RecordingSession
from oloproof.records.trajectory import AgentTrajectory


@model
def ask(answer: Any) -> Any:
    return answer


@model
def stream(answers: list[Any]) -> Iterator[Any]:
    yield from answers


@tool
def act(key: str) -> str:
    if key == "bad":
        raise ValueError("no")
    return key


@tool(reads=True)
def look() -> int:
    return 1


def usage(*answers: Any) -> Any:
    recording = record(Sandbox(), lambda: [ask(answer) for answer in answers] and None).recording
    AgentTrajectory.model_validate(recording.trajectory.value)
    return recording.trajectory.value.get("usage")


def test_a_trajectory_of_calls_is_valid_and_in_order() -> None:
    """Calls, results, decisions and the output, as the record has them."""

    def agent() -> dict[str, str]:
        ask("plan")
        act("good")
        with suppress(ValueError):
            act("bad")
        return {"answer": "done"}

    trajectory = record(Sandbox(), agent).recording.trajectory
    steps = AgentTrajectory.model_validate(trajectory.value).steps
    assert ["decision", "tool_call", "tool_result", "tool_call", "tool_result", "final"] == [
        step.kind for step in steps
    ]
    assert ({"model": "ask"}, "plan") == (steps[0].metadata, steps[0].result)
    assert ("good", "executed", "good") == (
        steps[1].arguments["key"],
        steps[1].status,
        steps[2].result,
    )
    assert ("ValueError: no", "executed") == (steps[4].error, steps[4].status)
    assert {"answer": "done"} == steps[5].result
    assert steps[1].call_id == steps[2].call_id != steps[3].call_id


def test_a_call_step_says_that_its_tool_only_reads() -> None:
    """Where it is declared to; of another nothing is known."""
    recording = record(Sandbox(), lambda: [str(look()), act("good")]).recording
    steps = AgentTrajectory.model_validate(recording.trajectory.value).steps
    assert [True, None, None, None] == [step.reads for step in steps[:4]]


def test_latencies_stand_beside_the_steps() -> None:
    """What is digested does not differ by a clock."""
    trajectory = record(Sandbox(), lambda: [ask(1), act("a")]).recording.trajectory
    assert {"1", "3"} == set(trajectory.latency_ms)
    assert "latency_ms" not in str(trajectory.value)
    again = record(Sandbox(), lambda: [ask(1), act("a")]).recording
    assert trajectory.value == again.trajectory.value


def test_usage_is_added_up_as_it_was_told() -> None:
    """Both spellings count."""
    assert {"input_tokens": 8, "output_tokens": 3, "cost_usd": 0.5, "model_calls": 2} == usage(
        {"usage": {"input_tokens": 5, "output_tokens": 1, "cost_usd": 0.25}},
        {"usage": {"prompt_tokens": 3, "completion_tokens": 2, "cost_usd": 0.25}},
    )


@pytest.mark.parametrize(
    "untold",
    ["text", {}, {"usage": 3}, {"usage": {"input_tokens": True}}, {"usage": {"input_tokens": -1}}],
)
def test_what_one_call_does_not_tell_is_unknown(untold: Any) -> None:
    """Half a sum would be an estimate."""
    assert {"model_calls": 2} == usage({"usage": {"input_tokens": 5}}, untold)


def test_without_model_calls_there_is_no_usage() -> None:
    """Nothing is told of what was not there."""
    assert usage() is None


def test_a_stream_tells_its_usage_at_its_end() -> None:
    """The last item with a usage counts."""
    items = ["a", {"usage": {"input_tokens": 1}}, {"usage": {"input_tokens": 7}}]
    value = record(Sandbox(), lambda: list(stream(items)) and None).recording.trajectory.value
    assert {"input_tokens": 7, "model_calls": 1} == value["usage"]


@pytest.mark.parametrize(
    ("output", "shown"), [(MISSING, False), ({1, 2}, False), (None, True), ("x", True)]
)
def test_the_last_step_shows_an_output_that_is_json(output: Any, *, shown: bool) -> None:
    """What cannot be shown has no step."""
    session = RecordingSession(Origin("c"))
    with session:
        pass
    steps: Any = session.close(output=output).trajectory.value["steps"]
    assert shown is bool(steps)
    assert not shown or output == steps[0].get("result")


def test_steps_bear_the_turn_that_runs() -> None:
    """Who calls a conversation says which turn it is."""
    session = RecordingSession(Origin("c"))
    with session:
        for turn in (1, 2):
            session.turn = turn
            act("a")
    steps: Any = session.close(output="x").trajectory.value["steps"]
    assert [1, 1, 2, 2, 2] == [step["turn"] for step in steps]


def test_the_same_case_makes_the_same_recording() -> None:
    """Nothing in its JSON form differs from run to run."""

    def once(agent: Callable[[], Any]) -> Any:
        return record(Sandbox(), agent).recording.to_json()

    assert once(lambda: [ask(1), act("a")]) == once(lambda: [ask(1), act("a")])
