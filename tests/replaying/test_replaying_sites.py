"""Which result of a fault, and which output, steps show."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.replaying.sites import shown_output, shows_result


def step(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"index": index, "kind": kind, **fields}


def decision(index: int, model: str | None) -> dict[str, Any]:
    return step(index, "decision", metadata={} if model is None else {"model": model})


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
