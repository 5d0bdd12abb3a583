"""Structural differences and the patches that carry them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import encode
from oloproof.patches import PatchError, apply, difference

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, -0.0, 1.0, 1.5, 2**63])
    | st.text(alphabet="ab/~", max_size=2)
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(alphabet="ab/~01", max_size=2), inner, max_size=4)
    ),
    max_leaves=25,
)


@st.composite
def edited_pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """A value and the same with a few places changed: what real differences look like."""
    old = draw(json_values)
    new = copy.deepcopy(old)
    for _ in range(draw(st.integers(0, 3))):
        new = _edit(draw, new)
    return old, new


def _edit(draw: st.DrawFn, value: Any) -> Any:
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(json_values)
    place = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    match draw(st.sampled_from(["deeper", "remove", "insert"])):
        case "remove":
            del value[place]
        case "insert" if isinstance(value, list):
            value.insert(place, draw(json_values))
        case _:
            value[place] = _edit(draw, value[place])
    return value


class TestDifference:
    @given(json_values, json_values)
    @example(True, 1)
    @example([1], [1.0])
    @example({"a": [0.0]}, {"a": [-0.0]})
    @example([], {})
    @example([1, 2, 3], [1])
    @example([1, 1, 1], [1, 1])
    @example({"a/b": {"~": 1}}, {"a/b": {"~": None}})
    @example({"0": 1}, [1])
    def test_applied_it_gives_exactly_the_new_value(self, old: Any, new: Any) -> None:
        """`apply(old, difference(old, new))` is `new`, byte for byte in canonical form."""
        assert encode(new) == encode(apply(old, difference(old, new)))

    @given(edited_pairs())
    def test_it_is_exact_for_edited_values(self, pair: tuple[Any, Any]) -> None:
        """The same holds where most of the value is shared."""
        old, new = pair
        assert encode(new) == encode(apply(old, difference(old, new)))

    @given(json_values)
    def test_there_is_none_between_equal_values(self, value: Any) -> None:
        """A value does not differ from a copy of itself."""
        assert [] == difference(value, copy.deepcopy(value))

    @given(edited_pairs())
    def test_it_changes_neither_side(self, pair: tuple[Any, Any]) -> None:
        """Comparing and patching leave their arguments as they were."""
        old, new = pair
        before = encode([old, new])
        apply(old, difference(old, new))
        assert before == encode([old, new])

    @pytest.mark.parametrize(
        ("old", "new", "operations"),
        [
            ({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}]),
            ({"a": 1}, {"a": 1.0}, [{"op": "replace", "path": "/a", "value": 1.0}]),
            ({"a": {"b": 1}}, {"a": {}}, [{"op": "remove", "path": "/a/b"}]),
            ({}, {"a/b": None}, [{"op": "add", "path": "/a~1b", "value": None}]),
            ([1, 2, 3], [1, 3], [{"op": "remove", "path": "/1"}]),
            ([1, 3], [1, 2, 3], [{"op": "add", "path": "/1", "value": 2}]),
            (1, [], [{"op": "replace", "path": "", "value": []}]),
        ],
    )
    def test_it_is_small(self, old: Any, new: Any, operations: list[Any]) -> None:
        """A change is named at its deepest place, and a shifted list is not rewritten."""
        assert operations == difference(old, new)

    def test_untouched_subtrees_are_shared(self) -> None:
        """Applying a patch copies only the containers on the way to a change."""
        old: Any = {"a": {"x": [1]}, "b": {"y": [2]}}
        new: Any = apply(old, [{"op": "replace", "path": "/a/x/0", "value": 3}])
        assert old["b"] is new["b"]
        assert {"a": {"x": [1]}, "b": {"y": [2]}} == old


class TestApply:
    @pytest.mark.parametrize(
        ("value", "operation", "result"),
        [
            # Examples of RFC 6902, appendix A.
            ({"foo": "bar"}, {"op": "add", "path": "/baz", "value": "qux"}, None),
            ({"foo": ["bar", "baz"]}, {"op": "add", "path": "/foo/1", "value": "qux"}, None),
            ({"baz": "qux", "foo": "bar"}, {"op": "remove", "path": "/baz"}, {"foo": "bar"}),
            ({"foo": ["a", "b", "c"]}, {"op": "remove", "path": "/foo/1"}, {"foo": ["a", "c"]}),
            ({"baz": "qux"}, {"op": "replace", "path": "/baz", "value": "boo"}, {"baz": "boo"}),
            (
                {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
                {"op": "move", "from": "/foo/waldo", "path": "/qux/thud"},
                {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
            ),
            (
                {"foo": ["all", "grass", "cows", "eat"]},
                {"op": "move", "from": "/foo/1", "path": "/foo/3"},
                {"foo": ["all", "cows", "eat", "grass"]},
            ),
            ({"foo": ["a"]}, {"op": "add", "path": "/foo/-", "value": ["b"]}, None),
            ({"a": 1}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": 1, "b": 1}),
            ({"a": [1]}, {"op": "test", "path": "/a", "value": [1.0]}, {"a": [1]}),
            ({"a": 1}, {"op": "add", "path": "", "value": 2}, 2),
        ],
    )
    def test_each_operation_does_what_the_rfc_says(
        self, value: Any, operation: Any, result: Any
    ) -> None:
        """The published examples come out as published."""
        published: dict[str, Any] = {
            "/baz": {"baz": "qux", "foo": "bar"},
            "/foo/1": {"foo": ["bar", "qux", "baz"]},
            "/foo/-": {"foo": ["a", ["b"]]},
        }
        expected = published[operation["path"]] if result is None else result
        assert expected == apply(value, [operation])

    @pytest.mark.parametrize(
        ("operation", "what"),
        [
            ({"op": "remove", "path": "/x"}, "nothing is at 'x'"),
            ({"op": "replace", "path": "/x", "value": 1}, "nothing is at 'x'"),
            ({"op": "add", "path": "/x/y", "value": 1}, "nothing is at 'x'"),
            ({"op": "add", "path": "/list/9", "value": 1}, "beyond the end"),
            ({"op": "add", "path": "/list/01", "value": 1}, "no list index"),
            ({"op": "replace", "path": "/list/-", "value": 1}, "no list index"),
            ({"op": "add", "path": "/list/" + "9" * 5000, "value": 1}, "no list index"),
            ({"op": "add", "path": "/a/b", "value": 1}, "neither an object nor a list"),
            ({"op": "add", "path": "/b"}, "needs a `value`"),
            ({"op": "add", "value": 1}, "`path` is missing"),
            ({"op": "add", "path": "a", "value": 1}, "no JSON Pointer"),
            ({"op": "test", "path": "/a", "value": True}, "not the one tested for"),
            ({"op": "move", "from": "/list", "path": "/list/0"}, "cannot move into itself"),
            ({"op": "copy", "path": "/b"}, "needs `from`"),
            ({"op": "remove", "path": ""}, "cannot be removed"),
            ({"op": "merge", "path": "/a"}, "unknown op 'merge'"),
            ("remove", "an operation is an object"),
        ],
    )
    def test_what_does_not_fit_is_refused_by_its_number(self, operation: Any, what: str) -> None:
        """The error counts operations from 0 and says what does not fit."""
        fits = {"op": "test", "path": "/a", "value": 1}
        with pytest.raises(PatchError) as caught:
            apply({"a": 1, "list": [1, 2]}, [fits, operation])
        assert caught.value.what.startswith("operation 1 of the patch does not fit: ")
        assert what in caught.value.what
