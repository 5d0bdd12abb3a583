"""A fault at a call of a model: what its client raises, and what is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

import pytest
from recording_desk import Again, Recorded, Sandbox, event_of, record, replay

from oloproof.recording.delivery import ModelError, ModelTimeoutError
from oloproof.recording.effects import model, tool
from oloproof.recording.endings import ReplayStop
from oloproof.recording.replay import ReplaySession
from oloproof.records.faults import Duration
from oloproof.records.shapes import REDACTED
from oloproof.records.trajectory import AgentTrajectory
from oloproof.replaying.faults.injected_text import INSTRUCTION
from oloproof.replaying.plans import fault_plan

RAISED: Any = {
    "error": 500,
    "timeout": None,
    "rate_limit": 429,
    "unavailable": 503,
    "auth_expired": 401,
    "slow_then_error": 500,
}


class Office(Sandbox):
    """An agent that asks, writes down what it was told, and asks once more where that failed."""

    def __init__(self) -> None:
        super().__init__({"notes": [], "rolls": 0})
        self.asked: list[str] = []
        self.errors: list[Exception] = []

    @tool
    def note(self, text: str) -> int:
        self.ran.append(text)
        self.state["notes"].append(text)
        return len(self.state["notes"])

    @model
    def ask(self, question: str) -> dict[str, str]:
        self.asked.append(question)
        return {"text": question.upper()}

    @model(name="spare")
    def ask_another(self, question: str) -> dict[str, str]:
        self.asked.append(f"spare: {question}")
        return {"text": question.upper()}

    def try_to_ask(self, question: str) -> Any:
        for _ in range(4):
            try:
                return self.ask(question)
            except (RuntimeError, TimeoutError) as error:
                self.errors.append(error)
        return self.ask_another(question)

    def agent(self) -> list[Any]:
        answers = []
        for question in ("what", "where"):
            answers.append(self.try_to_ask(question))
            self.note(question)
        return answers


def struck(
    office: Office, kind: Any, *, occurrence: int = 2, duration: Duration = "once", **options: Any
) -> tuple[Recorded, Again]:
    """The agent recorded, and replayed with a fault at one of its questions."""
    recorded = record(office, office.agent)
    office.asked.clear()
    target = recorded.call("ask", occurrence, "model")
    return recorded, replay(recorded, office.agent, target, fault_plan(kind, duration), **options)


@pytest.mark.parametrize("kind", RAISED)
def test_a_model_fails_as_the_client_of_its_provider_does(kind: Any) -> None:
    """An exception with the status of the answer, and with when to try again where it is said."""
    office = Office()
    recorded, made = struck(office, kind)
    assert (True, True) == (made.trusted, made.delivered)
    (error,) = office.errors
    assert isinstance(error, ModelTimeoutError if kind == "timeout" else ModelError)
    plan = fault_plan(kind)
    assert (RAISED[kind], plan.retry_after_s, kind) == (
        error.status_code,
        error.retry_after_s,
        error.fault,
    )
    assert recorded.ending.output == made.ending.output


def test_what_was_asked_before_is_served_and_what_is_asked_behind_is_live() -> None:
    """No model is asked the struck question; it is asked when the agent puts it again."""
    office = Office()
    recorded, made = struck(office, "error", restores=False)
    assert ["where"] == office.asked
    assert ["what", "where"] == office.ran
    assert recorded.ending.state == made.ending.state
    trajectory = AgentTrajectory.model_validate(made.trajectory.value)
    assert made.step_index is not None
    step = trajectory.steps[made.step_index - 1]
    assert ("decision", "ModelError: internal error") == (step.kind, step.error)
    assert step.fault is not None
    assert ("error", "raised", False) == (step.fault.fault, step.fault.as_, step.fault.applied)
    assert [step.index] == [s.index for s in trajectory.steps if s.fault is not None]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("malformed", {"raw": '{"status": '}),
        ("empty", {}),
        ("truncated", {"text": "WH"}),
        ("wrong_type", {"text": ["WHERE"]}),
        ("injected_text", {"text": f"WHERE {INSTRUCTION}"}),
        ("missing_field", {}),
        ("schema_drift", {"text_v2": "WHERE"}),
        ("slow", {"text": "WHERE"}),
    ],
)
@pytest.mark.parametrize("models", ["live", "recorded"])
def test_an_altered_answer_is_made_of_the_recorded_one(kind: Any, answer: Any, models: Any) -> None:
    """Nobody is asked for an answer that is known."""
    office = Office()
    _, made = struck(office, kind, models=models)
    assert (True, True, []) == (made.trusted, made.delivered, office.asked)
    assert [{"text": "WHAT"}, answer] == made.ending.output


@pytest.mark.parametrize("kind", ["applied_error", "applied_timeout", "duplicate_delivery"])
def test_a_fault_of_an_effect_strikes_no_model(kind: Any) -> None:
    """A model has no effect that could be there, or there twice."""
    _, made = struck(Office(), kind)
    assert ("fault_not_for_models", f"{kind} at ask") == (made.reason, made.detail)


def test_an_answer_without_a_place_to_alter_is_told() -> None:
    """A text has no list of which a part could be lost; and what raised gave nothing."""
    _, made = struck(Office(), "partial")
    assert ("nothing_to_alter", "ask") == (made.reason, made.detail)


@pytest.mark.parametrize(("duration", "failed"), [("once", 1), (3, 3), ("always", 4)])
@pytest.mark.parametrize("models", ["live", "recorded"])
def test_a_fault_lasts_over_the_calls_of_its_model_alone(
    duration: Duration, failed: int, models: Any
) -> None:
    """Another model answers as before, and a question asked again has its recorded answer."""
    office = Office()
    _, made = struck(office, "rate_limit", duration=duration, models=models)
    assert failed == len(office.errors)
    last = ["spare: where"] if duration == "always" else ["where"]
    if models == "live":
        assert (True, last) == (made.trusted, office.asked)
    elif duration == "always":
        assert ("model_needed", "spare", []) == (made.reason, made.detail, office.asked)
    else:
        assert (True, []) == (made.trusted, office.asked)


@pytest.mark.parametrize("restores", [True, False])
@pytest.mark.parametrize("occurrence", [1, 2])
def test_a_control_at_a_model_reproduces_and_asks_nobody(
    occurrence: int, *, restores: bool
) -> None:
    """From the start and from the state that was kept at the call."""
    office = Office()
    recorded = record(office, office.agent, [("ask", occurrence)])
    office.asked.clear()
    target = recorded.call("ask", occurrence, "model")
    made = replay(recorded, office.agent, target, restores=restores)
    assert (True, None, []) == (made.trusted, made.difference, office.asked)
    served = restores and occurrence == 2
    assert (["where"] if served else ["what", "where"]) == office.ran


def test_the_sandbox_is_put_back_where_nothing_follows_a_struck_model() -> None:
    """What tools did before is there, with or without a fault."""
    office = Office()

    def agent() -> str:
        office.note("first")
        try:
            office.ask("well")
        except RuntimeError:
            return "down"
        return "up"

    recorded = record(office, agent, [("ask", 1)])
    target = recorded.call("ask", 1, "model")
    for fault, output in ((None, "up"), (fault_plan("error"), "down")):
        made = replay(recorded, agent, target, fault)
        assert (True, output, ["first"]) == (
            made.trusted,
            made.ending.output,
            made.ending.state["notes"],
        )
        assert [] == office.ran


def test_of_parallel_questions_one_fails() -> None:
    """The others have the answers they had."""
    office = Office()

    @model
    async def ask(question: str) -> str:
        office.asked.append(question)
        await asyncio.sleep(0)
        return question.upper()

    async def agent() -> Any:
        asked = [ask(question) for question in ("a", "b", "c", "b")]
        return [str(got) for got in await asyncio.gather(*asked, return_exceptions=True)]

    recorded = record(office, agent)
    assert ["A", "B", "C", "B"] == recorded.ending.output
    office.asked.clear()
    for occurrence, wanted in (
        (1, ["internal error", "B", "C", "B"]),
        (2, ["A", "internal error", "C", "B"]),
        (4, ["A", "B", "C", "internal error"]),
    ):
        target = recorded.call("ask", occurrence, "model")
        made = replay(recorded, agent, target, fault_plan("error"))
        assert (True, wanted, []) == (made.trusted, made.ending.output, office.asked)


def test_a_fault_that_lasts_strikes_parallel_questions_too() -> None:
    """A provider that limits its rate answers none of them."""
    office = Office()

    @model
    async def ask(question: str) -> str:
        return question.upper()

    async def agent() -> Any:
        asked = [ask(question) for question in ("a", "b", "c")]
        return [str(got) for got in await asyncio.gather(*asked, return_exceptions=True)]

    recorded = record(office, agent)
    target = recorded.call("ask", 1, "model")
    made = replay(recorded, agent, target, fault_plan("error", "always"))
    assert (True, ["internal error"] * 3) == (made.trusted, made.ending.output)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_of_a_model_fails_or_is_cut(*, asynchronous: bool) -> None:
    """Its items are the recorded ones, altered as the fault says."""
    office = Office()

    @model
    def ask(question: str) -> Iterator[str]:
        office.asked.append(question)
        yield from ("one", "two", "three", "four")

    @model(name="ask")
    async def ask_async(question: str) -> AsyncIterator[str]:
        office.asked.append(question)
        for item in ("one", "two", "three", "four"):
            yield item

    async def read() -> Any:
        return [item async for item in ask_async("well")]

    def agent() -> Any:
        try:
            return asyncio.run(read()) if asynchronous else list(ask("well"))
        except Exception as error:
            return type(error).__name__

    recorded = record(office, agent)
    office.asked.clear()
    for kind, wanted in (("error", "ModelError"), ("truncated", ["one", "two"]), ("empty", [])):
        made = replay(recorded, agent, 0, fault_plan(kind))  # type: ignore[arg-type]
        assert (True, wanted, []) == (made.trusted, made.ending.output, office.asked)


def test_a_model_that_calls_tools_inside_fails_before_or_after_them() -> None:
    """Before: nothing inside happens. An altered answer is that of its body, which runs."""
    office = Office()

    @model
    def think(question: str) -> dict[str, str]:
        return {"text": f"{question} {office.note(question)}"}

    def agent() -> Any:
        office.note("begin")
        try:
            return think("why")
        except RuntimeError as error:
            return str(error)

    recorded = record(office, agent)
    target = recorded.call("think", 1, "model")
    assert replay(recorded, agent, target).difference is None
    made = replay(recorded, agent, target, fault_plan("error"))
    assert (True, "internal error", ["begin"]) == (
        made.trusted,
        made.ending.output,
        made.ending.state["notes"],
    )
    made = replay(recorded, agent, target, fault_plan("truncated"))
    assert (True, {"text": "why"[:2]}, ["begin", "why"]) == (
        made.trusted,
        made.ending.output,
        made.ending.state["notes"],
    )


def test_a_secret_in_an_answer_that_nobody_reads_is_no_obstacle() -> None:
    """Only what would be served is needed."""
    office = Office()
    recorded, _ = struck(office, "error")
    stored = recorded.stored()
    target = event_of(stored, "ask", 2, "model")
    assert target is not None
    stored.events[target].result = f'{{"text":"{REDACTED}"}}'
    for kind, reason in (("error", None), ("truncated", "redacted_value_needed")):
        office.reset(b'{"notes": [], "rolls": 0}')
        session = ReplaySession(
            stored,
            target=target,
            fault=fault_plan(kind),  # type: ignore[arg-type]
            reset=office.reset,
        )
        with suppress(ReplayStop), session:
            office.agent()
        assert reason == session.close().reason
