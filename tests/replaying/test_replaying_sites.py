"""Where faults strike, and which output steps show."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.replaying.sites import call_sites, find_call, shown_output, shows_result


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


class TestShownOutput:
    @pytest.mark.parametrize(
        ("steps", "shown"),
        [
            ([], (False, None)),
            ([step(1, "final", result={"a": 1})], (True, {"a": 1})),
            ([step(1, "final", result=1), step(2, "final", result=2)], (True, 2)),
            ([step(1, "message", result="hello")], (True, "hello")),
            ([step(1, "final", result=1), step(2, "message", result="bye")], (True, 1)),
            ([step(1, "final", result=1), step(2, "final")], (True, 1)),
            ([step(1, "final"), step(2, "tool_result", result=1)], (False, None)),
            ([step(1, "final", result=False)], (True, False)),
        ],
    )
    def test_the_last_final_step_speaks_then_the_last_message(
        self, steps: list[dict[str, Any]], shown: tuple[bool, Any]
    ) -> None:
        """Nothing else is an output."""
        assert shown == shown_output(steps)


CALL = {"tool_name": "refund", "call_id": "c-1"}


class TestShowsResult:
    @pytest.mark.parametrize(
        ("steps", "shows"),
        [
            (
                [
                    step(1, "tool_call", **CALL),
                    step(2, "tool_result", **CALL, result={"error": "timeout"}),
                ],
                True,
            ),
            ([step(1, "tool_call", **CALL, result={"error": "timeout"})], True),
            (
                [
                    step(1, "tool_call", **CALL),
                    step(2, "tool_result", **CALL, error="TimeoutError: timeout"),
                ],
                True,
            ),
            (
                [step(1, "tool_call", **CALL), step(2, "tool_result", **CALL, result="timeout")],
                True,
            ),
            (
                [step(1, "tool_call", **CALL), step(2, "tool_result", **CALL, result={"ok": True})],
                False,
            ),
            ([step(1, "tool_call", **CALL)], False),
            ([step(1, "message"), step(2, "tool_result", **CALL, result="timeout")], False),
            ([], False),
            (
                [
                    step(1, "tool_call", **CALL),
                    step(2, "tool_result", tool_name="refund", call_id="c-2", result="timeout"),
                    step(3, "tool_result", **CALL, result="fine"),
                ],
                False,
            ),
        ],
    )
    def test_the_call_or_its_own_result_has_to_show_it(
        self, steps: list[dict[str, Any]], shows: bool
    ) -> None:
        """As the result, or in the words of the error."""
        recorded = step(1, "tool_call", **CALL)
        assert shows == shows_result(steps, recorded, {"error": "timeout"})

    def test_another_call_at_its_place_shows_nothing(self) -> None:
        """Neither another tool nor other arguments are the call that was to fail."""
        recorded = step(1, "tool_call", **CALL, arguments={"id": 1})
        for other in (
            step(1, "tool_call", tool_name="pay", call_id="c-1", arguments={"id": 1}),
            step(1, "tool_call", **CALL, arguments={"id": 2}),
        ):
            steps = [other, step(2, "tool_result", **CALL, result={"error": "timeout"})]
            assert not shows_result(steps, recorded, {"error": "timeout"})

    def test_a_call_of_a_model_shows_it_in_itself(self) -> None:
        """Its one step has what came of it, and another model is another call."""
        recorded = decision(1, "ask") | {"arguments": {"q": 1}, "result": "yes"}
        failed = {"result": {"error": "timeout"}}
        for given, shows in (
            (recorded | failed, True),
            (recorded, False),
            (recorded | failed | {"metadata": {"model": "spare"}}, False),
        ):
            assert shows == shows_result([given], recorded, {"error": "timeout"})

    def test_a_result_of_its_own_beside_the_error_shows_nothing(self) -> None:
        """What the agent saw is the result where there is one."""
        recorded = step(1, "tool_call", **CALL)
        steps = [recorded, step(2, "tool_result", **CALL, result={"ok": True}, error="timeout")]
        assert not shows_result(steps, recorded, {"error": "timeout"})
