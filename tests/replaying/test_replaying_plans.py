"""Every declared fault, delivered to a tool that works."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import orjson
import pytest

from oloproof.canonical import JsonValue
from oloproof.errors import ConfigurationError
from oloproof.paths import MISSING
from oloproof.recording.delivery import exception_of
from oloproof.recording.determinism import now
from oloproof.recording.effects import tool
from oloproof.recording.endings import ReplayStop
from oloproof.recording.events import Origin
from oloproof.recording.recording import RecordingSession
from oloproof.recording.replay import Replayed, ReplaySession
from oloproof.records.calls import find_call
from oloproof.records.faults import Duration, faults_at
from oloproof.records.trajectory import AgentTrajectory
from oloproof.replaying.faults.injected_text import INSTRUCTION
from oloproof.replaying.plans import fault_plan, replace_first

KINDS = faults_at("tool")
RETURNED = {"malformed", "empty", "stale"}


class Shop:
    """A shop whose tool tells how often it ran."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.state: dict[str, Any] = {"orders": []}

    @tool
    def order(self, item: str) -> Any:
        self.state["orders"].append(item)
        return self.answer or self._told()

    @tool(on_fault="return", name="order")
    def lenient(self, item: str) -> Any:
        self.state["orders"].append(item)
        return self._told()

    def _told(self) -> dict[str, Any]:
        return {"status": "ok", "orders": ["pad", *self.state["orders"]]}

    def snapshot(self) -> bytes:
        return orjson.dumps(self.state)

    def reset(self, state: bytes) -> None:
        self.state = orjson.loads(state)

    def agent(self, calls: int = 2, *, lenient: bool = False) -> list[Any]:
        """What each call gave, or the exception it raised."""
        got: list[Any] = []
        for _ in range(calls):
            try:
                got.append((self.lenient if lenient else self.order)("pen"))
            except (RuntimeError, TimeoutError) as error:
                got.append(error)
        return got


def strike(
    kind: Any,
    *,
    occurrence: int = 2,
    calls: int = 2,
    duration: Duration = "once",
    lenient: bool = False,
    answer: Any = None,
) -> tuple[list[Any], Shop, Replayed]:
    """What the agent got with a fault at a call, the shop after it, and the replay."""
    shop = Shop(answer)
    session = RecordingSession(Origin("c"), targets="all", snapshot=shop.snapshot)
    with session:
        shop.agent(calls, lenient=lenient)
    recording = session.close()
    steps: Any = recording.trajectory.value["steps"]
    step = find_call(steps, "order", occurrence)
    assert step is not None
    shop.reset(b'{"orders":[]}')
    again = ReplaySession(
        recording,
        target=recording.event_at(step),
        fault=fault_plan(kind, duration),
        reset=shop.reset,
    )
    with again:
        got = shop.agent(calls, lenient=lenient)
    return got, shop, again.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lenient", [False, True])
def test_every_fault_is_delivered_and_says_how(kind: Any, *, lenient: bool) -> None:
    """The tool runs as often as the fault says, and the step tells what was delivered."""
    plan = fault_plan(kind)
    got, shop, made = strike(kind, lenient=lenient)
    assert (True, True) == (made.trusted, made.delivered)
    assert 1 + plan.runs == len(shop.state["orders"])
    trajectory = AgentTrajectory.model_validate(made.trajectory.value)
    assert made.step_index is not None
    delivery = trajectory.steps[made.step_index].fault
    assert delivery is not None
    assert (kind, plan.runs > 0) == (delivery.fault, delivery.applied)
    raised = plan.error is not None and not lenient
    assert ("raised" if raised else "returned", raised) == (
        delivery.as_,
        isinstance(got[1], Exception),
    )
    assert delivery.visible is plan.visible
    assert None is trajectory.steps[made.step_index - 3].fault


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_raised_is_what_tools_raise(kind: Any) -> None:
    """Time-outs are `TimeoutError`s, all other failures `RuntimeError`s, with the plain text."""
    plan = fault_plan(kind)
    if plan.error is None:
        assert kind not in ("error", "timeout")
        return
    error = exception_of(plan)
    assert isinstance(error, TimeoutError if "timeout" in kind else RuntimeError)
    assert plan.error == str(error)
    assert plan.error == plan.returned()["error"]
    assert plan.retry_after_s == getattr(error, "retry_after_s", None)
    assert plan.retry_after_s == plan.returned().get("retry_after_s")


@pytest.mark.parametrize("kind", sorted(RETURNED))
def test_what_is_no_failure_is_always_returned(kind: Any) -> None:
    """A malformed, empty or stale answer is an answer."""
    assert fault_plan(kind).error is None


