"""JSON Schemas of states: what is one, what fits it, and that nothing is fetched."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluation.schemas.paths import keys_instead
from oloproof.evaluation.schemas.schema import Schema, SchemaError
from oloproof.paths import EVERY, MISSING, Path, Segment, children, parse


def places(schema: Any, state: Any) -> list[tuple[str, Any, Any]]:
    return [(str(v.path), v.actual, v.asked) for v in Schema(schema).violations(state)]


@pytest.mark.parametrize(
    ("schema", "state", "found"),
    [
        (True, 1, []),
        (False, 1, [("", 1, False)]),
        ({"type": "integer"}, 1.0, []),
        ({"type": "integer"}, True, [("", True, {"type": "integer"})]),
        ({"required": ["a", "b"]}, {"b": 1}, [("a", MISSING, {"required": True})]),
        (
            {"additionalProperties": False, "patternProperties": {"^x": {}}},
            {"x1": 1, "y": 2},
            [("y", 2, {"additionalProperties": False})],
        ),
        (
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "b": 2},
            [("", {"a": 1, "b": 2}, {"unevaluatedProperties": False})],
        ),
        ({"prefixItems": [{"const": 1}]}, [2], [("[0]", 2, {"const": 1})]),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": 1}}}, 0, [("", 0, {"minimum": 1})]),
        ({"properties": {"a": False}}, {"a": 1}, [("a", 1, False)]),
        (
            {"anyOf": [{"const": 1}, {"const": 2}]},
            3,
            [("", 3, {"anyOf": [{"const": 1}, {"const": 2}]})],
        ),
    ],
)
def test_every_place_that_does_not_fit_is_found(schema: Any, state: Any, found: Any) -> None:
    """With what is there, and the part of the schema that it breaks."""
    assert found == places(schema, state)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "date-time",
            ["2026-08-07T15:00:00+03:00", "2026-08-07t15:00:00.5z", "2016-12-31T23:59:60Z"],
            ["2026-08-07", "2026-08-07T15:00:00", "2026-02-30T15:00:00Z", "2026-08-07 15:00:00Z"],
        ),
        ("date", ["2024-02-29"], ["2026-02-29", "20260807", "2026-W01-1", "\u0662026-08-07"]),
        ("time", ["15:00:00Z"], ["15:00", "25:00:00Z", "15:60:00Z", "15:00:60Z", "15:00:61Z"]),
        ("ipv4", ["127.0.0.1"], ["127.0.0", "256.0.0.1"]),
        ("ipv6", ["::1"], ["1", ":::"]),
        ("regex", ["a+"], ["("]),
        (
            "uuid",
            ["123e4567-e89b-12d3-a456-426614174000"],
            ["123e4567e89b12d3a456426614174000", "x"],
        ),
    ],
)
def test_formats_are_checked(name: str, good: list[str], bad: list[str]) -> None:
    """As RFC 3339 and the like have them; what is no text has no format."""
    for text in good:
        assert [] == places({"format": name}, text)
    for text in bad:
        assert [("", text, {"format": name})] == places({"format": name}, text)
    assert [] == places({"format": name}, 5)


def test_other_formats_only_describe() -> None:
    """Whatever else is installed: the same everywhere."""
    assert [] == places({"format": "email"}, "nobody")


@pytest.mark.parametrize(
    ("schema", "at", "what"),
    [
        ([], "", "it is no object"),
        ({"properties": {"a": {"minimum": "1"}}}, "/properties/a/minimum", "'1' is not of type"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "is not a 'regex'"),
        ({"$ref": "#/$defs/a"}, "", "leads nowhere"),
        ({"$ref": "https://example.org/state.json"}, "", "leads nowhere"),
        ({"$ref": "#/other/a", "other": {"a": {"$ref": "#/x"}}}, "", "`$ref: #/x` leads nowhere"),
        ({"$dynamicRef": "#x"}, "", "`$dynamicRef: #x` leads nowhere"),
        ({"anyOf": [{"$ref": "#"}]}, "", "without end"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema"}, "/$schema", "another draft"),
    ],
)
def test_what_is_no_schema_is_refused(schema: Any, at: str, what: str) -> None:
    """Also what would only show while a state is held against it."""
    with pytest.raises(SchemaError) as caught:
        Schema(schema)
    assert at == caught.value.at
    assert what in caught.value.what
    assert caught.value.fix


def test_a_schema_may_be_of_any_depth_and_name_the_drafts_own() -> None:
    """Recursion into parts of a value has an end."""
    tree = {"$defs": {"t": {"properties": {"t": {"$ref": "#/$defs/t"}}, "type": "object"}}}
    state: Any = {}
    for _ in range(150):
        state = {"t": state}
    assert [] == places({**tree, "$ref": "#/$defs/t"}, state)
    own = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert [] == places(own, {"type": "object"})
    assert places(own, {"type": 5})


ROOM: Any = {
    "$defs": {
        "room": {"type": "object", "properties": {"price": {}}, "additionalProperties": False}
    },
    "type": "object",
    "properties": {
        "goal": {"type": "string"},
        "rooms": {"type": "array", "items": {"$ref": "#/$defs/room"}},
        "open": {"type": "object"},
        "either": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/room"}]},
        "both": {"allOf": [{"$ref": "#/$defs/room"}, {"properties": {"x": True}}]},
        "never": False,
        "pair": {"prefixItems": [{"$ref": "#/$defs/room"}], "items": False, "type": "array"},
    },
    "patternProperties": {"^x-": {"type": "number"}},
    "additionalProperties": False,
}


PLAIN = ("goal", "rooms", "open")


@pytest.mark.parametrize(
    "path",
    [
        "goal",
        "rooms[0].price",
        "rooms[*].price.any",
        "rooms.0",
        "open.a.b",
        "either.price",
        "both.price",
        "x-y",
        "[*].price",
        "pair[0].price",
        "either.prize",
        "pair[1]",
        "0",
    ],
)
def test_paths_that_a_schema_knows(path: str) -> None:
    """Through references, lists, patterns and alternatives."""
    assert keys_instead(Schema(ROOM), parse(path)) is None


@pytest.mark.parametrize(
    ("path", "key", "known"),
    [
        ("gaol", "gaol", ["a", "goal", "open", "rooms"]),
        ("goal.x", "x", []),
        ("rooms[0].prise", "prise", ["price"]),
        ("rooms[*].prise", "prise", ["price"]),
    ],
)
def test_paths_that_a_schema_does_not_know(path: str, key: str, known: list[str]) -> None:
    """The first key that can be nowhere, and those that may stand in its place."""
    closed = ROOM | {"properties": {"a": {}, **{n: ROOM["properties"][n] for n in PLAIN}}}
    del closed["patternProperties"]
    assert (key, known) == keys_instead(Schema(closed), parse(path))


def test_a_list_may_stand_where_an_object_may() -> None:
    """A key that is a number may then be the place of an item."""
    schema = Schema({"properties": {"0": {"type": "string"}}, "additionalProperties": False})
    assert [] == schema.violations([{"x": 1}])
    assert keys_instead(schema, parse("0.x")) is None


names = st.sampled_from(["a", "b", "0"])
small_schemas: Any = st.recursive(
    st.booleans() | st.sampled_from([{}, {"type": "object"}, {"type": ["array", "null"]}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["a", "^0"]), inner, max_size=1),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=5,
)
small_values: Any = st.recursive(
    st.none() | st.integers(0, 1),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=5,
)


def paths_into(value: Any) -> list[tuple[Segment, ...]]:
    """Every path at which a value has something, with and without wildcards."""
    return [
        (segment, *further)
        for key, item in children(value)
        for segment in (key, EVERY)
        for further in [(), *paths_into(item)]
    ]


values_with_a_place = small_values.filter(paths_into).flatmap(
    lambda value: st.tuples(st.just(value), st.sampled_from(paths_into(value)))
)


@given(small_schemas, values_with_a_place)
def test_what_a_fitting_value_has_is_known(schema: Any, held: Any) -> None:
    """A path is refused only where no value that fits has anything."""
    value, segments = held
    made = Schema(schema)
    assert keys_instead(made, Path(segments)) is None or made.violations(value)


@pytest.mark.parametrize(
    ("written", "at", "near"),
    [
        ({"propertis": {"a": {"type": "string"}}}, "", "properties"),
        ({"type": "object", "properties": {"a": {"requried": ["b"]}}}, "/properties/a", "required"),
        ({"anyOf": [{}, {"items": {"minlength": 2}}]}, "/anyOf/1/items", "minLength"),
        ({"$defs": {"a": {"unevaluatedItems": {"typ": 1}}}}, "/$defs/a/unevaluatedItems", "type"),
    ],
)
def test_a_word_that_is_like_a_keyword_is_refused(written: Any, at: str, near: str) -> None:
    """It would ask for nothing; the nearest keyword is named."""
    with pytest.raises(SchemaError) as caught:
        Schema(written)
    assert (at, True) == (caught.value.at, f"did you mean `{near}`?" in caught.value.fix)


def test_words_of_ones_own_are_allowed() -> None:
    """Annotations that are like no keyword, `x-…`, and whatever is a name or a value."""
    for written in (
        {"x-propertis": 1, "nullable": True, "note": "…", "example": 1, "owner": "me"},
        {"properties": {"propertis": {}, "typ": {}}},
        {"const": {"propertis": 1}, "default": {"typ": 1}, "enum": [{"requried": 1}]},
    ):
        assert [] == Schema(written).violations({"propertis": 1}) or "const" in written
