"""Arguments that follow the state, have fixed values, or are known at all."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import (
    called,
    came_back,
    conversation,
    judged,
    places,
    updated,
)

from oloproof.paths import MISSING

FOLLOWS = {
    "type": "call_arguments",
    "tool": ["search", "reserve"],
    "argument": ["capacity", "attendees"],
    "follows": "constraints.attendees",
}


def six() -> dict[str, Any]:
    return updated(2, constraints__attendees=6)


def held(attendees: Any) -> dict[str, Any]:
    return {"constraints": {"attendees": attendees}}


def test_an_argument_follows_the_working_state_of_its_moment() -> None:
    """Before the change the old value is right, after it only the new one."""
    context = conversation(
        [called("search", {"capacity": 12})],
        [called("search", {"capacity": 12}), six(), called("reserve", {"attendees": 6, "x": 12})],
        active=[held(12), held(6)],
    )
    verdict = judged(FOLLOWS, context)
    assert "p" == verdict.code
    assert [("search.capacity", 1, True), ("search.capacity", 2, True)] == places(verdict)[:2]


def test_an_argument_that_does_not_follow_is_a_fault_of_planning() -> None:
    """The sentence names the call, and both values."""
    context = conversation(
        [], [six(), called("search", {"capacity": 12})], active=[held(12), held(6)]
    )
    verdict = judged(FOLLOWS, context)
    assert "f:planning" == verdict.code
    assert [("search.capacity", 2, False)] == places(verdict)
    assert (
        "search.capacity is 12 in search (step 2 of turn 2), not 6, "
        "as the working state says at `constraints.attendees`" == verdict.detail
    )


def test_a_call_is_held_against_the_state_when_it_was_executed() -> None:
    """What waited in a queue was right when it was made, and is not any more."""
    context = conversation(
        [called("reserve", {"attendees": 12}, status="queued", call_id="q")],
        [six(), came_back("reserve", {}, status="executed", call_id="q")],
        active=[held(12), held(6)],
    )
    assert "f:planning" == judged(FOLLOWS, context).code


def test_where_the_updates_are_not_recorded_the_turn_acts_on_its_own_message() -> None:
    """A snapshot after the turn is all there is: who acts in the turn should have read it."""
    stale, fresh = called("search", {"capacity": 12}), called("search", {"capacity": 6})
    active = [held(12), held(6)]
    assert "f:planning" == judged(FOLLOWS, conversation([], [stale], active=active)).code
    assert "p" == judged(FOLLOWS, conversation([], [fresh], active=active)).code


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (called("search", {"sort": "price"}), "n:argument_not_given"),
        (called("pay", {"capacity": 12}), "n:argument_not_given"),
        (called("search", {"capacity": 12}, status="blocked"), "n:argument_not_given"),
        (called("search", {"capacity": 12}, status="proposed"), "n:argument_not_given"),
        (called("search", None), "m:no_recorded_arguments"),
        (called("search", {"capacity": 6.0}), "p"),
    ],
)
def test_only_arguments_that_are_given_are_held_against_the_state(call: Any, code: str) -> None:
    """Another tool, another argument, or a call that was not made says nothing."""
    assert code == judged(FOLLOWS, conversation([call], active=[held(6)])).code


def test_what_is_not_known_is_missing_and_what_is_not_there_is_not_followed() -> None:
    """Without a recorded state nothing can be said; without a value there is nothing to follow."""
    call = called("search", {"capacity": 6})
    verdict = judged(FOLLOWS, conversation([call]))
    assert "m:no_recorded_state" == verdict.code
    assert "the working state at search (step 1 of turn 1) is not known" == verdict.detail
    nothing = conversation([call], active=[{"constraints": {}}])
    assert "n:argument_not_given" == judged(FOLLOWS, nothing).code


def test_updates_that_fit_no_state_leave_it_unknown() -> None:
    """What a system recorded of itself may not hang together."""
    broken = updated(2, constraints__attendees__count=6)
    context = conversation([], [broken, called("search", {"capacity": 6})], active=[held(12)])
    assert "m:no_recorded_state" == judged(FOLLOWS, context).code


def test_the_world_and_the_expected_state_can_be_followed_too() -> None:
    """Of the world it is the last snapshot before the turn."""
    line = FOLLOWS | {"of": "world", "follows": "order"}
    calls = [[called("search", {"capacity": 1})], [called("search", {"capacity": 2})]]
    context = conversation(*calls, initial={"order": 1}, worlds=[{"order": 2}, {"order": 3}])
    assert "p" == judged(line, context).code
    gaps = conversation(*calls, initial={"order": 1}, worlds=[MISSING, {"order": 3}])
    assert [True, False] == [place.passed for place in judged(line, gaps).compared]
    expected = {"turns": {"1": {"state": held(1)}, "2": {"active": held(2)}}}
    line = FOLLOWS | {"of": "expected"}
    verdict = judged(line | {"turn": 1}, conversation(*calls, expected=expected))
    assert "p" == verdict.code
    line |= {"expected_field": "active"}
    expected["turns"]["1"] = {"active": held(1)}
    verdict = judged(line, conversation(*calls, expected=expected))
    assert [True, True] == [place.passed for place in verdict.compared]


@pytest.mark.parametrize(
    ("options", "arguments", "code"),
    [
        ({"argument": "limit", "equals": 2}, {"limit": 2}, "p"),
        ({"argument": "limit", "equals": 2}, {"limit": 3}, "f"),
        ({"argument": "limit", "equals": None}, {"limit": None}, "p"),
        ({"argument": "limit", "equals": None}, {"limit": 0}, "f"),
        ({"argument": "sort", "one_of": ["price", "size"]}, {"sort": "size"}, "p"),
        ({"argument": "sort", "one_of": ["price", "size"]}, {"sort": "name"}, "f"),
        ({"argument": "rooms[*].id", "one_of": ["a", "b"]}, {"rooms": [{"id": "a"}]}, "p"),
        (
            {"argument": "rooms[*].id", "one_of": ["a", "b"]},
            {"rooms": [{"id": "a"}, {"id": "c"}]},
            "f",
        ),
        ({"argument": "features", "equals": [1, 2]}, {"features": [2, 1]}, "f"),
        ({"argument": "features", "equals": [1, 2], "unordered": True}, {"features": [2, 1]}, "p"),
        ({"argument": "features", "equals": [1, 2], "unordered": True}, {"features": [1]}, "f"),
        ({"closed": True, "known": ["a", "b"]}, {"b": 1, "a": 2}, "p"),
        ({"closed": True, "known": ["a", "b"]}, {"a": 2}, "p"),
        ({"closed": True, "known": ["a", "b"]}, {"a": 1, "c": 2}, "f"),
        ({"closed": True, "known": ["a"]}, None, "m:no_recorded_arguments"),
    ],
)
def test_arguments_have_fixed_values_and_a_closed_world(
    options: dict[str, Any], arguments: Any, code: str
) -> None:
    """A failure here has no locus: nothing is said of the working state."""
    line = {"type": "call_arguments", "tool": "search", **options}
    assert code == judged(line, conversation([called("search", arguments)])).code


def test_an_unknown_argument_is_named() -> None:
    """In the closed world what is not known is most likely invented."""
    line = {"type": "call_arguments", "tool": "search", "closed": True, "known": ["a"]}
    verdict = judged(line, conversation([called("search", {"a": 1, "z": 2})]))
    assert "search (step 1 of turn 1) has an unknown argument: `z`" == verdict.detail
