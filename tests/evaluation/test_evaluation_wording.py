"""Values and differences in words, and texts made alike before they are compared."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from oloproof.evaluation.comparing.differences import show, tell_difference
from oloproof.evaluation.comparing.rules import NORMALISERS, Normaliser, normalise
from oloproof.evaluation.contract import Comparison
from oloproof.paths import MISSING


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        ("a", '"a"'),
        ({"b": 1, "a": [1.0]}, '{"b":1,"a":[1.0]}'),
        (MISSING, "nothing"),
        ("x" * 80, '"' + "x" * 58 + "…"),
    ],
)
def test_a_value_is_shown_as_json_on_one_line(value: Any, shown: str) -> None:
    """Nothing is told from null, and long values are cut."""
    assert shown == show(value)


def test_the_first_difference_is_told_with_the_number_of_others() -> None:
    """The whole has a name where its path is empty."""
    places = [
        Comparison("a", 1, 1, True),
        Comparison("", 1, 2, False),
        Comparison("b", 1, 2, False),
    ]
    assert "the state is 2, not 1 (and 1 more)" == tell_difference(places, "the state")


@pytest.mark.parametrize(
    ("names", "text", "normal"),
    [
        (("strip",), "  a b\n", "a b"),
        (("lower",), "ÄB", "äb"),
        (("casefold",), "Straße", "strasse"),
        (("collapse_whitespace",), " a \n\t b ", "a b"),
        (("nfc",), "e\u0301", "\u00e9"),
        (("strip", "lower"), " A ", "a"),
        ((), " A ", " A "),
    ],
)
def test_each_normaliser_does_what_its_name_says(names: Any, text: str, normal: str) -> None:
    """Normalisers apply one after the other."""
    assert normal == normalise(text, names)


def test_the_set_of_normalisers_is_closed() -> None:
    """Every name that a suite may write has its function."""
    assert set(get_args(Normaliser)) == set(NORMALISERS)
