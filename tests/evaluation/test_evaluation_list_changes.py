"""How a list became another, as `inspect` and `replay` show it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import encode, equal
from oloproof.evaluation.comparing.differences import explain
from oloproof.evaluation.comparing.lists import list_changes
from oloproof.paths import parse

scalars = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([1.0, 0.5, "a", "b"])
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "a", "__b", "[0]"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def told(before: Any, after: Any) -> list[tuple[Any, ...]]:
    return [
        (c.kind, c.path, c.moved_from if c.kind == "moved" else c.before, c.after)
        for c in explain(before, after, list_changes)
    ]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        # By a key that identifies, though the new item is more like the old one
        (
            [{"id": 1, "s": "open", "n": "a"}, {"id": 2, "s": "open", "n": "a"}],
            [
                {"id": 1, "s": "open", "n": "a"},
                {"id": 3, "s": "open", "n": "a"},
                {"id": 2, "s": "paid", "n": "b"},
            ],
            [
                ("added", "[1]", None, {"id": 3, "s": "open", "n": "a"}),
                ("changed", "[2].s", "open", "paid"),
                ("changed", "[2].n", "a", "b"),
            ],
        ),
        (
            [{"id": 1}, {"id": 2}, {"id": 3}],
            [{"id": 2}, {"id": 3}, {"id": 4}],
            [("removed", "[0]", {"id": 1}, None), ("added", "[2]", None, {"id": 4})],
        ),
        (
            [{"orderId": "a", "n": 1}, {"orderId": "b", "n": 1}],
            [{"orderId": "b", "n": 2}, {"orderId": "a", "n": 1}],
            [("moved", "[0]", "[1]", {"orderId": "b", "n": 2}), ("changed", "[0].n", 1, 2)],
        ),
        # By nearness, where nothing identifies: `paid` is no identifier, nor is a key that repeats
        (
            [{"text": "b", "paid": 2}],
            [{"text": "new", "paid": 5}, {"text": "b", "paid": 3}],
            [
                ("added", "[0]", None, {"text": "new", "paid": 5}),
                ("changed", "[1].paid", 2, 3),
            ],
        ),
        (
            [{"name": "x", "qty": 1, "at": 5}, {"name": "x", "qty": 2, "at": 6}],
            [
                {"name": "y", "qty": 8, "at": 9},
                {"name": "x", "qty": 1, "at": 7},
                {"name": "x", "qty": 2, "at": 6},
            ],
            [
                ("added", "[0]", None, {"name": "y", "qty": 8, "at": 9}),
                ("changed", "[1].at", 5, 7),
            ],
        ),
        (
            {"a": [{"t": [1, 2, 3], "u": 0}]},
            {"a": [{"t": [0], "u": 7}, {"t": [1, 9, 2, 3], "u": 0}]},
            [("added", "a[0]", None, {"t": [0], "u": 7}), ("added", "a[1].t[1]", None, 9)],
        ),
        # By the place, where nothing is near
        (["a", "b", "c"], ["a", "x", "c"], [("changed", "[1]", "b", "x")]),
        (
            ["x"],
            ["y", "y"],
            [
                ("removed", "[0]", "x", None),
                ("added", "[0]", None, "y"),
                ("added", "[1]", None, "y"),
            ],
        ),
        # What is equal, and what is not
        ([1, 2], [1.0, 2.0], []),
        ([1], [True], [("changed", "[0]", 1, True)]),
        (
            [{"x": True, "y": "a"}, 5],
            [5, {"x": 1, "y": "a"}],
            [("moved", "[1]", "[0]", {"x": 1, "y": "a"}), ("changed", "[1].x", True, 1)],
        ),
        ([1, 1, 2], [1, 2], [("removed", "[1]", 1, None)]),
        ([1, 2], [1, 2, 2], [("added", "[2]", None, 2)]),
        ([1, 2, 3], [3, 1, 2], [("moved", "[0]", "[2]", 3)]),
        ([[1, 2], [3]], [[2, 1], [3]], [("moved", "[0][0]", "[0][1]", 2)]),
        ([{"__v": 1, "q": 1}], [{"__v": 2, "q": 1}], [("changed", "[0].__v", 1, 2)]),
    ],
)
def test_what_became_of_each_item_is_told(before: Any, after: Any, changes: list[Any]) -> None:
    """An item that changed is one item, whatever was inserted, removed or moved beside it."""
    assert changes == told(before, after)


@given(json_values, json_values)
@example([1], [True])
@example([{"id": 1}, {"id": True}], [{"id": 1.0}, {"id": 0}])
def test_something_is_told_exactly_where_values_differ(before: Any, after: Any) -> None:
    """Equal values have no changes, others have at least one, and each is real."""
    changes = explain(before, after, list_changes)
    assert equal(before, after) == (not changes)
    for change in changes:
        if change.kind == "removed":
            assert equal(change.before, parse(change.path).get(before))  # type: ignore[arg-type]
        elif change.path:
            assert equal(change.after, parse(change.path).get(after))  # type: ignore[arg-type]
        if change.kind == "changed":
            assert not equal(change.before, change.after)


@given(st.lists(json_values, max_size=6), st.lists(json_values, max_size=6))
@example([None, {}, {}], [[]])
@example([[True], ["\0true"], ["\0true"]], [["\0true"], [True], [True], [True]])
def test_each_item_is_told_of_once(before: list[Any], after: list[Any]) -> None:
    """What came and what went make up the difference of the two lengths."""
    kinds = Counter(
        change.kind for change in explain(before, after, list_changes) if _of_the_list(change.path)
    )
    assert len(after) - len(before) == kinds["added"] - kinds["removed"]


def _of_the_list(path: str) -> bool:
    return path.count("[") == 1 and path.endswith("]")


@given(st.lists(st.integers(0, 3).map(lambda n: {"id": n}), max_size=6), st.data())
def test_another_order_is_told_as_such(before: list[Any], data: st.DataObject) -> None:
    """Items of which none came, went or changed have moved, and nothing else is told."""
    after = data.draw(st.permutations(before))
    changes = explain(before, after, list_changes)
    assert {"moved"} >= {change.kind for change in changes}
    assert (encode(before) != encode(after)) == bool(changes)


def test_an_insertion_into_a_long_list_is_one_line() -> None:
    """What both lists begin and end with is not aligned, so its length does not matter."""
    before = [{"id": n, "s": "a"} for n in range(5000)]
    after = [*before[:3000], {"id": -1, "s": "a"}, {"id": 3000, "s": "b"}, *before[3001:]]
    assert [
        ("added", "[3000]", None, {"id": -1, "s": "a"}),
        ("changed", "[3001].s", "a", "b"),
    ] == told(before, after)


def test_very_long_lists_are_set_side_by_side() -> None:
    """Where too much lies between, items are compared as they stand, and nothing is left out."""
    before = list(range(3000))
    assert 3000 == len(told(before, [-n for n in range(1, 3001)]))


def test_many_items_that_nothing_identifies_are_told_by_their_place() -> None:
    """Nearness is not computed for hundreds of pairs of items."""
    before = [{"text": n, "at": n} for n in range(100)]
    after = [{"text": n, "at": -1 - n} for n in range(100)]
    assert {"changed"} == {kind for kind, *_ in told(before, after)}