@pytest.mark.parametrize(
    ("kind", "given", "seen"),
    [
        ("malformed", {"a": 1}, {"raw": '{"status": '}),
        ("empty", {"a": 1}, {}),
        ("empty", [1], []),
        ("empty", "text", ""),
        ("empty", 7, 0),
        ("empty", True, False),
        ("empty", 1.5, 0.0),
        ("truncated", {"n": 1, "text": "abcd"}, {"n": 1, "text": "ab"}),
        ("truncated", {"n": 1, "m": 2}, {"n": 1}),
        ("truncated", [1, 2, 3], [1]),
        ("truncated", "abc", "a"),
        ("missing_field", {"a": 1, "b": 2}, {"b": 2}),
        ("missing_field", [1, {"a": 1, "b": 2}], [1, {"b": 2}]),
        ("wrong_type", {"a": {"b": 1}}, {"a": {"b": "1"}}),
        ("wrong_type", ["x", 1], [["x"], 1]),
        ("wrong_type", {"a": True}, {"a": "true"}),
        ("injected_text", {"a": 1, "b": "x"}, {"a": 1, "b": f"x {INSTRUCTION}"}),
        ("injected_text", {"a": 1}, {"a": 1, "note": INSTRUCTION}),
        ("injected_text", [1], [1, INSTRUCTION]),
        ("schema_drift", {"a": 1, "b": 2}, {"a_v2": 1, "b": 2}),
        ("schema_drift", {"a": 1, "a_v2": 2}, {"a_v2_v2": 1, "a_v2": 2}),
        ("schema_drift", [1, {}, {"a": {"b": 2}}], [1, {}, {"a_v2": {"b": 2}}]),
        ("partial", {"n": 5, "items": [1, 2, 3]}, {"n": 5, "items": [1]}),
        ("partial", [1, 2], [1]),
        ("partial", [[1, 2, 3, 4]], [[1, 2]]),
        ("slow", {"a": 1}, {"a": 1}),
        ("duplicate_delivery", {"a": 1}, {"a": 1}),
    ],
)
def test_an_answer_is_altered_as_the_fault_says(
    kind: Any, given: JsonValue, seen: JsonValue
) -> None:
    """What comes back is the altered answer, and nothing else changed."""
    got, _, made = strike(kind, answer=given)
    assert made.trusted
    assert orjson.dumps(seen) == orjson.dumps(got[1])


@pytest.mark.parametrize(
    "kind", ["truncated", "missing_field", "injected_text", "schema_drift", "partial"]
)
def test_an_answer_without_a_place_to_alter_is_told(kind: Any) -> None:
    """A number has no half, no field and no text."""
    with pytest.raises(ReplayStop):
        strike(kind, answer=7)


def test_stale_is_the_answer_that_the_same_call_gave_before() -> None:
    """The second call is answered as the first was; the first has nothing to be stale."""
    got, shop, made = strike("stale")
    assert made.trusted
    assert got[0] == got[1]
    assert ["pen"] == shop.state["orders"]
    shop = Shop()
    session = RecordingSession(Origin("c"), targets="all", snapshot=shop.snapshot)
    with session:
        shop.agent(1)
    again = ReplaySession(
        session.close(), target=0, fault=fault_plan("stale"), reset=lambda _: None
    )
    with pytest.raises(ReplayStop), again:
        shop.agent(1)
    made = again.close(failed=True)
    assert ("no_earlier_answer", "order") == (made.reason, made.detail)


@pytest.mark.parametrize(("duration", "struck"), [("once", 1), (2, 2), ("always", 4)])
def test_a_fault_lasts_as_long_as_it_says(duration: Duration, struck: int) -> None:
    """It strikes the target and the calls of the tool that follow."""
    got, _, made = strike("error", occurrence=1, calls=4, duration=duration)
    assert [True] * struck + [False] * (4 - struck) == [isinstance(g, Exception) for g in got]
    steps: Any = made.trajectory.value["steps"]
    assert struck == sum("fault" in step for step in steps if step["kind"] == "tool_result")


@pytest.mark.parametrize(
    ("kind", "later_s"),
    [
        ("rate_limit", 30.0),
        ("unavailable", 60.0),
        ("slow", 30.0),
        ("slow_then_error", 30.0),
        ("error", 0),
    ],
)
def test_the_clock_of_the_case_goes_on(kind: Any, later_s: float) -> None:
    """What takes time takes it of `now()` alone."""
    pay = tool(name="pay")(lambda: True)

    def agent() -> timedelta:
        before = now()
        with suppress(RuntimeError):
            pay()
        return now() - before

    session = RecordingSession(Origin("c"))
    with session:
        took = agent()
    again = ReplaySession(session.close(), target=0, fault=fault_plan(kind))
    with again:
        took_longer = agent()
    assert timedelta(seconds=later_s) == took_longer - took


@pytest.mark.parametrize("duration", [0, -1, True, "twice"])
def test_a_duration_that_is_none_is_refused(duration: Any) -> None:
    """Once, always, or a number of calls."""
    with pytest.raises(ConfigurationError, match="cannot last"):
        fault_plan("error", duration)


def test_a_fault_that_there_is_not_is_refused() -> None:
    """The nearest one is named."""
    with pytest.raises(ConfigurationError, match="did you mean `timeout`"):
        fault_plan("timeuot")


def test_the_first_place_is_changed_and_the_value_given_stays() -> None:
    """Nothing is changed in place."""
    value: JsonValue = {"a": [1, {"b": "x"}], "c": "y"}
    changed = replace_first(value, lambda v: "z" if isinstance(v, str) else MISSING)
    assert {"a": [1, {"b": "z"}], "c": "y"} == changed
    assert {"a": [1, {"b": "x"}], "c": "y"} == value
    assert MISSING is replace_first([1, {}], lambda v: "z" if isinstance(v, str) else MISSING)
