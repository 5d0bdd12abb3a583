from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.gating.wording import counted, exact, shown, tell_rate, tell_reasons
from oloproof.statistics.tally import Tally

fractions = st.floats(0, 1)


@pytest.mark.parametrize(
    ("value", "apart", "expected"),
    [
        (0.8333333, (), "0.833"),
        (0.5, (), "0.5"),
        (1.0, (0, 1), "1"),
        (0.0, (0, 1), "0"),
        (0.79996, (0.8,), "0.79996"),
        (0.8, (0.8,), "0.8"),
        (0.9996, (0, 1), "0.9996"),
        (0.00004, (0, 1), "0.00004"),
        (0.85753, (0.8575,), "0.858"),
    ],
)
def test_shown(value: float, apart: tuple[float, ...], expected: str) -> None:
    """A number has three decimals, or as many as keep it on its side."""
    assert expected == shown(value, *apart)


@given(value=fractions, other=fractions)
def test_shown_keeps_the_side(value: float, other: float) -> None:
    """What is shown lies on the same side of a bar as the number itself."""
    told = float(shown(value, other))
    assert (value < other, value > other) == (told < other, told > other) or abs(
        value - other
    ) < 1e-15


def test_exact() -> None:
    """A number of the user's is told as it was written."""
    assert ["0.8", "1", "0.8575", "95", "99.99"] == [
        exact(value) for value in (0.8, 1.0, 0.8575, 100 * 0.95, 100 * 0.9999)
    ]


def test_counted() -> None:
    """One is singular, all else plural."""
    assert ["0 failures", "1 failure", "1,200 failures"] == [
        counted(number, "failure") for number in (0, 1, 1200)
    ]


def test_reasons_most_frequent_first() -> None:
    """Reasons are told by frequency, then by name, and nothing is told of none."""
    assert tell_reasons({"b": 1, "c": 3, "a": 1}) == " (c 3, a 1, b 1)"
    assert tell_reasons({}) == ""


def test_rate_with_missing() -> None:
    """A rate is told with its numbers and with what is missing."""
    tally = Tally()
    for code in ["p"] * 5 + ["f", "m:not_replayable", "n:metamorphic_copy"]:
        tally.add(None, [code])
    assert tell_rate(tally) == "5 of 6 passed (0.833), 1 missing (not_replayable 1)"
