"""The first difference between a recording and its control, by name and place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, CaseEvidence, Moment, Outcome
from oloproof.replaying.comparator import first_divergence

CALL = {"kind": "tool_call", "tool_name": "refund", "arguments": {"id": 1}}
OTHER = {"kind": "tool_call", "tool_name": "escalate", "arguments": {}}
RESULT = {"kind": "tool_result", "tool_name": "refund", "result": {"ok": True}}
FINAL = {"kind": "final", "result": "done"}


def seen(
    *steps: dict[str, Any],
    state: Any = MISSING,
    ending: str = "success",
    outcome: Outcome = COMPLETED,
) -> CaseEvidence:
    numbered = [{"index": n, **step} for n, step in enumerate(steps, start=1)]
    return CaseEvidence(
        outcome=outcome,
        trajectory={"steps": numbered, "terminal_status": ending},  # type: ignore[dict-item]
        worlds=() if state is MISSING else (Moment(state),),
    )


class TestDivergences:
    @pytest.mark.parametrize(
        ("recorded", "replayed", "kind", "where"),
        [
            ([CALL, RESULT], [CALL, RESULT, FINAL], "unexpected_call", "step 3"),
            ([CALL, RESULT, FINAL], [CALL], "missing_call", "step 2"),
            ([CALL], [], "missing_call", "step 1"),
            ([CALL], [OTHER], "unexpected_call", "step 1"),
            ([CALL], [CALL | {"kind": "message"}], "unexpected_call", "step 1"),
            ([CALL], [CALL | {"agent": "second"}], "unexpected_call", "step 1"),
            ([CALL], [CALL | {"turn": 2}], "unexpected_call", "step 1"),
            (
                [CALL],
                [CALL | {"arguments": {"id": 2}}],
                "changed_args",
                "step 1: arguments of refund",
            ),
            (
                [CALL],
                [{"kind": "tool_call", "tool_name": "refund"}],
                "changed_args",
                "step 1: arguments of refund",
            ),
            (
                [RESULT],
                [RESULT | {"result": {"ok": 1}}],
                "changed_result",
                "step 1: result of refund",
            ),
            ([RESULT], [RESULT | {"error": "no"}], "changed_result", "step 1: error of refund"),
            ([FINAL], [FINAL | {"result": "gone"}], "changed_output", "step 1: result of final"),
            ([CALL, OTHER], [OTHER, CALL], "reordered", "step 1"),
            (
                [CALL, CALL | {"arguments": {"id": 2}}],
                [CALL | {"arguments": {"id": 2}}, CALL],
                "reordered",
                "step 1: arguments of refund",
            ),
            ([CALL, OTHER], [OTHER, OTHER], "unexpected_call", "step 1"),
        ],
    )
    def test_steps(self, recorded: list[Any], replayed: list[Any], kind: str, where: str) -> None:
        """Kind, agent, turn, tool, arguments, result and error of each step count, and order."""
        found = first_divergence(seen(*recorded), seen(*replayed), first_step=1)
        assert found is not None
        assert (kind, where) == (found.kind, found.where)

    @pytest.mark.parametrize(
        ("recording", "control", "kind", "where"),
        [
            (
                seen(FINAL),
                seen(FINAL, ending="failure"),
                "changed_outcome",
                "terminal status",
            ),
            (
                seen(FINAL, outcome=Outcome("raised", "x")),
                seen(FINAL),
                "changed_outcome",
                "outcome",
            ),
            (seen(FINAL, state={"a": 1}), seen(FINAL), "changed_state", "final state (recorded on"),
            (seen(FINAL), seen(FINAL, state=None), "changed_state", "final state (recorded on"),
            (
                seen(FINAL, state={"orders": [{"x.y": True}]}),
                seen(FINAL, state={"orders": [{"x.y": 1}]}),
                "changed_state",
                'final state at orders[0]."x.y"',
            ),
            (
                seen(FINAL, state={"a": 1}),
                seen(FINAL, state={"a": 1, "b": None}),
                "changed_state",
                "final state at b",
            ),
            (seen(FINAL, state=1), seen(FINAL, state=2), "changed_state", "final state"),
        ],
    )
    def test_ends(
        self, recording: CaseEvidence, control: CaseEvidence, kind: str, where: str
    ) -> None:
        """How it ended and the world it left count too."""
        found = first_divergence(recording, control, first_step=1)
        assert found is not None
        assert kind == found.kind
        assert found.where.startswith(where)

    def test_what_is_shown_is_what_was_there(self) -> None:
        """Both sides of the difference, without identifiers and timings."""
        found = first_divergence(seen(CALL | {"call_id": "x"}), seen(OTHER), first_step=1)
        assert found is not None
        assert (CALL, OTHER) == (found.expected, found.actual)
        assert {"kind", "where", "expected", "actual"} == set(found.to_json())


class TestEqualities:
    @pytest.mark.parametrize(
        ("recorded", "replayed"),
        [
            ({"call_id": "a"}, {"call_id": "b"}),
            ({"latency_ms": 1.0}, {"latency_ms": 2.0}),
            ({"status": "executed"}, {}),
            ({"metadata": {"a": 1}}, {"metadata": {"a": 2}}),
            ({"result": {"n": 1}}, {"result": {"n": 1.0}}),
            ({"arguments": {"a": 1, "b": 2}}, {"arguments": {"b": 2, "a": 1}}),
        ],
    )
    def test_identifiers_timings_and_number_forms_do_not_count(
        self, recorded: dict[str, Any], replayed: dict[str, Any]
    ) -> None:
        """Two runs that did the same agree."""
        assert first_divergence(seen(CALL | recorded), seen(CALL | replayed), first_step=1) is None

    def test_steps_before_the_checkpoint_are_not_compared(self) -> None:
        """They are the recorded prefix itself."""
        recording = seen(OTHER, CALL, state={"a": 1})
        control = seen(RESULT, CALL, state={"a": 1.0})
        assert first_divergence(recording, control, first_step=2) is None

    @given(st.lists(st.sampled_from([CALL, OTHER, RESULT, FINAL]), max_size=5))
    def test_a_recording_agrees_with_itself(self, steps: list[dict[str, Any]]) -> None:
        """Whatever it holds."""
        assert first_divergence(seen(*steps, state=1), seen(*steps, state=1), first_step=1) is None
