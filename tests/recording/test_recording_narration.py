"""What the agent tells of itself."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from recording_desk import Sandbox, record, replay

from oloproof.errors import OloproofError
from oloproof.recording.effects import tool
from oloproof.recording.events import Origin
from oloproof.recording.narration import finish
from oloproof.recording.narration import record as tell
from oloproof.recording.recording import RecordingSession
from oloproof.records.trajectory import (
    AgentConstraintCheck,
    AgentTrajectory,
    Claim,
    StateUpdate,
)


def trajectory(agent: Callable[[], Any]) -> Any:
    value = record(Sandbox(), agent).recording.trajectory.value
    AgentTrajectory.model_validate(value)
    return value


def test_outside_of_a_case_there_is_nobody_to_tell() -> None:
    """Both do nothing, whatever they are given: no later case hears of it."""
    tell(message="hello", status="queued")
    tell(state_update={"revision": "no number"})
    finish("success")
    finish("done")  # type: ignore[arg-type]
    with RecordingSession(Origin("next")) as session:
        pass
    assert [] == session.close().said


def test_what_a_thread_tells_of_one_of_several_cases_is_nobodys() -> None:
    """It breaks nothing, and no case is known whole."""
    one, two = RecordingSession(Origin("one")), RecordingSession(Origin("two"))
    with one, two, ThreadPoolExecutor(1) as pool:
        pool.submit(tell, message="hello").result()
        pool.submit(finish, "failure").result()
    for session in (one, two):
        recording = session.close()
        assert [] == recording.said
        assert {"effect_outside_recorder"} == {note.kind for note in recording.notes}


def test_each_kind_of_telling_makes_its_step() -> None:
    """Records and mappings do alike."""

    def agent() -> None:
        tell(state_update=StateUpdate(revision=2, changes={"goal": "x"}, committed=True))
        tell(artefact={"name": "draft", "kind": "mail", "content": "Dear"})
        tell(message="done", claims=[Claim(subject="refund", value=49), {"subject": "mail"}])

    steps = trajectory(agent)["steps"]
    assert ["state_update", "observation", "message", "final"] == [s["kind"] for s in steps]
    update = {"revision": 2, "changes": {"goal": "x"}, "committed": True}
    assert (2, update) == (steps[0]["state_revision"], steps[0]["state_update"])
    assert {"name": "draft", "kind": "mail", "content": "Dear"} == steps[1]["artefact"]
    assert [{"subject": "refund", "value": 49}, {"subject": "mail"}] == steps[2]["claims"]
    assert "done" == steps[2]["result"]


def test_calls_bear_the_revision_that_was_committed_last() -> None:
    """A proposed revision is none to act on."""
    act = tool(name="act")(lambda: None)

    def agent() -> None:
        act()
        tell(state_update={"revision": 1, "committed": True})
        act()
        tell(state_update={"revision": 2, "committed": False})
        act()

    steps = trajectory(agent)["steps"]
    calls = [step for step in steps if step["kind"] == "tool_call"]
    assert [None, 1, 1] == [call.get("state_revision") for call in calls]


def test_a_constraint_stands_behind_the_step_it_was_checked_after() -> None:
    """It names the last step, unless it names one itself."""
    act = tool(name="act")(lambda: None)

    def agent() -> None:
        act()
        tell(constraint=AgentConstraintCheck(name="limit", passed=False, detail="too much"))
        tell(constraint={"name": "own", "passed": True, "step_index": 1})

    assert [
        {"name": "limit", "passed": False, "detail": "too much", "step_index": 2},
        {"name": "own", "passed": True, "step_index": 1},
    ] == trajectory(agent)["constraints"]


def test_a_tool_says_how_far_its_call_got() -> None:
    """The status is that of the call inside which it is told."""

    @tool
    def ask() -> str:
        tell(status="queued")
        return "later"

    steps = trajectory(ask)["steps"]
    assert ["queued", "queued"] == [step["status"] for step in steps[:2]]
    assert "unknown" not in trajectory(ask)
    with pytest.raises(OloproofError, match="outside of a tool"):
        record_raising(lambda: tell(status="queued"))


def record_raising(agent: Callable[[], Any]) -> None:
    """Run an agent and raise what it raises."""
    raised: list[BaseException] = []

    def caught() -> None:
        try:
            agent()
        except OloproofError as error:
            raised.append(error)

    record(Sandbox(), caught)
    for error in raised:
        raise error


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (lambda: finish("done"), r"there is no status 'done' \(known: `failure`"),  # type: ignore[arg-type]
        (lambda: tell(status="done"), "there is no status 'done'"),  # type: ignore[arg-type]
        (lambda: tell(claims=[{"about": 1}]), "claims"),
        (lambda: tell(state_update={"revision": 0, "committed": True}), "state_update"),
        (lambda: tell(constraint={"name": "x"}), "constraint"),
    ],
)
def test_what_does_not_fit_is_refused_where_it_is_told(agent: Any, told: str) -> None:
    """The error names the field."""
    with pytest.raises(OloproofError, match=told):
        record_raising(agent)


@pytest.mark.parametrize("status", ["success", "failure"])
def test_the_agent_says_how_it_ended(status: Any) -> None:
    """The last word counts."""

    def agent() -> None:
        finish("failure")
        finish(status)

    assert status == trajectory(agent)["terminal_status"]


def test_a_system_that_raised_has_failed_whatever_it_said() -> None:
    """Success that was claimed before an exception is none."""

    def agent() -> None:
        finish("success")
        raise ValueError

    assert "failure" == trajectory(agent)["terminal_status"]


def test_what_was_told_inside_a_served_tool_is_told_again() -> None:
    """A replay that serves a call has its inner steps, status and ending too."""

    @tool
    def inner(n: int) -> int:
        return n

    @tool
    def submit(n: int) -> int:
        tell(message="submitted", claims=[{"subject": "order"}])
        tell(status="queued", constraint={"name": "limit", "passed": True})
        finish("success")
        return inner(n)

    last = tool(name="last")(lambda: None)

    def agent() -> None:
        submit(1)
        last()

    recorded = record(Sandbox(), agent)
    again = replay(recorded, agent, recorded.call("last"))
    assert again.difference is None
    assert recorded.recording.trajectory.value == again.trajectory.value
    assert again.trajectory.value["steps"][again.step_index - 1]["tool_name"] == "last"  # type: ignore[index,call-overload,operator]


def test_what_is_told_differently_is_a_difference() -> None:
    """A control compares what the agent tells, and how it says it ended."""
    said = iter(["one", "two"])
    ends = iter(["success", "failure"])
    for agent, kind in (
        (lambda: tell(message=next(said)), "changed_result"),
        (lambda: finish(next(ends)), "changed_outcome"),  # type: ignore[arg-type]
    ):
        again = replay(record(Sandbox(), agent), agent)
        assert again.divergence is not None
        assert kind == again.divergence.kind
