"""How the world stands after a fault: to the expected one, and to that of the recording."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.canonical import encode
from oloproof.evaluation.faults.recovery import Standing
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.paths import MISSING, parse
from oloproof.records.case import Case
from oloproof.records.evidence import Struck

A, B, C = {"x": 1}, {"x": 2}, {"x": 3}


def standing(end: Any, *accepted: Any, initial: Any = A, **options: Any) -> Standing:
    expected = {"state": accepted[0], "alternatives": list(accepted[1:])} if accepted else None
    case = Case("c", None, initial_state=initial, state_json=encode(initial), expected=expected)
    return Standing(StateComparison(**options), case, end)


@pytest.mark.parametrize(
    ("end", "accepted", "state"),
    [
        (B, [B], "reached"),
        (A, [B], "missed"),
        (MISSING, [B], "unrecorded"),
        (B, [], "none_expected"),
        (B, [A, B], "reached"),
    ],
)
def test_a_world_is_reached_missed_unrecorded_or_not_expected(
    end: Any, accepted: Any, state: str
) -> None:
    """One of several accepted ones is enough."""
    assert state == standing(end, *accepted).state
    assert "none_expected" == standing({"x": 1, "y": 2}, {}, mode="subset").state


@pytest.mark.parametrize(
    ("before", "after", "ran", "reached"),
    [
        (A, A, False, {"after"}),
        (B, B, False, {"before"}),
        (A, B, True, {"by_call"}),
        (A, A, True, {"after"}),
        (B, A, True, {"before"}),
        (MISSING, MISSING, False, {"before", "after"}),
        (MISSING, MISSING, True, {"before", "by_call", "after"}),
        (MISSING, B, True, {"before", "by_call"}),
        (MISSING, A, True, {"after"}),
        (A, MISSING, True, {"by_call", "after"}),
        (A, MISSING, False, {"after"}),
        (B, MISSING, True, {"before"}),
    ],
)
def test_when_the_expected_world_came_to_be(
    before: Any, after: Any, ran: bool, reached: set[str]
) -> None:
    """As far as the worlds around the struck call tell."""
    assert reached == standing(B, B).reached(Struck(before, after), ran=ran)


def test_another_accepted_world_than_that_of_before_was_come_to() -> None:
    """That one was there is nothing to the one that was reached."""
    assert {"after"} == standing(B, A, B).reached(Struck(A, A), ran=False)
    assert {"before"} == standing(A, A, B).reached(Struck(A, A), ran=False)


RECORDED = {"order": "refunded", "log": [], "seen": 1}
OPEN = {"order": "open", "log": [], "seen": 0}
WANTED = {"order": "refunded"}


@pytest.mark.parametrize(
    ("end", "options", "found"),
    [
        ({**RECORDED}, {}, []),
        ({**RECORDED, "log": ["x"]}, {}, [("log[0]", False)]),
        ({**RECORDED, "new": 1}, {}, [("new", False)]),
        ({"order": "refunded", "seen": 1}, {}, [("log", False)]),
        # What was left undone is no change.
        ({**RECORDED, "order": "open"}, {}, []),
        ({**RECORDED, "seen": 0}, {}, []),
        # A miss is spoken of.
        ({**RECORDED, "order": "lost"}, {}, [("order", True)]),
        ({**RECORDED, "seen": 2}, {"ignore": (parse("seen"),)}, []),
        ({**RECORDED, "seen": 2}, {"mode": "paths", "paths": (parse("order"),)}, [("seen", False)]),
        ({**RECORDED, "seen": 2}, {"mode": "paths", "paths": (parse("seen"),)}, [("seen", True)]),
    ],
)
def test_what_the_replay_alone_changed(end: Any, options: Any, found: Any) -> None:
    """Neither as at first, nor as recorded, nor as expected; and whether anything is expected."""
    made = standing(end, WANTED, initial=OPEN, **{"mode": "subset", **options})
    beyond = made.beyond(RECORDED)
    assert found == [(place.path, place.spoken_of) for place in beyond]
    assert [] == made.beyond(MISSING) == standing(MISSING, WANTED).beyond(RECORDED)


def test_where_everything_is_expected_everything_is_spoken_of() -> None:
    """A world that is as expected has nothing beyond, whatever the recording was."""
    other = {**RECORDED, "log": ["x"]}
    assert [] == standing(other, RECORDED, other, initial=OPEN).beyond(RECORDED)
    (place,) = standing(other, RECORDED, initial=OPEN).beyond(RECORDED)
    assert ("log[0]", "x", True) == tuple(place)
    (place,) = standing(other, initial=OPEN).beyond(RECORDED)
    assert ("log[0]", "x", False) == tuple(place)


def test_numbers_within_their_tolerance_and_lists_in_any_order_are_no_change() -> None:
    """As they are none for the expectation."""
    from oloproof.evaluation.comparing.rules import Tolerance

    near = {"tolerance_at": {parse("seen"): Tolerance(absolute=1)}, "mode": "subset"}
    assert [] == standing({**RECORDED, "seen": 2}, WANTED, initial=OPEN, **near).beyond(RECORDED)
    recorded = {**RECORDED, "log": ["a", "b"]}
    end = {**RECORDED, "log": ["b", "a"]}
    loose = {"unordered": (parse("log"),), "mode": "subset"}
    assert [] == standing(end, WANTED, initial=OPEN, **loose).beyond(recorded)
