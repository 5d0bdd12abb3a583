from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from oloproof.statistics.exponentials import log_chance_below_zero

weights = st.sets(st.fractions(Fraction(1, 1000), 1, max_denominator=1000), min_size=1, max_size=30)


def chance(weighted: list[tuple[float, int]]) -> float:
    return math.exp(log_chance_below_zero(weighted))


@given(above=weights, below=weights)
def test_agrees_with_partial_fractions(above: set[Fraction], below: set[Fraction]) -> None:
    """Of unequal weights the chance is that of partial fractions, worked out in fractions."""
    drawn = [*above, *(-weight for weight in below)]
    expected = Fraction(0)
    for place, weight in enumerate(drawn):
        if weight < 0:
            others = (weight / (weight - other) for n, other in enumerate(drawn) if n != place)
            expected += math.prod(others, start=Fraction(1))
    found = chance([(float(weight), 1) for weight in drawn])
    assert float(expected) == pytest.approx(found, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("level", [1e-5, 0.005, 0.025, 0.3, 0.5])
@pytest.mark.parametrize("number", [1, 2, 5, 24, 200, 20_000])
@pytest.mark.parametrize("failed", [0, 1, 5, 0.25, 0.5])
def test_agrees_with_the_beta_distribution(number: int, failed: float, level: float) -> None:
    """Of two weights, x - 1 and x, it is the beta distribution at x, also among many."""
    below = 1 + (int(failed) if failed in (0, 1, 5) else int(failed * number))
    x = special.betaincinv(number, below, level)
    assert level == pytest.approx(chance([(1 - x, number), (-x, below)]), rel=1e-7)


def test_weights_of_one_sign() -> None:
    """A sum of weights above 0 is never below it, and one of weights up to 0 always is."""
    assert 0 == chance([(0.5, 3)])
    assert 0 == chance([(0.5, 3), (0.0, 2)])
    assert 1 == chance([(-0.5, 3), (0.0, 2)])
    assert 1 == chance([(0.0, 2), (-1.0, 1)])


@pytest.mark.parametrize(
    "weighted",
    [
        [(0.5, 101), (-0.0009, 50_000), (-5.0, 1)],
        [(0.666, 1), (0.998, 2), (-0.00154, 1003), (-1.007, 1)],
        [(12.46, 2), (-7e-5, 50_000), (-2.4, 1)],
    ],
)
def test_many_small_weights_beside_a_large_one(weighted: list[tuple[float, int]]) -> None:
    """Many small weights against the lean of the line: it converges, and to the right value.

    The other way to it is the inversion formula of Gil-Pelaez on a fine grid.
    """
    at = np.arange(0.5, 4_000_000) * 1e-4
    log = sum(-times * np.log(1 - 1j * weight * at) for weight, times in weighted)
    expected = 0.5 - float((np.exp(log).imag / at).sum()) * 1e-4 / math.pi
    assert expected == pytest.approx(chance(weighted), rel=1e-5)


@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_weights_that_are_no_numbers_end_in_an_error(weight: float) -> None:
    """What cannot converge ends in an error and never in an endless loop."""
    with pytest.raises(AssertionError, match="there is no saddlepoint"):
        chance([(weight, 1), (1.0, 1), (-1.0, 1)])
