"""Which tools are called in which turns: allowed, forbidden, required, counted."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, came_back, conversation, judged, places, said, updated
from evaluator_samples import RAISED, call, case, evaluator, evidence, trajectory

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context

SEARCH = called("search", {"capacity": 6}, {"rooms": ["amber"]})
RESERVE = called("reserve", {"room": "amber"}, {"accepted": True})
REQUIRED = {"type": "calls", "required": ["reserve"]}
BANNED = {"type": "calls", "forbidden": ["reserve"], "after": 1}


@pytest.mark.parametrize(
    ("options", "turns", "code"),
    [
        (BANNED, [[SEARCH, RESERVE], [SEARCH]], "p"),
        (BANNED, [[SEARCH], [SEARCH, RESERVE]], "f"),
        (BANNED, [[SEARCH], []], "p"),
        (BANNED, [[], [called("reserve", status="blocked")]], "p"),
        (BANNED, [[], [called("reserve", status="cancelled")]], "p"),
        (BANNED, [[], [called("reserve", status="proposed")]], "p"),
        (BANNED, [[], [called("reserve", status="queued")]], "f"),
        (BANNED, [[], [called("reserve", status="rejected")]], "f"),
        (REQUIRED, [[called("reserve", status="rejected")]], "f"),
        (REQUIRED, [[called("reserve", status="rejected"), RESERVE]], "p"),
        (BANNED | {"statuses": ["proposed"]}, [[], [called("reserve", status="proposed")]], "f"),
        (BANNED | {"statuses": ["executed"]}, [[], [called("reserve", status="queued")]], "p"),
        (BANNED | {"arguments": {"room": "birch"}}, [[], [RESERVE]], "p"),
        (BANNED | {"arguments": {"room": "amber"}}, [[], [RESERVE]], "f"),
        ({"type": "calls", "allowed": ["search"]}, [[SEARCH], [SEARCH]], "p"),
        ({"type": "calls", "allowed": ["search"]}, [[SEARCH], [called("pay")]], "f"),
        ({"type": "calls", "allowed": ["search"], "turn": 1}, [[SEARCH], [RESERVE]], "p"),
        ({"type": "calls", "required": ["search"], "turn": 2}, [[SEARCH], [SEARCH]], "p"),
        ({"type": "calls", "required": ["search"], "turn": 2}, [[SEARCH], [RESERVE]], "f"),
        ({"type": "calls", "required": ["search"]}, [[], [called("search", status="queued")]], "f"),
        ({"type": "calls", "required": {"search": {"max": 1}}}, [[SEARCH], [RESERVE]], "p"),
        ({"type": "calls", "required": {"search": {"max": 1}}}, [[SEARCH], [SEARCH]], "f"),
        (
            {"type": "calls", "required": {"search": {"min": 2, "max": 2}}},
            [[SEARCH], [SEARCH]],
            "p",
        ),
        (
            {"type": "calls", "required": ["search"], "arguments": {"capacity": 12}},
            [[SEARCH], []],
            "f",
        ),
    ],
)
def test_calls_are_allowed_forbidden_required_and_counted(
    options: dict[str, Any], turns: list[Any], code: str
) -> None:
    """Only calls in the selected turns count, and of them those that were made."""
    assert code == judged(options, conversation(*turns)).code


def test_a_forbidden_call_is_named_with_its_turn_and_step() -> None:
    """The sentence says which call it is, and the comparison where."""
    verdict = judged(BANNED, conversation([SEARCH], [SEARCH, RESERVE, RESERVE]))
    assert "reserve (step 3 of turn 2) is forbidden (and 1 more)" == verdict.detail
    assert [("calls.reserve", 2, False)] * 2 == places(verdict)
    assert verdict.label is None


def test_a_forbidden_call_against_a_state_that_refuses_it_is_a_fault_of_planning() -> None:
    """The working state was right, and the call does not follow it."""
    update = updated(2, permissions__reserve=False)
    verdict = judged(BANNED, conversation([SEARCH], [update, RESERVE]))
    assert "planning" == verdict.label
    permitting = updated(2, permissions__reserve=True)
    assert judged(BANNED, conversation([], [permitting, RESERVE])).label is None


def test_a_call_from_the_queue_counts_where_it_is_executed() -> None:
    """A ban holds for the queue too; what was cancelled there is no call."""
    queued = called("reserve", {"room": "amber"}, status="queued", call_id="q")
    done = came_back("reserve", {"accepted": True}, status="executed", call_id="q")
    verdict = judged(BANNED, conversation([queued], [done]))
    assert "f" == verdict.code
    assert "reserve (step 1 of turn 1, executed at step 2 of turn 2) is forbidden" == verdict.detail
    stopped = came_back("reserve", status="cancelled", call_id="q")
    assert "p" == judged(BANNED, conversation([queued], [stopped])).code
    again = called("reserve", status="executed", call_id="q")
    assert "f" == judged(BANNED, conversation([queued], [again])).code
    plain = came_back("reserve", {"accepted": True})
    other = called("reserve", {"room": "blue"}, status="queued", call_id="o")
    gone = called("reserve", status="cancelled", call_id="o")
    assert "f" == judged(BANNED, conversation([queued], [stopped, plain])).code
    assert "f" == judged(BANNED, conversation([queued, other], [stopped, gone, plain])).code
    needed = {"type": "calls", "required": {"reserve": {"min": 1, "max": 1}}, "turn": 2}
    assert "p" == judged(needed, conversation([queued, other], [gone, plain])).code
    assert "p" == judged(needed, conversation([queued], [done])).code
    assert "p" == judged(needed, conversation([queued], [again])).code


NOTHING_AT_ALL: dict[str, Any] = {"type": "calls", "allowed": []}


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([], "p"),
        ([said("No.")], "p"),
        ([SEARCH], "f"),
        ([called("search", status="queued")], "f"),
        ([came_back("search", 1)], "f"),
        ([called("search", status="blocked")], "p"),
    ],
)
def test_no_tool_allowed_is_a_ban_on_every_call(steps: Any, code: str) -> None:
    """Which tools there are need not be known."""
    assert code == judged(NOTHING_AT_ALL, conversation(steps)).code
    assert code == judged(NOTHING_AT_ALL | {"turn": 2}, conversation([SEARCH], steps)).code
    unknown = conversation([], trajectory={"truncated": True})
    assert "m:trajectory_truncated" == judged(NOTHING_AT_ALL, unknown).code


def test_a_call_in_every_turn_where_the_reference_calls() -> None:
    """An empty list, or nothing, asks for no call in its turn."""
    line = {"type": "calls", "in_every_turn": True}
    expected = {"turns": {"1": {"calls": True}, "2": {"calls": []}, "3": {"calls": ["search"]}}}
    assert "p" == judged(line, conversation([SEARCH], [], [RESERVE], expected=expected)).code
    verdict = judged(line, conversation([SEARCH], [SEARCH], [], expected=expected))
    assert "nothing was called in turn 3, where the reference calls" == verdict.detail
    assert [("calls", 1, True), ("calls", 3, False)] == places(verdict)
    nothing: Any = {"turns": {"1": {"calls": []}}}
    assert "n:no_expected_calls" == judged(line, conversation([], expected=nothing)).code


def test_what_is_not_known_is_no_pass() -> None:
    """Without steps, or with steps left out, the absence of a call cannot be told."""
    line = {"type": "calls", "forbidden": ["reserve"]}
    without = Context(case(), evidence(trajectory_problem="not JSON"))
    assert ("m:no_recorded_trajectory", "not JSON") == (
        evaluator(**line).evaluate(without).code,
        evaluator(**line).evaluate(without).detail,
    )
    cut = Context(case(), evidence(trajectory=trajectory(truncated=True)))
    assert "m:trajectory_truncated" == evaluator(**line).evaluate(cut).code
    seen = Context(case(), evidence(trajectory=trajectory(call("reserve"), truncated=True)))
    assert "f" == evaluator(**line).evaluate(seen).code
    needed = evaluator(type="calls", required=["search"])
    assert "m:trajectory_truncated" == needed.evaluate(cut).code


BROKEN: Any = {"outcome": RAISED, "replies": ["…"], "asked_for": 3}
"""The second of three turns raised."""


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (BANNED, "p"),
        ({"allowed": ["search"]}, "p"),
        ({"allowed": ["pay"]}, "f"),
        ({"forbidden": ["search"], "final": True}, "m:turn_not_reached"),
        ({"required": ["search"]}, "p"),
        ({"required": ["search"], "turn": 1}, "p"),
        ({"required": {"search": {"max": 1}}}, "f"),
        ({"required": ["pay"]}, "f:raised"),
        ({"required": ["pay"], "turn": 2}, "f:raised"),
        ({"required": ["pay"], "turn": 1}, "f"),
        ({"required": ["pay"], "turn": 3}, "m:turn_not_reached"),
        ({"in_every_turn": True}, "m:turn_not_reached"),
        ({"in_every_turn": True, "until": 2}, "p"),
    ],
)
def test_bans_and_counts_go_by_what_was_seen_before_it_broke_off(line: Any, code: str) -> None:
    """That it broke off is no call that was forbidden; one that is lacking is laid to it."""
    every: Any = {"turns": {str(turn): {"calls": True} for turn in (1, 2, 3)}}
    expected = every if "in_every_turn" in line else None
    context = conversation([SEARCH], [SEARCH], expected=expected, **BROKEN)
    verdict = judged({"type": "calls", **line}, context)
    assert code == verdict.code
    if code == "f:raised":
        assert "the system raised: ValueError: no such order" in str(verdict.detail)


def test_a_forbidden_call_that_was_seen_stands() -> None:
    """Whatever became of the conversation later."""
    assert "f" == judged(BANNED, conversation([SEARCH], [RESERVE], **BROKEN)).code


def test_a_turn_that_a_case_does_not_have_is_refused() -> None:
    """A scope out of range is a mistake in its number."""
    with pytest.raises(ConfigurationError, match="speaks of turn 3, and case `c` has 2 turns"):
        judged({"type": "calls", "forbidden": ["x"], "turn": 3}, conversation([], []))
