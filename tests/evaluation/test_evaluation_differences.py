"""What differs between two values, as it is told to people."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import equal
from oloproof.evaluation.comparing.differences import explain, spread
from oloproof.evaluation.contract import Comparison
from oloproof.evaluation.states.comparison import EXACT
from oloproof.paths import MISSING, parse

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text(alphabet="ab.", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(alphabet="ab.", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


def told(before: Any, after: Any) -> list[tuple[Any, ...]]:
    return [(c.kind, c.path, c.before, c.after) for c in explain(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("changed", "a", 1, True)]),
        ({"a": 1}, {"b": 1}, [("removed", "a", 1, None), ("added", "b", None, 1)]),
        ({"x.y": {"z": 1}}, {"x.y": {"z": 2}}, [("changed", '"x.y".z', 1, 2)]),
        ({"a": [1]}, {"a": {"0": 1}}, [("changed", "a", [1], {"0": 1})]),
        ([1, 2, 3], [1, 9, 2, 3], [("added", "[1]", None, 9)]),
        ([1, 2, 3], [1, 3], [("removed", "[1]", 2, None)]),
        (
            [{"id": 1}, {"id": 2}, {"id": 3, "s": "a"}, {"id": 4}],
            [{"id": 1}, {"id": 9}, {"id": 2}, {"id": 3, "s": "b"}, {"id": 4}],
            [("added", "[1]", None, {"id": 9}), ("changed", "[3].s", "a", "b")],
        ),
        (
            [{"id": 1}, {"id": 2}, {"id": 3}],
            [{"id": 2}, {"id": 3}, {"id": 4}],
            [("removed", "[0]", {"id": 1}, None), ("added", "[2]", None, {"id": 4})],
        ),
        (1, None, [("changed", "", 1, None)]),
    ],
)
def test_changes_are_told_at_their_deepest_place(
    before: Any, after: Any, changes: list[Any]
) -> None:
    """One change is one line; items around an insertion are not called changed."""
    assert changes == told(before, after)


@given(json_values, json_values)
@example([1], [True])
def test_something_is_told_exactly_where_values_differ(before: Any, after: Any) -> None:
    """Equal values have no changes, others have at least one, and each is real."""
    changes = explain(before, after)
    assert equal(before, after) == (not changes)
    for change in changes:
        if change.kind == "removed":
            assert equal(change.before, parse(change.path).get(before))  # type: ignore[arg-type]
        elif change.path:
            assert equal(change.after, parse(change.path).get(after))  # type: ignore[arg-type]
        if change.kind == "changed":
            assert not equal(change.before, change.after)


def test_very_long_lists_are_set_side_by_side() -> None:
    """Beyond a length items are compared as they stand, and nothing is left out."""
    before = list(range(3000))
    assert [("changed", "[5]", 5, -1)] == told(before, [*before[:5], -1, *before[6:]])
    assert [("removed", "[2999]", 2999, None)] == told(before, before[:-1])


class TestSpread:
    def test_equal_objects_are_taken_apart(self) -> None:
        """Each leaf of what passed as a whole gets a line of its own."""
        state = {"orders": {"1": {"s": "x"}, "2": {}}, "n": [1, None]}
        places = [(p.path, p.expected) for p in spread(EXACT.compare(state, state))]
        assert [
            ("orders.1.s", "x"),
            ("orders.2", {}),
            ("n[0]", 1),
            ("n[1]", None),
        ] == places

    def test_large_objects_stay_whole(self) -> None:
        """Beyond a number of leaves one line stands for all."""
        compared = EXACT.compare([1, 2, 3], [1, 2, 3])
        assert 3 == len(spread(compared, at_most=3))
        assert compared == tuple(spread(compared, at_most=2))

    def test_what_fails_or_is_not_equal_stays_as_it_is(self) -> None:
        """Only places whose sides are equal are taken apart."""
        places = [
            Comparison("a", {"x": 1}, {"x": 2}, False),
            Comparison("b", [1, 2], [2, 1], True, "in any order"),
            Comparison("c", MISSING, MISSING, True, "absent in both"),
            Comparison("d", {}, {"x": 1}, True),
        ]
        assert places == spread(places)
