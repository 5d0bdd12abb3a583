"""The results that a turn needs, among those that came back so far."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, places
from evaluator_samples import RAISED

from oloproof.errors import ConfigurationError

LINE = {"type": "results_contain"}
ROOMS = {"rooms": ["amber", "birch"]}


def expecting(**turns: Any) -> dict[str, Any]:
    """`_2=[…]`: what turn 2 needs."""
    return {"turns": {name[1:]: {"results": results} for name, results in turns.items()}}


def test_a_result_may_come_from_any_call_until_the_end_of_the_turn() -> None:
    """Other calls, and the order of their results, do not matter."""
    expected = expecting(_1=[ROOMS], _2=[{"paid": 5}, ROOMS])
    context = conversation(
        [called("search", result={"rooms": ["amber", "birch"]})],
        [called("pay", result={"paid": 5.0}), called("note", result="ok")],
        expected=expected,
    )
    verdict = judged(LINE, context)
    assert "p" == verdict.code
    shown = [("results[0]", 1, True), ("results[0]", 2, True), ("results[1]", 2, True)]
    assert shown == places(verdict)


def test_a_result_that_comes_too_late_or_never_fails_with_its_turn() -> None:
    """What a later turn found was not there when it was needed."""
    context = conversation(
        [], [called("search", result=ROOMS)], expected=expecting(_1=[ROOMS], _2=[ROOMS])
    )
    verdict = judged(LINE, context)
    assert [("results[0]", 1, False), ("results[0]", 2, True)] == places(verdict)
    assert str(verdict.detail).startswith("none of the 0 results until the end of turn 1 is")
    assert "p" == judged(LINE | {"turn": 2}, context).code


def test_each_expected_result_needs_a_call_of_its_own() -> None:
    """Twice the same is needed twice; one that failed gives its error."""
    twice = expecting(_1=[1, 1])
    assert "f" == judged(LINE, conversation([called("a", result=1)], expected=twice)).code
    both = [called("a", result=1), called("b", result=1)]
    assert "p" == judged(LINE, conversation(both, expected=twice)).code
    failing = conversation(
        [called("a", error="no room")], expected=expecting(_1=[{"error": "no room"}])
    )
    assert "p" == judged(LINE, failing).code
    blocked = conversation([called("a", result=1, status="blocked")], expected=expecting(_1=[1]))
    assert "f" == judged(LINE, blocked).code


def test_in_the_mode_subset_a_result_may_hold_more() -> None:
    """As states are compared in that mode; each still needs a call of its own."""
    subset = LINE | {"mode": "subset"}
    expected = expecting(_1=[{"a": 1}, {"a": 1, "b": 2}])
    found = [called("x", result={"a": 1, "b": 2}), called("y", result={"a": 1, "c": 3})]
    assert "p" == judged(subset, conversation(found, expected=expected)).code
    assert "f" == judged(LINE, conversation(found, expected=expected)).code


def test_a_turn_that_expects_no_results_is_left_out() -> None:
    """An empty list needs nothing, and a case without any is not spoken of."""
    assert "n:no_expected_results" == judged(LINE, conversation([], expected=expecting(_1=[]))).code
    assert "n:no_expected_results" == judged(LINE, conversation([])).code


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ({"_1": [1]}, "p"),
        ({"_1": [2]}, "f"),
        ({"_2": [1]}, "p"),
        ({"_2": [2]}, "f:raised"),
        ({"_1": [1], "_3": [2]}, "m:turn_not_reached"),
        ({"_1": [2], "_3": [2]}, "f"),
    ],
)
def test_a_conversation_that_broke_off_is_judged_as_far_as_it_came(
    expected: Any, code: str
) -> None:
    """What the turn lacks in which it did is laid to that; later turns are missing."""
    broken = conversation(
        [called("a", result=1)], expected=expecting(**expected), outcome=RAISED, asked_for=3
    )
    assert code == judged(LINE, broken).code


def test_results_that_are_no_list_are_refused() -> None:
    """A single result is a list of one."""
    with pytest.raises(ConfigurationError, match="expected of turn 1 of case `c` are not a list"):
        judged(LINE, conversation([], expected=expecting(_1={"a": 1})))
