"""Which call a fault struck, and what was called after it, read from the steps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluation.calls import calls
from oloproof.evaluation.contract import FaultDemand
from oloproof.evaluation.faults.strikes import Strike
from oloproof.records.faults import fault_names, plan_of

PAY = FaultDemand("pay", "error")
ONE: Any = {"order": 1}


def called(tool: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_call", "tool_name": tool, "arguments": arguments, **fields}


def came_back(tool: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "tool_name": tool, **fields}


def delivery(fault: str, *, applied: bool = False) -> dict[str, Any]:
    return {"fault": {"fault": fault, "as": "returned", "applied": applied, "visible": True}}


def numbered(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    return [step | {"index": index} for index, step in enumerate(steps, start=1)]


def strike(*steps: dict[str, Any], demand: FaultDemand = PAY, step: int = 1) -> Strike:
    return Strike(numbered(*steps), demand, step)


@pytest.mark.parametrize(
    ("fields", "executed"),
    [
        ({}, True),
        ({"status": "executed"}, True),
        ({"status": "executed", "error": "down"}, True),
        *(({"status": status}, False) for status in ("proposed", "queued", "blocked", "cancelled")),
        *((delivery(fault), plan_of(fault).runs > 0) for fault in fault_names()),
        (delivery("stale", applied=True), True),
    ],
)
def test_a_call_is_executed_unless_something_kept_it_from_that(
    fields: dict[str, Any], executed: bool
) -> None:
    """Its status says so, or a fault that came before the tool; an error says nothing."""
    (call,) = calls(numbered(called("pay") | fields))
    assert executed == call.executed
    (call,) = calls(numbered(called("pay"), came_back("pay") | fields))
    assert executed == call.executed


@pytest.mark.parametrize(
    ("steps", "step", "struck", "after"),
    [
        ([called("pay"), came_back("pay"), called("look")], 1, 1, [3]),
        ([called("pay"), came_back("pay"), called("look")], 2, 1, [3]),
        ([called("pay"), called("look"), came_back("pay"), called("pay")], 1, 1, [4]),
        ([called("pay"), came_back("pay"), called("pay"), came_back("pay")], 3, 3, []),
        ([called("pay", result={}), called("look")], 1, 1, [2]),
        ([called("look"), called("pay") | delivery("error"), called("look")], 1, 2, [3]),
        ([called("pay"), called("pay", call_id="b") | delivery("error")], 1, 2, []),
        ([called("pay"), called("look")], 1, 1, [2]),
        ([called("look"), came_back("look"), called("look")], 2, None, [3]),
        ([], 1, None, []),
    ],
)
def test_after_the_fault_is_what_was_called_once_it_arrived(
    steps: list[Any], step: int, struck: int | None, after: list[int]
) -> None:
    """The struck call is told by its delivery, else by the step; later calls follow its result."""
    found = strike(*steps, step=step)
    assert struck == (None if found.struck is None else found.struck.index)
    assert after == [call.index for call in found.after]


def test_equal_arguments_are_equal_json_values() -> None:
    """The order of keys and the form of a number make no other call; the tool does."""
    first = called("pay", {"order": 1, "note": "x"})
    for again, repeats in (
        (called("pay", {"note": "x", "order": 1.0}), True),
        (called("pay", {"note": "x", "order": True}), False),
        (called("pay", {"note": "x"}), False),
        (called("gift", {"order": 1, "note": "x"}), False),
    ):
        assert repeats == strike(first, came_back("pay"), again).executed_again


def test_the_calls_until_recovery_end_with_the_first_that_does_the_work() -> None:
    """The same call goes before another of the tool, and that or an alternative counts."""
    struck = (called("pay", ONE), came_back("pay", **delivery("error")))
    other = (called("pay", {"order": 2}), came_back("pay"))
    again = (called("pay", ONE), came_back("pay"))
    failed = (called("pay", ONE), came_back("pay", error="down"))
    look = (called("look"), came_back("look"))
    tools = frozenset({"pay", "gift"})
    for steps, needed in (
        ([*again], 1),
        ([*look, *again], 2),
        ([*other, *look, *again], 3),
        ([*other, *look], 1),
        ([*failed, *look, called("gift"), came_back("gift")], 3),
        ([*failed], None),
        ([*look], None),
    ):
        assert needed == strike(*struck, *steps).calls_until_recovery(tools)


def asked(model: str, question: str, **fields: Any) -> dict[str, Any]:
    return {
        "kind": "decision",
        "metadata": {"model": model},
        "arguments": {"question": question},
        **fields,
    }


ASK = FaultDemand("ask", "error", kind="model")
FAILED = {"error": "ModelError: internal error", **delivery("error")}


def test_a_struck_model_is_followed_by_calls_of_tools_and_models() -> None:
    """It is asked again or another one is; its failure leaves no effect that could be doubled."""
    steps = [
        called("ask"),
        asked("ask", "a", result=1),
        asked("ask", "b", **FAILED),
        called("look"),
        came_back("look"),
        asked("ask", "b", error="ModelError: internal error"),
        asked("ask", "b"),
        asked("spare", "b", result=2),
    ]
    found = strike(*steps, demand=ASK, step=3)
    assert found.struck is not None
    assert (3, True, False) == (found.struck.index, found.shown, found.applied)
    assert [4, 6, 7, 8] == [call.index for call in found.after]
    assert 2 == found.repeats
    assert 3 == found.calls_until_recovery(frozenset({"ask"}))
    assert 4 == found.calls_until_recovery(frozenset({"spare"}))
    assert None is found.told_of_retry(frozenset({"ask"}), frozenset())
    assert 8 == getattr(found.first_success(frozenset({"spare"})), "index", None)


def test_a_name_that_is_a_models_alone_is_that_model() -> None:
    """However the line names it."""
    found = strike(asked("ask", "a", **FAILED), demand=ASK._replace(kind="tool"))
    assert found.struck is not None
    assert found.struck.of_model
    back = strike(called("pay"), demand=PAY._replace(kind="model"))
    assert back.struck is not None
    assert not back.struck.of_model


parts = st.sampled_from(
    [
        called("pay", ONE),
        called("pay", {"order": 2}),
        called("look"),
        came_back("pay"),
        came_back("pay", error="down"),
        came_back("pay", **delivery("error")),
        came_back("look"),
        called("pay", ONE, status="blocked"),
        {"kind": "message"},
    ]
)


@given(before=st.lists(parts, max_size=5), later=st.lists(parts, max_size=8))
def test_what_came_before_the_fault_bears_on_nothing(before: list[Any], later: list[Any]) -> None:
    """Whatever was called until then, the calls after the fault tell the same."""
    struck = (called("pay", ONE, call_id="s"), came_back("pay", call_id="s", **delivery("error")))
    earlier = [part for part in before if part["kind"] == "tool_call" and "fault" not in part]
    closed = [call | {"result": {}} for call in earlier]  # each with its own result
    tools = frozenset({"pay"})
    told = []
    for prefix in ([], closed):
        found = strike(*prefix, *struck, *later, step=len(prefix) + 1)
        told.append(
            (
                [(call.tool, call.arguments) for call in found.after],
                found.executed_again,
                found.repeats,
                found.calls_until_recovery(tools),
                found.told_of_retry(tools, frozenset()),
            )
        )
    assert told[0] == told[1]
    assert found.struck is not None
    assert len(closed) + 1 == found.struck.index
