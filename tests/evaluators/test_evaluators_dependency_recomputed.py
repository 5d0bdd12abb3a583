"""Results that are found again after a change, before they are used."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, places, said, updated

LINE = {
    "type": "dependency_recomputed",
    "result_of": "search",
    "depends_on": ["constraints.starts_at"],
    "used_by": ["reserve"],
}
CHANGE = updated(2, constraints__starts_at="16:00")


def at(hour: str) -> dict[str, Any]:
    return {"constraints": {"starts_at": hour, "attendees": 6}}


ACTIVE = [at("15:00"), at("16:00")]


def search(hour: str | None = None, **fields: Any) -> dict[str, Any]:
    arguments = {} if hour is None else {"at": hour}
    return called("search", arguments, **{"result": ["amber"], **fields})


RESERVE = called("reserve", {"room": "amber"}, {"accepted": True})


def test_a_result_that_was_found_anew_may_be_used() -> None:
    """Whatever else is called in between."""
    context = conversation([search()], [CHANGE, search(), called("log"), RESERVE], active=ACTIVE)
    verdict = judged(LINE, context)
    assert ("p", [("reserve.result", 2, True)]) == (verdict.code, places(verdict))


def test_a_stale_use_is_named_with_both_events() -> None:
    """The call that found the old result, and the one that uses it."""
    verdict = judged(LINE, conversation([search()], [CHANGE, RESERVE], active=ACTIVE))
    assert "f:planning" == verdict.code
    assert (
        "reserve (step 3 of turn 2) uses the result of search (step 1 of turn 1): "
        '`constraints.starts_at` was "15:00" then, and is "16:00" now' == verdict.detail
    )


def test_a_search_that_failed_or_came_too_late_found_nothing() -> None:
    """Nor did one that was blocked."""
    for between in ([], [search(result=None, error="down")], [search(status="blocked")]):
        context = conversation([search()], [CHANGE, *between, RESERVE, search()], active=ACTIVE)
        assert "f:planning" == judged(LINE, context).code


def test_a_change_of_something_else_leaves_the_result_as_it_is() -> None:
    """Only what it depends on counts."""
    other = updated(2, constraints__attendees=8)
    moved = {"constraints": {"starts_at": "15:00", "attendees": 8}}
    context = conversation([search()], [other, RESERVE], active=[at("15:00"), moved])
    assert "n:nothing_to_recompute" == judged(LINE, context).code


def test_a_revealed_fact_makes_the_old_result_stale() -> None:
    """What was not known before is a change of what the result depends on."""
    line = LINE | {"depends_on": ["constraints.video"]}
    reveal = updated(2, constraints__video=True)
    active = [{"constraints": {}}, {"constraints": {"video": True}}]
    verdict = judged(line, conversation([search()], [reveal, RESERVE], active=active))
    told = "`constraints.video` was nothing then, and is true now"
    assert str(verdict.detail).endswith(told)
    assert (
        "p"
        == judged(line, conversation([search()], [reveal, search(), RESERVE], active=active)).code
    )


def test_a_value_that_came_back_makes_its_result_right_again() -> None:
    """What was found for it then is found for it now."""
    active = [*ACTIVE, at("15:00")]
    back = updated(3, constraints__starts_at="15:00")
    again = conversation([search()], [CHANGE], [back, RESERVE], active=active)
    assert "p" == judged(LINE, again).code
    late = conversation([], [CHANGE, search()], [back, RESERVE], active=active)
    assert "f:planning" == judged(LINE, late).code


def test_the_new_call_must_be_made_with_the_new_values() -> None:
    """A search for the old hour is a search, but not for what holds."""
    line = LINE | {"follows": {"at": "constraints.starts_at"}}
    wrong = conversation([search("15:00")], [CHANGE, search("15:00"), RESERVE], active=ACTIVE)
    verdict = judged(line, wrong)
    assert str(verdict.detail).endswith('its `at` is "15:00", not "16:00"')
    assert "p" == judged(LINE, wrong).code
    right = conversation([search("15:00")], [CHANGE, search("16:00"), RESERVE], active=ACTIVE)
    assert "p" == judged(line, right).code


LOCAL = LINE | {"recomputed_by": ["narrow", "shortlist"]}
NARROW = called("narrow", {"by": "16:00"}, ["amber"])
KEEP = updated(3, shortlist=["amber"])


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([CHANGE, NARROW, RESERVE], "p"),
        ([CHANGE, KEEP, RESERVE], "p"),
        ([updated(2, constraints__starts_at="16:00", shortlist=["amber"]), RESERVE], "p"),
        ([CHANGE, updated(3, shortlist__best="amber"), RESERVE], "p"),
        ([CHANGE, search(), RESERVE], "p"),
        ([CHANGE, RESERVE], "f:planning"),
        ([NARROW, CHANGE, RESERVE], "f:planning"),
        ([KEEP, CHANGE, RESERVE], "f:planning"),
        ([CHANGE, RESERVE, NARROW, KEEP], "f:planning"),
        ([CHANGE, updated(3, shortlist=None), RESERVE], "f:planning"),
        ([CHANGE, updated(3, other=["amber"]), RESERVE], "f:planning"),
        ([CHANGE, updated(3, committed=False, shortlist=["amber"]), RESERVE], "f:planning"),
        ([CHANGE, called("narrow", result=None, error="no"), RESERVE], "f:planning"),
        ([CHANGE, called("narrow", {}, status="blocked"), RESERVE], "f:planning"),
    ],
)
def test_a_declared_local_step_is_as_good_as_a_new_search(steps: Any, code: str) -> None:
    """A call of its tool, or a committed update of its place; undeclared it is none."""
    active = [at("15:00"), at("16:00")]
    assert code == judged(LOCAL, conversation([search()], steps, active=active)).code
    plain = "p" if any(step.get("tool_name") == "search" for step in steps) else "f:planning"
    assert plain == judged(LINE, conversation([search()], steps, active=active)).code


def test_a_local_step_need_not_have_the_arguments_of_a_search() -> None:
    """What it is made of is not to be seen; the sentence names it where it is stale."""
    line = LOCAL | {"follows": {"at": "constraints.starts_at"}}
    context = conversation([search("15:00")], [CHANGE, NARROW, KEEP, RESERVE], active=ACTIVE)
    assert "p" == judged(line, context).code
    late = conversation([search("15:00")], [KEEP, CHANGE, RESERVE], active=ACTIVE)
    assert "uses the result of the state update at step 2 of turn 2" in str(
        judged(line, late).detail
    )
    expected = {"turns": {"1": {"state": at("15:00")}, "2": {"state": at("16:00")}}}
    steps = [search()], [KEEP, RESERVE]
    assert "p" == judged(LOCAL | {"of": "expected"}, conversation(*steps, expected=expected)).code


def test_a_system_that_records_no_updates_is_judged_by_its_snapshots() -> None:
    """Or, where it has no working state, by what is expected of the turns."""
    for fields, options, label in (
        ({"active": ACTIVE}, {}, "f:planning"),
        (
            {"expected": {"turns": {"1": {"state": at("15:00")}, "2": {"state": at("16:00")}}}},
            {"of": "expected"},
            "f",
        ),
    ):
        stale = conversation([search()], [RESERVE], **fields)
        assert label == judged(LINE | options, stale).code
        fresh = conversation([search()], [search(), RESERVE], **fields)
        assert "p" == judged(LINE | options, fresh).code


def test_a_reply_uses_the_result_where_that_is_declared() -> None:
    """Comparing the rooms that were found for another hour is a stale use, too."""
    line = {**LINE, "used_in_reply": True, "turn": 2}
    del line["used_by"]
    message = said("Amber and birch.")
    stale = conversation([search()], [CHANGE, message], active=ACTIVE)
    assert "f:planning" == judged(line, stale).code
    wait = said("One moment.")
    fresh = conversation([search()], [CHANGE, wait, search(), message], active=ACTIVE)
    assert "p" == judged(line, fresh).code


def test_without_a_result_or_a_known_state_nothing_is_stale() -> None:
    """Who never searched uses no result; of what is not known nothing can be said."""
    without = conversation([], [CHANGE, RESERVE], active=ACTIVE)
    assert "n:nothing_to_recompute" == judged(LINE, without).code
    assert "m:no_recorded_state" == judged(LINE, conversation([search()], [RESERVE])).code
