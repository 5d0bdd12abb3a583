"""Strict YAML: what is read as which JSON value, and what is refused with which advice."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canonical import MAX_DEPTH
from oloproof.suites.json_text import depth_of
from oloproof.suites.malformed import MalformedError
from oloproof.suites.yaml_text import is_doubtful, parse_located

words = st.sampled_from(
    ["yes", "no", "on", "off", "null", "~", "2024-01-05", "010", "12:30", "1_0", "<<", "="]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])).filter(
        # The writer leaves these without quotes, which is exactly what is refused here.
        lambda text: not re.fullmatch(r"[-+]?[.0-9][-+._:0-9a-fA-FxX]*", text)
    )
    | words
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab:#-") | words, inner, max_size=4)
    ),
    max_leaves=15,
)


@given(values)
def test_every_json_value_written_as_yaml_is_read_back(value: Any) -> None:
    """What a YAML writer makes of a JSON value is read as that value, traps quoted and all."""
    assert value == parse_located(yaml.safe_dump(value)).value
    unescaped = yaml.safe_dump(value, allow_unicode=True)
    # The writer itself leaves a bare NEL, which every reader folds into a space.
    if "\x85" not in unescaped:
        assert value == parse_located(unescaped).value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("# nothing", None),
        ("~", None),
        ("a:", {"a": None}),
        ("a: true", {"a": True}),
        ("a: 1e-6", {"a": 1e-6}),
        ("a: 1.0.0", {"a": "1.0.0"}),
        ("a: 2024-01", {"a": "2024-01"}),
        ("a: +", {"a": "+"}),
        ("a: .", {"a": "."}),
        ("a: !!str 5", {"a": "5"}),
        ('a: "no"', {"a": "no"}),
        ("on: 1\nyes: 2\n1: 3\n2024-01-05: 4", {"on": 1, "yes": 2, "1": 3, "2024-01-05": 4}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ('{"a": ["b", 1.5]}', {"a": ["b", 1.5]}),
        ("--- \na: 1\n...\n", {"a": 1}),
    ],
)
def test_plain_words_are_read_as_people_mean_them(text: str, expected: Any) -> None:
    """Numbers have their JSON forms, keys are text, and everything else plain is text."""
    assert expected == parse_located(text).value


def test_lines_are_those_of_the_keys_and_items() -> None:
    """Each place has the line on which its key or its list item begins."""
    text = "# top\na:\n  - x\n  -\n    b: 1\nc: {d: 2,\n  e: 3}\n"
    assert {
        (): 2,
        ("a",): 2,
        ("a", 0): 3,
        ("a", 1): 5,
        ("a", 1, "b"): 5,
        ("c",): 6,
        ("c", "d"): 6,
        ("c", "e"): 7,
    } == parse_located(text).lines


def test_words_that_json_writes_differently_are_remembered() -> None:
    """`no` is a boolean and `1.10` a number, but an error about them can show what was written."""
    located = parse_located("a: no\nb: [On, true, 1.10, 1.5, 12e5, +1]\n")
    assert {"a": False, "b": [True, True, 1.1, 1.5, 12e5, 1]} == located.value
    assert {
        ("a",): "no",
        ("b", 0): "On",
        ("b", 2): "1.10",
        ("b", 4): "12e5",
        ("b", 5): "+1",
    } == located.written


def test_words_are_doubtful_if_they_may_well_mean_text() -> None:
    """`no` may be a country and `12e5` a commit; `1.10` is a number to everybody."""
    assert ["no", "Off", "12e5"] == [
        word for word in ("no", "Off", "12e5", "true", "1.10", "1.0e+5") if is_doubtful(word)
    ]


def test_aliases_repeat_a_value() -> None:
    """An alias stands for the anchored value, which is shared and not copied."""
    located = parse_located("a: &shop {b: [1]}\nc: *shop\n")
    assert {"a": {"b": [1]}, "c": {"b": [1]}} == located.value
    assert located.value["a"] is located.value["c"]
    assert 2 == located.lines[("c",)]


def test_aliases_that_multiply_are_refused_at_once() -> None:
    """A few lines of aliases of aliases cannot stand for billions of values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 40):
        repeated = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{repeated}]")
    with pytest.raises(MalformedError, match="more than 1,000,000 values") as caught:
        parse_located("\n".join(lines))
    assert 6 == caught.value.line


