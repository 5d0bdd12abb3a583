"""Calls that steps tell of only in part: a result without its call, and steps without turns."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, came_back, conversation, judged

from oloproof.evaluation.calls import calls
from oloproof.evaluation.contract import Context


def numbered(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": index, **step} for index, step in enumerate(steps, 1)]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "calls", "forbidden": ["refund"]},
        {"type": "calls", "allowed": ["look"]},
        {"type": "calls", "required": {"refund": {"max": 0}}},
        {"type": "artefact_not_effect", "effect": "refund", "kind": "draft"},
    ],
)
def test_a_result_proves_its_call(line: Any) -> None:
    """Something came back, so something was called."""
    assert "f" == judged(line, conversation([came_back("refund", {"ok": True})])).code


def test_a_result_that_is_told_twice_is_one_call() -> None:
    """By the call's own step and a result step, or by two results of one call."""
    for steps in (
        (called("look", {}, 1), came_back("look", 1)),
        (called("look", {}, 1, call_id="a"), came_back("look", 2, call_id="a")),
        (called("look", {}), came_back("look", 1)),
    ):
        assert ["look"] == [call.tool for call in calls(numbered(*steps))]
    twice = numbered(called("look", {}, 1), came_back("look", 2))
    assert [1, 2] == [call.result for call in calls(twice)]


def without_turns(context: Context) -> Context:
    steps: Any = [{k: v for k, v in step.items() if k != "turn"} for step in context.evidence.steps]
    return context._replace(evidence=context.evidence._replace(trajectory={"steps": steps}))


@pytest.mark.parametrize("scope", [{"turn": 1}, {"turn": 2}, {"after": 1}, {"final": True}])
@pytest.mark.parametrize(
    "line",
    [
        {"type": "calls", "forbidden": ["refund"]},
        {"type": "calls", "required": ["look"]},
        {"type": "call_order", "order": ["look", "refund"]},
        {"type": "guarded_effects", "tools": ["refund"]},
    ],
)
def test_steps_without_turns_tell_nothing_of_a_turn(line: Any, scope: Any) -> None:
    """They are not all of the first one; a check of every turn speaks of them."""
    context = without_turns(conversation([called("look", {}, 1)], [called("refund", {}, 1)]))
    assert "m:turns_not_told" == judged(line | scope, context).code
    assert "m:turns_not_told" != judged(line, context).code
    alone = without_turns(conversation([called("look", {}, 1), called("refund", {}, 1)]))
    if scope == {"turn": 1}:
        assert "m:turns_not_told" != judged(line | scope, alone).code
