"""What cannot be served or restored keeps a replay from counting."""

from __future__ import annotations

import pytest
from recording_desk import Sandbox, record, replay
from recording_nest import Nest

from oloproof.recording.effects import tool
from oloproof.recording.endings import ReplayStop
from oloproof.recording.replay import ReplaySession
from oloproof.records.shapes import REDACTED


def test_a_redacted_value_is_not_served() -> None:
    """The agent would see the mark in place of its value."""
    key = "sk-12345"
    give = tool(name="give")(lambda: key)
    last = tool(name="last")(lambda: None)

    def agent() -> str:
        given = give()
        last()
        return str(given)

    def clean(text: str) -> str:
        return text.replace(key, f"{REDACTED}KEY]")

    recorded = record(Sandbox(), agent)
    event = recorded.recording.events[0]
    event.result = clean(event.result or "")
    again = replay(recorded, agent, recorded.call("last"), clean=clean)
    assert ("redacted_value_needed", "give") == (again.reason, again.detail)
    live = replay(recorded, agent, recorded.call("give"), clean=clean)
    assert live.trusted


def test_arguments_are_compared_as_they_are_redacted() -> None:
    """A secret in an argument is no difference."""
    send = tool(name="send")(lambda key: None)

    def clean(text: str) -> str:
        return text.replace("secret", f"{REDACTED}KEY]")

    recorded = record(Sandbox(), lambda: send("secret"))
    event = recorded.recording.events[0]
    event.arguments = clean(event.arguments)
    assert replay(recorded, lambda: send("secret"), clean=clean).trusted
    assert not replay(recorded, lambda: send("public"), clean=clean).trusted


def test_a_redacted_state_cannot_be_restored() -> None:
    """A sandbox with a mark in place of a value is another one."""
    nest = Nest()
    recorded = record(nest, nest.agent)
    target = recorded.call("write", 6)
    name = recorded.recording.events[target].checkpoint
    assert name is not None
    recorded.recording.states[name] = b'{"log":["[redacted:KEY]"]}'
    assert "redacted_value_needed" == replay(recorded, nest.agent, target).reason
    del recorded.recording.states[name]
    assert "checkpoint_missing" == replay(recorded, nest.agent, target).reason


def test_a_reset_that_fails_is_the_reason() -> None:
    """A sandbox that cannot be restored says nothing of the agent."""
    nest = Nest()
    recorded = record(nest, nest.agent)

    def broken(state: bytes) -> None:
        raise OSError

    session = ReplaySession(recorded.recording, target=recorded.call("write", 4), reset=broken)
    with pytest.raises(ReplayStop), session:
        nest.agent()
    assert ("reset_raised", "OSError") == (session.reason, session.detail)
