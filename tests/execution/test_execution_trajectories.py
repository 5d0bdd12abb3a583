"""The stored form of trajectories that users' systems make."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from oloproof.canonical import encode
from oloproof.errors import NotJsonError, OloproofError
from oloproof.execution import trajectories
from oloproof.execution.redaction import Redaction
from oloproof.execution.trajectories import refuse_oversize, store_trajectory
from oloproof.records.trajectory import (
    AgentCheckpoint,
    AgentConstraintCheck,
    AgentStep,
    AgentTrajectory,
    Artefact,
    Claim,
    FaultDelivery,
    StateUpdate,
    Usage,
)

NOTHING = Redaction(())

WHOLE = AgentTrajectory(
    steps=[
        AgentStep(
            index=1,
            kind="tool_call",
            tool_name="refund",
            call_id="c",
            arguments={"a": (1, 2)},
            status="executed",
            agent="one",
            to_agent="two",
            turn=1,
            state_revision=2,
            claims=[Claim(subject="order", path="a.b", value=1)],
            state_update=StateUpdate(revision=1, changes={"x": 1}, committed=True),
            artefact=Artefact(name="draft", kind="letter", content="x"),
            fault=FaultDelivery.model_validate(
                {"fault": "error", "as": "raised", "applied": False}
            ),
            metadata={"m": [1]},
            latency_ms=1.5,
        ),
        AgentStep(index=2, kind="final", result=None, error="e", latency_ms=2.5),
    ],
    terminal_status="success",
    truncated=True,
    step_limit=3,
    constraints=[AgentConstraintCheck(name="c", passed=True, detail="d", step_index=1)],
    checkpoints=[AgentCheckpoint(checkpoint_id="k", kind="checkpoint", step_index=1, payload=[1])],
    usage=Usage(input_tokens=1, cost_usd=0.5),
)


class TestForm:
    def test_every_field_comes_back(self) -> None:
        """What is stored is read again as the same trajectory, but for its timings."""
        stored = store_trajectory(WHOLE, NOTHING)
        again = AgentTrajectory.model_validate(stored.value)
        untimed = [step.model_copy(update={"latency_ms": None}) for step in WHOLE.steps]
        assert WHOLE.model_copy(update={"steps": untimed}) == again
        assert encode(stored.value) == stored.json

    def test_defaults_are_left_out(self) -> None:
        """A step costs what it says."""
        plain = AgentTrajectory(steps=[AgentStep(index=1, kind="message")])
        stored = store_trajectory(plain, NOTHING)
        assert b'{"steps":[{"index":1,"kind":"message"}]}' == stored.json

    def test_timings_stand_beside_it(self) -> None:
        """Nothing that is digested differs by a clock."""
        stored = store_trajectory(WHOLE, NOTHING)
        assert {"1": 1.5, "2": 2.5} == stored.latency_ms
        assert b"latency" not in stored.json

    def test_it_shares_nothing_with_what_was_given(self) -> None:
        """The agent may go on changing what it reported."""
        step = AgentStep(index=1, kind="tool_call", tool_name="t", arguments={"a": [1]})
        given = AgentTrajectory(steps=[step])
        stored = store_trajectory(given, NOTHING)
        step.arguments["a"].append(2)
        given.steps.clear()
        assert {"a": [1]} == stored.value["steps"][0]["arguments"]

    def test_secrets_are_taken_out(self) -> None:
        """In every free field, and before anything is handed on."""
        secret = Redaction(["KEY"], {"KEY": "hush-hush"})
        step = AgentStep(
            index=1, kind="tool_call", tool_name="t hush-hush", arguments={"hush-hush": "hush-hush"}
        )
        assert b"hush" not in store_trajectory(AgentTrajectory(steps=[step]), secret).json


class TestRefusals:
    @pytest.mark.parametrize("given", [{"steps": []}, None, [], AgentStep(index=1, kind="final")])
    def test_only_a_trajectory_is_one(self, given: object) -> None:
        """The error names what was given instead."""
        with pytest.raises(OloproofError, match=f"a {type(given).__name__} was given"):
            store_trajectory(given, NOTHING)

    @pytest.mark.parametrize(
        ("update", "where"),
        [
            ({"result": {"a": [float("nan")]}}, "steps[0].result.a[0]"),
            ({"arguments": {1, 2}}, "steps[0].arguments"),
            ({"metadata": {"at": datetime.date(2026, 1, 1)}}, "steps[0].metadata.at"),
            ({"tool_name": b"x"}, "steps[0].tool_name"),
        ],
    )
    def test_what_a_copy_let_in_is_refused_with_its_path(
        self, update: dict[str, Any], where: str
    ) -> None:
        """`model_copy` checks nothing, and would hand JSON other values than were given."""
        step = AgentStep(index=1, kind="tool_result").model_copy(update=update)
        with pytest.raises(NotJsonError) as caught:
            store_trajectory(AgentTrajectory(steps=[step]), NOTHING)
        assert where == caught.value.where

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            (AgentTrajectory.model_construct(), "list of steps"),
            (AgentTrajectory.model_construct(steps={}), "list of steps"),
            (AgentTrajectory.model_construct(steps=[1]), "step 1 is of no known kind"),
            (
                AgentTrajectory.model_construct(steps=[AgentStep.model_construct(index=1)]),
                "step 1 is of no known kind",
            ),
            (
                AgentTrajectory.model_construct(
                    steps=[AgentStep.model_construct(index=2, kind="final")]
                ),
                "step 1 has index 2",
            ),
            (
                AgentTrajectory.model_construct(
                    steps=[AgentStep.model_construct(index=1, kind="tool_call", tool_name=5)]
                ),
                "the tool name of step 1 is no text",
            ),
            (
                AgentTrajectory.model_construct(steps=[], terminal_status="fine"),
                "terminal status is 'fine'",
            ),
        ],
    )
    def test_what_was_made_without_checks_is_checked_here(
        self, given: AgentTrajectory, problem: str
    ) -> None:
        """Nothing misshapen reaches the evidence."""
        with pytest.raises(OloproofError, match="the trajectory is not valid") as caught:
            store_trajectory(given, NOTHING)
        assert problem in caught.value.what

    def test_a_value_too_large_to_be_kept_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Before it meets a limit of the store's."""
        refuse_oversize(b"x" * 1000, "the output")
        monkeypatch.setattr(trajectories, "LARGEST_VALUE_BYTES", 3 << 20)
        with pytest.raises(NotJsonError, match="the output has 4 MiB of JSON; at most 3 are kept"):
            refuse_oversize(encode("x" * (4 << 20)), "the output")


def test_records_take_tuples_for_lists_and_a_checkpoint_without_a_step_is_the_start() -> None:
    """Both are kept in one form, and neither a set nor a text is a list."""
    step = AgentStep(index=1, kind="message", claims=({"subject": "refund"},))  # type: ignore[arg-type]
    start = AgentCheckpoint(checkpoint_id="begin", kind="checkpoint")
    given: Any = {"steps": (step,), "checkpoints": (start,), "constraints": ()}
    made = AgentTrajectory(**given)
    assert made == AgentTrajectory(steps=[step], checkpoints=[start])
    assert 1 == start.step_index
    assert start == AgentCheckpoint(checkpoint_id="begin", kind="checkpoint", step_index=None)  # type: ignore[arg-type]
    assert [start] == AgentTrajectory(steps=(), checkpoints=(start,)).checkpoints  # type: ignore[arg-type]
    for other in ({step.index}, "steps", 7):
        with pytest.raises(ValidationError):
            AgentTrajectory(steps=other)  # type: ignore[arg-type]
