"""The screen of a conversation, turn by turn, with its scorecard."""

from __future__ import annotations

from oloproof.records.case_report import ComparedPath, ScoreReport, TurnCheck, TurnReport
from oloproof.records.report import Change
from oloproof.reporting.terminal.page import Page
from oloproof.reporting.terminal.turns import write_scorecard, write_turns

CALL = {
    "index": 4,
    "kind": "tool_call",
    "tool_name": "search_rooms",
    "arguments": {"capacity": 6},
    "turn": 2,
}
SAID = {"index": 3, "kind": "message", "agent": "user", "result": "We will be 6.", "turn": 2}
PLACE = ComparedPath(path="calls.reserve_room", passed=False, expected="no call", actual="executed")


def turn(number: int, **fields: object) -> TurnReport:
    given = {
        "message": "We will be 6.",
        "reached": True,
        "has_reply": True,
        "reply": "Amber has room for six.",
        "steps": [],
        "world_changes": [],
        "active_changes": [],
        "checks": [],
    } | fields
    return TurnReport.model_validate({"turn": number, **given})


def test_a_turn_shows_what_was_said_done_changed_and_checked() -> None:
    """In this order; what the user said is not told twice."""
    page = Page(80)
    change = Change(path="constraints.attendees", kind="changed", before=12, after=6)
    checks = [
        TurnCheck(metric="state_matches", passed=True, compared=[]),
        TurnCheck(metric="no_reserve", passed=False, compared=[PLACE]),
    ]
    write_turns(page, [turn(2, steps=[SAID, CALL], active_changes=[change], checks=checks)])
    assert (
        """turn 2
  user   We will be 6.
  agent  Amber has room for six.
  4      tool_call  search_rooms  {"capacity": 6}
  working state
    changed  constraints.attendees
             before  12
             after   6
  PASS  state_matches
  FAIL  no_reserve
    differs  calls.reserve_room
             expected  "no call"
             actual    "executed\""""
        == page.text
    )


def test_a_turn_without_a_reply_or_never_begun_says_so() -> None:
    """The user's message is shown all the same."""
    page = Page(80)
    broken = turn(1, has_reply=False, reply=None)
    write_turns(page, [broken, turn(2, reached=False, has_reply=False, reply=None)])
    assert (
        """turn 1
  user   We will be 6.
  agent  no reply

turn 2  not reached
  user   We will be 6."""
        == page.text
    )


def test_the_scorecard_has_no_score_over_all() -> None:
    """Each dimension is 1, 0 or a dash, with the locus of a failure."""
    page = Page(80)
    scores = [
        ScoreReport(dimension="state", score=1, hard=False),
        ScoreReport(dimension="function", score=0, hard=True, locus="planning"),
        ScoreReport(dimension="response", score=None, hard=False, reason="not_measured"),
    ]
    write_scorecard(page, scores)
    assert (
        """1  state
0  function (hard)  planning
-  response         not_measured"""
        == page.text
    )
