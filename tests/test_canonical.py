"""The canonical form, what it refuses, and equality by JSON value."""

from __future__ import annotations

import collections
import datetime
import enum
import json
import math
import uuid
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import (
    MAX_DEPTH,
    decode,
    digest,
    encode,
    encode_foreign,
    encode_in_order,
    equal,
    to_json,
)
from oloproof.errors import NotJsonError
from oloproof.paths import parse

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


class Colour(enum.StrEnum):
    RED = "red"


class Size(enum.IntEnum):
    SMALL = 1


class Shape(enum.Enum):
    ROUND = "round"


class Name(str):
    __slots__ = ()


class Liar(int):
    def __int__(self) -> int:
        return 7

    __index__ = __int__


class Dressed(str):
    __slots__ = ()

    def encode(self, *_: object) -> bytes:  # type: ignore[override]
        raise RuntimeError("no")


class Locked(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("locked")


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("shy")


class Loud:
    def __repr__(self) -> str:
        return "\ud800"


def nested(depth: int, kind: str = "list") -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


def twin(value: Any) -> Any:
    """The same JSON value with keys turned round and whole numbers in their other form."""
    if isinstance(value, dict):
        return {key: twin(item) for key, item in reversed(value.items())}
    if isinstance(value, list):
        return [twin(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and int(float(value)) == value:
        return float(value)
    return value


def strictly_equal(left: Any, right: Any) -> bool:
    """Equality by its definition, one case after the other."""
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(strictly_equal(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(strictly_equal, left, right))
    return type(left) not in (dict, list) and type(right) not in (dict, list) and left == right


class TestForm:
    @given(json_values)
    def test_what_is_encoded_decodes_to_an_equal_value(self, value: Any) -> None:
        """Encoding loses nothing."""
        assert equal(value, decode(encode(value)))

    @given(json_values)
    def test_encoding_is_a_fixed_point(self, value: Any) -> None:
        """The canonical form of a decoded canonical form is itself."""
        data = encode(value)
        assert data == encode(decode(data))

    @given(st.dictionaries(st.text(), scalars))
    def test_key_order_does_not_enter_the_form(self, value: dict[str, Any]) -> None:
        """Objects that differ in key order alone have one form; in order they keep it."""
        turned = dict(reversed(value.items()))
        assert encode(value) == encode(turned)
        assert list(turned) == list(json.loads(encode_in_order(turned)))

    def test_digest_is_sha256(self) -> None:
        """The digest is the published SHA-256 of the empty input."""
        assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class TestForeignValues:
    @given(json_values)
    def test_json_passes_as_it_is(self, value: Any) -> None:
        """A JSON value has the same form whether it is known to be one or not."""
        encoded = encode_foreign(value, "it")
        assert encode(value) == encoded.data
        assert value == encoded.value
        assert encode_in_order(value) == encode_in_order(to_json(value, "it"))

    @given(json_values)
    def test_both_ways_agree_on_what_they_accept(self, value: Any) -> None:
        """A tuple beside a value changes nothing about how the value is read."""
        assert encode_foreign([value, []], "it").data == encode_foreign([value, ()], "it").data

    @pytest.mark.parametrize(
        ("value", "form"),
        [
            ((1, (2,)), b"[1,[2]]"),
            (collections.OrderedDict(b=1, a=(2,)), b'{"a":[2],"b":1}'),
            (Colour.RED, b'"red"'),
            ((Colour.RED, Size.SMALL), b'["red",1]'),
            ({Colour.RED: ()}, b'{"red":[]}'),
            ({Name("key"): Name("value")}, b'{"key":"value"}'),
            (2**64 - 1, b"18446744073709551615"),
        ],
    )
    def test_near_json_is_taken_at_its_plain_value(self, value: object, form: bytes) -> None:
        """Tuples are lists; subclasses of text, numbers and objects are what they extend."""
        encoded = encode_foreign(value, "it")
        assert form == encoded.data == encode(encoded.value)
        assert json.dumps(decode(form)) == json.dumps(encoded.value, sort_keys=True)

    @pytest.mark.parametrize(
        ("value", "where"),
        [
            (math.nan, "(top)"),
            ({"a": [1, math.inf]}, "a[1]"),
            ({"a": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)}, "a"),
            ({"a": {1, 2}}, "a"),
            ({"a": b"bytes"}, "a"),
            ({"a": uuid.UUID(int=0)}, "a"),
            ([Shape.ROUND], "[0]"),
            ({"a": {1: "x"}}, "a"),
            ({"a": {None: "x"}}, "a"),
            ([2**64], "[0]"),
            ([-(2**63) - 1], "[0]"),
            (["\ud800"], "[0]"),
            ({"a": {"\ud800": 1}}, "a"),
            ({"a.b": {"/c": [0, object()]}}, '"a.b"."/c"[1]'),
        ],
    )
    def test_what_json_lacks_is_refused_with_its_path(self, value: object, where: str) -> None:
        """The error names the place of the offending value."""
        with pytest.raises(NotJsonError) as caught:
            encode_foreign(value, "the output")
        assert where == caught.value.where
        assert caught.value.what.startswith("the output is not JSON: ")

    @given(
        st.lists(st.text() | st.integers(0, 3), min_size=1, max_size=5),
        st.sampled_from([math.nan, b"", {1}]),
    )
    def test_the_path_of_a_refused_value_reads_back_to_it(
        self, keys: list[str | int], bad: object
    ) -> None:
        """What `where` says is in the path language."""
        value: Any = bad
        for key in reversed(keys):
            value = {key: value} if isinstance(key, str) else [0] * key + [value]
        with pytest.raises(NotJsonError) as caught:
            encode_foreign(value, "it")
        if caught.value.where is not None and not caught.value.where.endswith("…"):
            assert bad is parse(caught.value.where).get(value)

    def test_the_plain_value_is_nobody_elses(self) -> None:
        """What the user's code changes later does not reach what was taken."""
        for value in ({"a": [1]}, {"a": [1], "b": ()}):
            encoded = encode_foreign(value, "it")
            value["a"].append(2)  # type: ignore[union-attr]
            assert [1] == encoded.value["a"]  # type: ignore[call-overload, index]

    def test_what_a_subclass_says_of_itself_does_not_count(self) -> None:
        """Numbers and text are taken at the value they hold."""
        value = [Liar(3), Dressed("x"), ()]
        assert b'[3,"x",[]]' == encode_foreign(value, "it").data

    def test_a_value_that_cannot_be_looked_into_is_refused(self) -> None:
        """What a value's own methods raise is said, and never escapes."""
        with pytest.raises(NotJsonError, match="looking into it raised RuntimeError"):
            encode_foreign(Locked(a=1), "it")
        for value in (Shy(), Loud()):
            with pytest.raises(NotJsonError) as caught:
                encode_foreign(value, "it")
            encode(caught.value.what)

    def test_a_refused_value_is_shown_whole_or_not_at_all(self) -> None:
        """A part of a long value could be a part of a secret that nobody finds any more."""
        for size, shown in ((57, "b'" + "x" * 57 + "'"), (58, "(61 characters)")):
            with pytest.raises(NotJsonError) as caught:
                encode_foreign([b"x" * size], "it")
            assert f"it is not JSON: bytes {shown} at [0]" == caught.value.what

    @pytest.mark.parametrize("key", ["a", "long" * 9, "a.b", "x" * 90])
    def test_a_path_too_long_to_show_ends_with_a_whole_segment(self, key: str) -> None:
        """No key is cut in two."""
        value: Any = 1
        for _ in range(MAX_DEPTH + 1):
            value = {key: value}
        with pytest.raises(NotJsonError) as caught:
            encode_foreign(value, "it")
        where = caught.value.where or ""
        assert where.endswith("…")
        assert set(where[:-1].split(".")) <= {key, ""}

    @pytest.mark.parametrize("kind", ["list", "object"])
    def test_depth_is_bounded_on_both_ways(self, kind: str) -> None:
        """The same depth is the last one accepted, whether or not a tuple is about."""
        deepest = nested(MAX_DEPTH, kind)
        assert encode(deepest) == encode_foreign(deepest, "it").data
        assert encode(nested(MAX_DEPTH)) == encode_foreign((nested(MAX_DEPTH - 1),), "it").data
        for value in (nested(MAX_DEPTH + 1, kind), (nested(MAX_DEPTH, kind),)):
            with pytest.raises(NotJsonError, match="nested more than 200 levels deep"):
                encode_foreign(value, "it")

    def test_a_value_that_contains_itself_is_refused(self) -> None:
        """A cycle is a value nested too deeply."""
        cycle: list[Any] = []
        cycle.append(cycle)
        with pytest.raises(NotJsonError, match="nested more than"):
            encode_foreign(cycle, "it")

    def test_many_containers_are_not_deep_ones(self) -> None:
        """Width alone is never refused."""
        wide = [{"a": [i]} for i in range(1000)]
        assert encode(wide) == encode_foreign(wide, "it").data

    def test_the_encoder_stops_where_the_depth_check_expects(self) -> None:
        """The cheap depth check rests on the encoder's own limit of 254."""
        orjson.dumps(nested(254))
        with pytest.raises(TypeError, match="Recursion limit"):
            orjson.dumps(nested(255))


class TestEquality:
    @given(json_values)
    @example({"a": [1, True, None, "x", 1.5]})
    def test_form_and_key_order_do_not_count(self, value: Any) -> None:
        """A value equals its twin in another key order and number form."""
        assert equal(value, twin(value))
        assert equal(twin(value), value)

    @given(json_values, json_values)
    @example(True, 1)
    @example([False], [0])
    @example({"a": [1.0, True]}, {"a": [1, 1]})
    @example({"a": None}, {"b": None})
    @example(2**53 + 1, float(2**53))
    @example(0.0, -0.0)
    @example([], {})
    @example(None, False)
    def test_it_is_what_its_definition_says(self, left: Any, right: Any) -> None:
        """The fast comparison agrees with the definition spelt out, in both directions."""
        assert strictly_equal(left, right) == equal(left, right) == equal(right, left)

    @given(
        st.lists(st.sampled_from([0, 1, True, False, 1.0, 0.0, None, ""]), max_size=3), st.data()
    )
    def test_booleans_are_never_numbers(self, left: list[Any], data: st.DataObject) -> None:
        """Values that only Python takes for equal stay apart at any place."""
        items = st.sampled_from([0, 1, True, False, 1.0, 0.0, None, ""])
        right = data.draw(st.lists(items, min_size=len(left), max_size=len(left)))
        assert strictly_equal(left, right) == equal({"a": left}, {"a": right})

    @given(json_values, json_values)
    def test_equal_forms_are_equal_values(self, left: Any, right: Any) -> None:
        """A digest may tell apart what is equal, never the other way round."""
        if encode(left) == encode(right):
            assert equal(left, right)
