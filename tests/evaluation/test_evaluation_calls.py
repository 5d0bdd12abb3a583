"""Tool calls read from the steps of a trajectory."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.evaluation.calls import Call, calls, most_repeated


def steps(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": index, **part} for index, part in enumerate(parts, start=1)]


def called(tool: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_call", "tool_name": tool, **fields}


def result(tool: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_result", **({"tool_name": tool} if tool else {}), **fields}


def completions(*parts: dict[str, Any]) -> list[tuple[str, int | None, Any]]:
    return [(call.tool, call.completed_index, call.result) for call in calls(steps(*parts))]


@pytest.mark.parametrize(
    ("parts", "completed"),
    [
        ([called("a"), result("a", result=1)], [("a", 2, 1)]),
        (
            [called("a"), called("a"), result("a", result=1), result("a", result=2)],
            [("a", 3, 1), ("a", 4, 2)],
        ),
        (
            [
                called("a", call_id="1"),
                called("a", call_id="2"),
                result("a", call_id="2", result=2),
                result("a", call_id="1", result=1),
            ],
            [("a", 4, 1), ("a", 3, 2)],
        ),
        (
            [called("a"), called("b"), result("b", result=2), result("a", result=1)],
            [("a", 4, 1), ("b", 3, 2)],
        ),
        ([called("a", call_id="1"), result("a", result=1)], [("a", 2, 1)]),
        ([called("a"), result("a", call_id="9", result=1)], [("a", 2, 1)]),
        (
            [called("a", call_id="1"), result("a", call_id="2", result=1)],
            [("a", None, None), ("a", 2, 1)],
        ),
        ([called("a", call_id="1"), result(call_id="1", result=1)], [("a", 2, 1)]),
        ([called("a"), result(result=1)], [("a", 2, 1)]),
        ([called("a", result=1), result("a", result=1)], [("a", 1, 1)]),
        ([called("a", result=1), result("a", result=2)], [("a", 1, 1), ("a", 2, 2)]),
        ([called("a", error="no")], [("a", 1, None)]),
        ([called("a", status="executed")], [("a", 1, None)]),
        ([called("a", status="executed"), result("a", result=1)], [("a", 2, 1)]),
        ([called("a")], [("a", None, None)]),
        ([called("a"), result("a")], [("a", 2, None)]),
        ([{"kind": "message"}, called("a"), {"kind": "final", "result": 3}], [("a", None, None)]),
    ],
)
def test_each_call_finds_its_result(parts: list[Any], completed: list[Any]) -> None:
    """By its identifier, else by its tool in order; or the call step holds its own result."""
    assert completed == completions(*parts)


@pytest.mark.parametrize(
    ("parts", "succeeded"),
    [
        ([called("a"), result("a", result={"ok": True})], True),
        ([called("a"), result("a")], True),
        ([called("a")], False),
        ([called("a"), result("a", error="boom")], False),
        ([called("a"), result("a", result={"error": "internal error"})], False),
        ([called("a"), result("a", result={"error": None, "id": 1})], True),
        ([called("a", status="blocked"), result("a", result=1)], False),
        ([called("a", status="proposed")], False),
        ([called("a", status="queued"), result("a", status="executed", result=1)], True),
        ([called("a"), result("a", status="cancelled", result=1)], False),
    ],
)
def test_a_call_succeeds_when_it_comes_back_without_an_error(
    parts: list[Any], succeeded: bool
) -> None:
    """Neither raised nor told in the result, and not merely proposed or blocked."""
    (call,) = calls(steps(*parts))
    assert succeeded == call.succeeded


def test_a_fault_that_was_applied_is_seen_on_either_step() -> None:
    """The delivery recorded with the call or with its result says whether the tool did its work."""
    fault = {"fault": "applied_error", "as": "raised", "applied": True}
    for parts in (
        [called("a", fault=fault), result("a", error="x")],
        [called("a"), result("a", error="x", fault=fault)],
    ):
        (call,) = calls(steps(*parts))
        assert call.applied


def test_repeats_count_equal_arguments_by_value() -> None:
    """Key order and the form of a number do not make another call."""
    made = [
        Call("a", {"x": 1, "y": 2}, index=1),
        Call("a", {"y": 2.0, "x": 1.0}, index=2),
        Call("a", {"x": True, "y": 2}, index=3),
        Call("b", {"x": 1, "y": 2}, index=4),
    ]
    assert 2 == most_repeated(made)
    assert 0 == most_repeated([])
