"""Strict JSON read place by place: the line of everything, and what is said of bad JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.suites.json_lines import lines_of_items, parse_located
from oloproof.suites.malformed import MalformedError

items = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=10,
)


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


@given(st.lists(items, max_size=6), st.sampled_from([None, 1]))
def test_each_item_of_a_list_has_its_line(values: list[Any], indent: Any) -> None:
    """The quick way to the lines of the items agrees with the reader that knows every line."""
    text = "\n " + json.dumps(values, indent=indent) + "\n"
    located = parse_located(text)[1]
    assert [located[(position,)] for position in range(len(values))] == lines_of_items(text)


@pytest.mark.parametrize(
    ("text", "line", "what", "fix"),
    [
        ('{"a": 1,\n "a": 2}', 2, "the key `a` is given twice", "the first is in line 1"),
        ('{"a":\n{"b": 1, "\\u0062": 2}}', 2, "the key `b` is given twice", "on the same line"),
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
def test_malformed_json_is_explained(text: str, line: int, what: str, fix: str) -> None:
    """What is wrong is said with its line and with what the writer most likely has to do."""
    with pytest.raises(MalformedError) as caught:
        parse_located(text)
    assert line == caught.value.line
    assert what in caught.value.what
    assert fix in caught.value.fix