def test_the_nesting_has_a_bound() -> None:
    """`MAX_DEPTH` levels are read, one more is refused, be it in brackets, dashes or aliases."""
    for opening, closing in (("[", "]"), ("{a: ", "}"), ("- ", "")):
        fits = opening * MAX_DEPTH + "0" + closing * MAX_DEPTH
        assert MAX_DEPTH == depth_of(parse_located(fits).value)
        for text in (opening + fits + closing, opening * 50_000 + "0"):
            with pytest.raises(MalformedError, match=r"200 levels|nesting depth"):
                parse_located(text)
    half = "[" * 150 + "]" * 150
    with pytest.raises(MalformedError, match="nested more than 200 levels"):
        parse_located(f"a: &a {half}\nb: " + "[" * 60 + "*a" + "]" * 60)


@pytest.mark.parametrize(
    ("text", "line", "what", "fix"),
    [
        ("x: 1\na: 2024-01-05", 2, "`2024-01-05` as a date", 'quote it: "2024-01-05"'),
        ("a: 2024-01-05 10:00:00", 1, "as a date", "quote it"),
        ("a: 12:30", 1, "as a number in base 60", 'quote it: "12:30"'),
        ("a: 007", 1, "as a number with a leading zero", 'quote it: "007"'),
        ("a: 0x1F", 1, "as a number in base 16", "quote it"),
        ("a: 1_000", 1, "as a number with underscores", "quote it"),
        ("a: .nan", 1, "as a number that is not finite", "quote it"),
        ("a: -.inf", 1, "as a number that is not finite", "quote it"),
        ("a: 1e999", 1, "beyond what a float can hold", "null or text"),
        ("a: 18446744073709551616", 1, "does not fit into 64 bits", "quote it"),
        ("a: -9223372036854775809", 1, "does not fit into 64 bits", "quote it"),
        ("a: 1\nb: 2\na: 3", 3, "the key `a` is given twice", "the first is in line 1"),
        ("a: !!python/object:os.system x", 1, "python/object:os.system` is not read", "plain"),
        ("a: !x [1]", 1, "the tag `!x` is not read", "plain"),
        ("a: &x [*x]", 1, "inside the value that it repeats", "write the value out"),
        ("a: *x", 1, "the alias `*x` has no anchor", "write the value out"),
        ("b: &x {a: 1}\n<<: *x", 2, "merge keys", "write the fields out"),
        ("? [a]\n: 1", 1, "a key is not text", "plain text"),
        ("a: 1\n---\nb: 2", 2, "more than one document", "keep one"),
        ("a:\n\t- b", 2, "cannot be read", "not with tabs"),
        ("a: b: c", 1, "mapping values are not allowed", "in quotes"),
        ("a: @x", 1, "cannot start any token", "in quotes"),
        ("a: 'x", 1, "unexpected end of stream", "close the bracket or the quote"),
        ("a: [1\nb: 2", 2, "did not find expected", "close the bracket"),
        ("- x\ny: 1", 2, "did not find expected '-' indicator", "check the indentation"),
        ("a: 1\nb: \x07", 2, "control character U+0007", "remove it"),
    ],
)
def test_bad_yaml_is_explained(text: str, line: int, what: str, fix: str) -> None:
    """What is wrong is said with its line and with what the writer most likely has to do."""
    with pytest.raises(MalformedError) as caught:
        parse_located(text)
    assert line == caught.value.line
    assert what in caught.value.what
    assert fix in caught.value.fix
