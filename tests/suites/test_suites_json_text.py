"""Strict JSON: what is read, what is refused, and that the fast way changes neither."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import MAX_DEPTH
from oloproof.suites import json_text
from oloproof.suites.json_text import MalformedError, depth_of, lines_of_items, parse, parse_located

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from([":", '"a":1', "\\u003a", "12345678901234567890123", "[[{{"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(scalars.map(str), inner, max_size=4)
    ),
    max_leaves=20,
)


def reference(text: str) -> Any:
    """Strict JSON by the standard library alone; raises ValueError for what must be refused."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) != len(items):
            raise ValueError("a key twice")
        return dict(items)

    def integer(digits: str) -> int:
        if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
            raise ValueError("beyond 64 bits")
        return int(digits)

    def number(digits: str) -> float:
        if not math.isfinite(float(digits)):
            raise ValueError("not finite")
        return float(digits)

    def constant(word: str) -> Any:
        raise ValueError(word)

    value = json.loads(
        text,
        object_pairs_hook=pairs,
        parse_int=integer,
        parse_float=number,
        parse_constant=constant,
    )
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def exact(value: Any) -> Any:
    """A form in which `1`, `1.0` and `True` differ."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return (type(value).__name__, value)


@given(values, st.booleans(), st.sampled_from([None, 0, 2]))
def test_every_json_value_is_read_as_written(value: Any, ascii_only: bool, indent: Any) -> None:
    """Both readers give back exactly the value that was written, escapes and all."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert exact(value) == exact(parse(text.encode()))
    assert exact(value) == exact(parse_located(text)[0])


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c:", ":"]), values.map(json.dumps)), max_size=5),
    st.booleans(),
)
@example([("a", '"\\u003a"'), ("a", "1")], False)
@example([("a", '":"'), ("a", '{"b": ":", "b": 1}')], False)
def test_a_key_given_twice_is_always_found(items: list[tuple[str, str]], escaped: bool) -> None:
    """An object is refused exactly if one of its keys repeats, whatever colons its texts hold."""
    keys = [json.dumps(key).replace(":", "\\u003a" if escaped else ":") for key, _ in items]
    text = "{" + ",".join(f"{key}:{item}" for key, (_, item) in zip(keys, items, strict=True)) + "}"
    try:
        expected = exact(reference(text))
    except ValueError:
        with pytest.raises(MalformedError):
            parse(text.encode())
    else:
        assert expected == exact(parse(text.encode()))


@given(st.text('{}[]",:\\u003aA ab\n19.-+eE', max_size=30) | st.text(max_size=10))
@example('"\\ud800"')
@example("18446744073709551616")
@example("-9223372036854775809")
@example("[1e999]")
@example("-0")
def test_the_fast_reader_accepts_what_strict_json_is(text: str) -> None:
    """Any text is accepted or refused as the standard library, made strict, does it."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        expected = exact(reference(text))
    except (ValueError, UnicodeError):
        with pytest.raises((MalformedError, UnicodeDecodeError)):
            parse(data)
    else:
        assert expected == exact(parse(data))


@pytest.mark.parametrize("spare", [json_text._SPARE_LEVELS, None])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_the_nesting_has_a_bound(
    opening: str, spare: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`MAX_DEPTH` containers inside one another are read, one more is refused, by both readers."""
    monkeypatch.setattr(json_text, "_SPARE_LEVELS", spare)
    each = opening.count("[") + opening.count("{")
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    most = MAX_DEPTH // each
    fits = opening * most + "0" + closing * most
    assert MAX_DEPTH == depth_of(parse(fits.encode()))
    assert MAX_DEPTH == depth_of(parse_located(fits)[0])
    for read in (lambda: parse(f"[{fits}]".encode()), lambda: parse_located(f"[{fits}]")):
        with pytest.raises(MalformedError, match="nested more than 200 levels"):
            read()


@given(st.dictionaries(st.text("abc", min_size=1), st.lists(st.integers(0, 99)), min_size=1))
def test_each_place_has_its_line(value: dict[str, list[int]]) -> None:
    """The line of a place is that on which its key, or its list item, was written."""
    text = json.dumps(value, indent=1)
    written = text.split("\n")
    for place, line in parse_located(text)[1].items():
        if len(place) == 1:
            assert written[line - 1].strip().startswith(json.dumps(place[0]) + ":")
        if len(place) == 2:
            key, index = place
            assert isinstance(key, str)
            assert isinstance(index, int)
            assert str(value[key][index]) == written[line - 1].strip(" ,")


@given(st.lists(values, max_size=6), st.sampled_from([None, 1]))
def test_each_item_of_a_list_has_its_line(items: list[Any], indent: Any) -> None:
    """The quick way to the lines of the items agrees with the reader that knows every line."""
    text = "\n " + json.dumps(items, indent=indent) + "\n"
    located = parse_located(text)[1]
    assert [located[(position,)] for position in range(len(items))] == lines_of_items(text)


@pytest.mark.parametrize(
    ("text", "line", "what", "mend"),
    [
        ('{"a": 1,\n "a": 2}', 2, "the key `a` is given twice", "the first is in line 1"),
        ('{"a":\n{"b": 1, "\\u0062": 2}}', 2, "the key `b` is given twice", "line 2"),
        ("[1,\nNaN]", 2, "not 'NaN'", "null or text"),
        ("[-Infinity]", 1, "not '-Infinity'", "null or text"),
        ("[1e999]", 1, "beyond what a float can hold", "null or text"),
        ("18446744073709551616", 1, "does not fit into 64 bits", "as text"),
        ("9" * 5000, 1, "does not fit into 64 bits", "as text"),
        ('["\\ud800"]', 1, "half of a surrogate pair", "both halves"),
        ("[1,\n]", 2, "a comma stands before `]`", "none after the last"),
        ('{"a": 1,}', 1, "a comma stands before `}`", "none after the last"),
        ("{'a': 1}", 1, "a key in double quotes should come here", "double quotes"),
        ('{"a" 1}', 1, "`:` after the key should come here, not '1'", "correct the JSON"),
        ('{"a": 1 "b": 2}', 1, "`,` or `}` should come here", "correct the JSON"),
        ("[True]", 1, "not 'True'", "write `true`"),
        ("[None]", 1, "not 'None'", "write `null`"),
        ("[1 // one\n]", 1, "not '//'", "JSON has no comments"),
        ('{"a":\n', 2, "the JSON ends where a JSON value should come", "close what was opened"),
        ('["a\nb"]', 1, "Invalid control character", "\\n"),
        ('["abc', 1, "Unterminated string", "close it with a double quote"),
        ('"a\\q"', 1, "Invalid \\escape", "a backslash as \\\\"),
        ("01", 1, "not '01'", "correct the JSON"),
        ("1 2", 1, "after the JSON value comes '2'", "keep one JSON value"),
        ("", 1, "the JSON ends", "close what was opened"),
    ],
)
def test_malformed_json_is_explained(text: str, line: int, what: str, mend: str) -> None:
    """What is wrong is said with its line and with what the writer most likely has to do."""
    with pytest.raises(MalformedError) as caught:
        parse(text.encode())
    assert line == caught.value.line
    assert what in caught.value.what
    assert mend in caught.value.mend
