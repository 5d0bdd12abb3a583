"""Values that were replaced stay out of later calls until they come back."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, places, said, updated

LINE = {"type": "superseded_absent", "paths": ["constraints"]}


def held(attendees: int, **more: Any) -> dict[str, Any]:
    return {"constraints": {"attendees": attendees, **more}}


def expecting(*states: Any) -> dict[str, Any]:
    return {"turns": {str(turn): {"state": state} for turn, state in enumerate(states, 1)}}


def search(capacity: Any, **more: Any) -> dict[str, Any]:
    return called("search", {"capacity": capacity, **more})


REVISED = expecting(held(12), held(6))


def test_an_old_value_in_a_later_call_fails_with_call_and_change() -> None:
    """Wherever in the arguments it stands."""
    context = conversation([search(12)], [called("search", {"q": [{"n": 12}]})], expected=REVISED)
    verdict = judged(LINE, context)
    assert "f" == verdict.code
    assert [("search.q[0].n", 2, False)] == places(verdict)
    assert (
        "search (step 2 of turn 2) has 12 at `q[0].n`, which 6 replaced at "
        "`constraints.attendees` in turn 2" == verdict.detail
    )


@pytest.mark.parametrize(
    ("turns", "options"),
    [
        ([[search(12)], [search(6)]], {}),
        ([[search(12)], [search(6), said("It was 12, and is 6 now.")]], {}),
        ([[search(12)], [called("search", {"capacity": 12}, status="cancelled"), search(6)]], {}),
        ([[search(12)], [search(6), called("log", {"was": 12})]], {"tools": ["search"]}),
        ([[search(12)], [search(6, was=12)]], {"arguments": ["capacity"]}),
        ([[search(12)], [search(12), search(6)], [search(6)]], {"compare_turns": [2]}),
        ([[search(12)], [search(6)]], {"until": 2}),
    ],
)
def test_explanations_other_tools_and_declared_comparisons_do_not_count(
    turns: list[Any], options: dict[str, Any]
) -> None:
    """The old value may be told, and used where the user asked to compare."""
    verdict = judged(LINE | options, conversation(*turns, expected=REVISED))
    assert "p" == verdict.code


def test_a_value_that_comes_back_counts_no_more() -> None:
    """A correction of a correction: the last version holds, and only it."""
    expected = expecting(held(12), held(6), held(12))
    turns = [[search(12)], [search(6)], [search(12)]]
    assert "p" == judged(LINE, conversation(*turns, expected=expected)).code
    turns[2] = [search(6)]
    verdict = judged(LINE, conversation(*turns, expected=expected))
    assert [("search.capacity", 3, False)] == [place for place in places(verdict) if not place[2]]


def test_what_an_object_held_is_replaced_with_it_and_comes_back_with_it() -> None:
    """A withdrawal of the whole is one of its parts."""
    expected = expecting(held(12), held(6), {"constraints": None}, held(12))
    turns = [[], [], [search(6)], [search(12)]]
    verdict = judged(LINE, conversation(*turns, expected=expected))
    assert [("search.capacity", 3, False)] == [place for place in places(verdict) if not place[2]]
    assert "search (step 1 of turn 3) has 6 at `capacity`" in str(verdict.detail)


def test_a_value_that_holds_elsewhere_counts_only_in_named_arguments() -> None:
    """12 may be the hours: which argument it is has to be said then."""
    expected = expecting(held(12, hours=12), held(6, hours=12))
    context = conversation([], [search(6, hours=12)], expected=expected)
    assert "n:no_later_call" == judged(LINE, context).code
    wrong = conversation([], [search(12, hours=12)], expected=expected)
    assert "n:no_later_call" == judged(LINE, wrong).code
    assert "f" == judged(LINE | {"arguments": ["capacity"]}, wrong).code
    assert "p" == judged(LINE | {"arguments": ["capacity"]}, context).code


def test_truth_values_and_empty_ones_count_only_in_named_arguments() -> None:
    """They stand in too many places."""
    expected = expecting(held(1, screen=True), held(1, screen=False))
    context = conversation([], [called("search", {"screen": True})], expected=expected)
    assert "n:no_later_call" == judged(LINE, context).code
    assert "f" == judged(LINE | {"arguments": ["screen"]}, context).code


def test_a_case_may_list_what_was_replaced_itself() -> None:
    """With the entries of a history: path, old and new."""
    entry = {"path": "goal", "old": "reserve_room", "new": "compare_rooms"}
    expected = {"turns": {"2": {"superseded": [entry]}}}
    line = {"type": "superseded_absent"}
    for goal, code in (("reserve_room", "f"), ("compare_rooms", "p")):
        context = conversation([], [called("plan", {"goal": goal})], expected=expected)
        assert code == judged(line, context).code


def test_the_working_state_tells_what_it_replaced_and_when() -> None:
    """From the step on that committed the change; then a stale call is a fault of planning."""
    entry = {"path": "constraints.attendees", "old": 12, "new": 6}
    active = [held(12), held(6) | {"superseded": [entry]}]
    line = {"type": "superseded_absent", "of": "active"}
    update = updated(2, constraints__attendees=6)
    early = conversation([], [search(12), update, search(6)], active=active)
    assert "p" == judged(line, early).code
    late = conversation([], [update, search(12)], active=active)
    assert "f:planning" == judged(line, late).code
    assert "f:planning" == judged(line | {"paths": ["constraints"]}, late).code
    unknown = judged(line, conversation([], [search(12)]))
    assert "m:no_recorded_state" == unknown.code


def test_a_history_that_grows_tells_each_change_once() -> None:
    """The value that came back is current, however long the list still holds its entry."""
    there = {"path": "constraints.attendees", "old": 12, "new": 6}
    back = {"path": "constraints.attendees", "old": 6, "new": 12}
    active = [
        held(12),
        held(6) | {"superseded": [there]},
        held(12) | {"superseded": [back, there]},
    ]
    line = {"type": "superseded_absent", "of": "active"}
    context = conversation([], [search(6)], [search(12)], active=active)
    assert "p" == judged(line, context).code
    assert "f:planning" == judged(line, conversation([], [], [search(6)], active=active)).code


def test_without_a_change_or_a_later_call_it_does_not_speak() -> None:
    """A dialogue without a change raises no false alarm."""
    same = expecting(held(12), held(12))
    context = conversation([search(12)], [search(12)], expected=same)
    assert "n:nothing_superseded" == judged(LINE, context).code
    silent = conversation([search(12)], [], expected=REVISED)
    assert "n:no_later_call" == judged(LINE, silent).code


def test_entries_of_no_form_are_passed_over() -> None:
    """What a system writes in its history may be anything."""
    entries = [1, {"path": 3}, {"path": "a..b", "old": 1}, {"path": "a"}, {"path": "a", "old": 7}]
    active = [{"superseded": entries}, {"superseded": "none"}]
    line = {"type": "superseded_absent", "of": "active"}
    context = conversation([search(1)], [search(7)], active=active)
    assert [("search.capacity", 2, False)] == [p for p in places(judged(line, context)) if not p[2]]
