"""Which call is meant by its number, and in which turn a step is."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.records.calls import call_sites, find_call, with_turns


def step(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"index": index, "kind": kind, **fields}


STEPS = [
    step(1, "message", tool_name="refund"),
    step(2, "tool_call", tool_name="look"),
    step(3, "tool_result", tool_name="refund"),
    step(4, "tool_call", tool_name="refund"),
    step(5, "tool_call", tool_name="refund"),
    step(6, "tool_call"),
]


class TestFindCall:
    @pytest.mark.parametrize(
        ("tool", "occurrence", "index"),
        [
            ("refund", 1, 4),
            ("refund", 2, 5),
            ("refund", 3, None),
            ("look", 1, 2),
            ("gone", 1, None),
        ],
    )
    def test_only_calls_are_counted(self, tool: str, occurrence: int, index: int | None) -> None:
        """Results and messages that name the tool are no calls of it."""
        assert index == find_call(STEPS, tool, occurrence)

    @pytest.mark.parametrize(("turn", "index"), [(1, 1), (2, 4), (3, None)])
    def test_calls_of_one_turn_are_counted_apart(self, turn: int, index: int | None) -> None:
        """A step that names no turn belongs to that of the step before it."""
        steps = [
            step(1, "tool_call", tool_name="refund"),
            step(2, "message", turn=1),
            step(3, "message", turn=2),
            step(4, "tool_call", tool_name="refund"),
        ]
        assert index == find_call(steps, "refund", 1, turn)


def decision(index: int, model: str | None) -> dict[str, Any]:
    return step(index, "decision", metadata={} if model is None else {"model": model})


MIXED = [
    decision(1, "ask"),
    step(2, "tool_call", tool_name="ask"),
    decision(3, None),
    decision(4, "think"),
    decision(5, "ask"),
]


class TestModels:
    @pytest.mark.parametrize(
        ("name", "occurrence", "kind", "index"),
        [
            ("ask", 1, "model", 1),
            ("ask", 2, "model", 5),
            ("ask", 3, "model", None),
            ("ask", 1, "tool", 2),
            ("ask", 2, "tool", None),
            ("think", 1, "model", 4),
            ("think", 1, "tool", 4),
            ("think", 2, "tool", None),
        ],
    )
    def test_calls_of_a_model_are_counted_by_its_name(
        self, name: str, occurrence: int, kind: Any, index: int | None
    ) -> None:
        """A tool and a model of one name are apart; a name of one of them alone is that one."""
        assert index == find_call(MIXED, name, occurrence, kind=kind)

    def test_every_call_is_listed_in_order(self) -> None:
        """A decision that names no model is no call of one."""
        assert [
            (1, "model", "ask", 1),
            (2, "tool", "ask", 1),
            (4, "model", "think", 1),
            (5, "model", "ask", 2),
        ] == list(call_sites(MIXED))


def test_a_step_without_a_turn_belongs_to_that_of_the_step_before_it() -> None:
    """The first ones belong to turn 1."""
    steps = [step(1, "message"), step(2, "message", turn=2), step(3, "message")]
    assert [(1, 1), (2, 2), (2, 3)] == [(turn, one["index"]) for turn, one in with_turns(steps)]
