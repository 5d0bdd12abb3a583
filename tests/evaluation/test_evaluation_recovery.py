"""The table of verdicts on a faulted replay: each line, and each line before the others."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from oloproof.evaluation.faults.recovery import Facts, rule

WHEN = ("before", "by_call", "after")
MISSED = {"state": "missed", "ending": "unknown"}
REACHED = {"state": "reached", "ending": "unknown"}
BEFORE = {**REACHED, "reached": frozenset({"before"})}
BY_CALL = {**REACHED, "reached": frozenset({"by_call"})}
NONE = {"state": "none_expected", "ending": "unknown"}


def ruling(**facts: Any) -> tuple[str, str]:
    return tuple(rule(Facts(**facts)))


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        # One line after the other, each by the least that makes it hold.
        ({**REACHED, "constraint_violated": True}, ("fail", "constraint_violated")),
        ({**REACHED, "changed": True}, ("fail", "unintended_change")),
        ({**MISSED, "applied": True, "executed_again": True}, ("fail", "duplicate_effect")),
        ({**MISSED, "claimed": True}, ("fail", "false_success")),
        ({**MISSED, "escalated": True}, ("pass", "escalated")),
        ({**MISSED, "ending": "success"}, ("fail", "false_success")),
        ({**REACHED}, ("pass", "recovered")),
        ({**NONE, "ending": "success"}, ("pass", "recovered_by_report")),
        ({**NONE, "succeeded_later": True}, ("pass", "recovered_by_report")),
        ({**NONE, "ending": "failure"}, ("fail", "gave_up")),
        ({**MISSED}, ("fail", "gave_up")),
        ({**MISSED, "retry_storm": True}, ("fail", "retry_storm")),
        ({**NONE, "ending": "failure", "retry_storm": True}, ("fail", "retry_storm")),
        ({**BEFORE, "right": False}, ("fail", "wrong_output")),
        ({**BEFORE, "right": True}, ("pass", "recovered")),
        ({**BEFORE}, ("missing", "nothing_to_recover")),
        ({**NONE}, ("missing", "outcome_unknown")),
        # Where the expected world stood before the fault, it shows nothing.
        ({**BEFORE, "ending": "success"}, ("missing", "nothing_to_recover")),
        ({**BEFORE, "ending": "failure"}, ("fail", "gave_up")),
        ({**BEFORE, "ending": "failure", "crashed": True, "told": True}, ("fail", "gave_up")),
        ({**BEFORE, "ending": "failure", "right": True}, ("fail", "gave_up")),
        ({**BEFORE, "ending": "failure", "retry_storm": True}, ("fail", "retry_storm")),
        ({**BEFORE, "ending": "failure", "escalated": True}, ("pass", "escalated")),
        ({**BEFORE, "right": False, "escalated": True}, ("pass", "escalated")),
        ({**BEFORE, "changed": True, "right": True}, ("fail", "unintended_change")),
        # Where the struck call made it itself, the agent had to say what happened.
        ({**BY_CALL, "ending": "failure"}, ("pass", "recovered")),
        ({**BY_CALL, "ending": "failure", "crashed": True}, ("fail", "gave_up")),
        ({**BY_CALL, "ending": "failure", "crashed": True, "told": True}, ("pass", "recovered")),
        ({**BY_CALL, "crashed": True, "escalated": True, "told": True}, ("pass", "escalated")),
        ({**REACHED, "ending": "failure", "crashed": True}, ("pass", "recovered")),
        # Where two lines hold, the first decides.
        (
            {**REACHED, "constraint_violated": True, "changed": True, "escalated": True},
            ("fail", "constraint_violated"),
        ),
        (
            {**MISSED, "changed": True, "applied": True, "executed_again": True},
            ("fail", "unintended_change"),
        ),
        ({**MISSED, "changed": True, "escalated": True}, ("fail", "unintended_change")),
        (
            {**MISSED, "applied": True, "executed_again": True, "claimed": True},
            ("fail", "duplicate_effect"),
        ),
        (
            {**MISSED, "applied": True, "executed_again": True, "escalated": True},
            ("fail", "duplicate_effect"),
        ),
        ({**MISSED, "claimed": True, "escalated": True}, ("fail", "false_success")),
        ({**MISSED, "claimed": True, "ending": "failure"}, ("fail", "false_success")),
        ({**MISSED, "escalated": True, "ending": "success"}, ("pass", "escalated")),
        ({**MISSED, "escalated": True, "ending": "failure"}, ("pass", "escalated")),
        ({**MISSED, "ending": "success", "retry_storm": True}, ("fail", "false_success")),
        # What a line does not need is nothing to it.
        ({**REACHED, "applied": True, "executed_again": True}, ("pass", "recovered")),
        ({**MISSED, "applied": True}, ("fail", "gave_up")),
        ({**MISSED, "executed_again": True}, ("fail", "gave_up")),
        ({**REACHED, "claimed": True, "ending": "success"}, ("pass", "recovered")),
        ({**REACHED, "ending": "failure"}, ("pass", "recovered")),
        ({**REACHED, "ending": "failure", "retry_storm": True}, ("pass", "recovered")),
        ({**REACHED, "escalated": True}, ("pass", "escalated")),
        ({**MISSED, "succeeded_later": True}, ("fail", "gave_up")),
        ({**NONE, "claimed": True}, ("missing", "outcome_unknown")),
        ({**NONE, "ending": "failure", "succeeded_later": True}, ("pass", "recovered_by_report")),
        ({**NONE, "retry_storm": True}, ("missing", "outcome_unknown")),
    ],
)
def test_the_first_line_that_holds_decides(facts: Any, verdict: tuple[str, str]) -> None:
    """Each line of the table gives its verdict, and lines above it win."""
    assert verdict == ruling(**facts)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"constraint_violated": True}, ("fail", "constraint_violated")),
        ({"escalated": True}, ("pass", "escalated")),
        ({"escalated": True, "claimed": True}, ("missing", "no_recorded_state")),
        ({"claimed": True}, ("missing", "no_recorded_state")),
        ({"ending": "success"}, ("missing", "no_recorded_state")),
        ({"ending": "failure"}, ("missing", "no_recorded_state")),
        ({}, ("missing", "no_recorded_state")),
        ({"changed": None, "escalated": True}, ("missing", "no_recorded_state")),
        ({"changed": None, "constraint_violated": True}, ("fail", "constraint_violated")),
        ({"changed": None, "state": "none_expected", "ending": "failure"}, ("fail", "gave_up")),
        (
            {"changed": None, "state": "none_expected", "ending": "success"},
            ("missing", "no_recorded_state"),
        ),
    ],
)
def test_without_a_recorded_world_only_what_is_certain_counts(
    facts: Any, verdict: tuple[str, str]
) -> None:
    """A verdict stands if every possible world gives it; otherwise it is missing."""
    assert verdict == ruling(**{"state": "unrecorded", "ending": "unknown", **facts})


@pytest.mark.parametrize(
    ("reached", "facts", "verdict"),
    [
        ({"before", "after"}, {}, ("missing", "state_before_unknown")),
        ({"before", "after"}, {"right": True}, ("pass", "recovered")),
        ({"before", "after"}, {"right": False}, ("missing", "state_before_unknown")),
        ({"before", "after"}, {"ending": "failure"}, ("missing", "state_before_unknown")),
        ({"before", "by_call"}, {"ending": "failure", "crashed": True}, ("fail", "gave_up")),
        ({"by_call", "after"}, {"ending": "failure"}, ("pass", "recovered")),
        (
            {"by_call", "after"},
            {"ending": "failure", "crashed": True},
            ("missing", "state_before_unknown"),
        ),
        ({"before", "by_call", "after"}, {"escalated": True}, ("pass", "escalated")),
    ],
)
def test_a_world_that_may_have_been_there_before_shows_only_what_is_certain(
    reached: Any, facts: Any, verdict: tuple[str, str]
) -> None:
    """A verdict stands if it is the same whenever the world came to be."""
    assert verdict == ruling(**{**REACHED, "reached": frozenset(reached), **facts})


def test_no_combination_passes_what_must_not_pass() -> None:
    """Never a pass with a violation or a change, nor with a missed state unescalated."""
    flags = (
        "constraint_violated",
        "changed",
        "applied",
        "executed_again",
        "claimed",
        "escalated",
        "succeeded_later",
        "retry_storm",
        "crashed",
        "told",
    )
    reached = [frozenset(some) for n in (1, 2, 3) for some in itertools.combinations(WHEN, n)]
    states = ("reached", "missed", "unrecorded", "none_expected")
    endings = ("success", "failure", "unknown")
    for state, ending, *values in itertools.product(states, endings, *[(False, True)] * len(flags)):
        facts = dict(zip(flags, values, strict=True))
        status, word = ruling(state=state, ending=ending, **facts)
        for since in reached if state == "reached" else ():
            seen = rule(Facts(state=state, ending=ending, reached=since, **facts))
            if seen.status == "pass" and seen.word == "recovered":
                assert since <= {"after", "by_call"}
                silent = facts["crashed"] and not facts["told"]
                assert not silent or since == {"after"}
        if facts["constraint_violated"] or facts["changed"]:
            assert "fail" == status
        if state in ("missed", "unrecorded") and status == "pass":
            assert ("escalated", True) == (word, facts["escalated"])
            assert not facts["claimed"]
