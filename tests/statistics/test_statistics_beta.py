from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from oloproof.statistics.beta import incomplete_beta, incomplete_beta_inverse

parameters = st.floats(-2, 6).map(lambda exponent: 10.0**exponent)
probabilities = st.floats(1e-6, 1 - 1e-6)


@given(a=parameters, b=parameters, deviations=st.floats(-6, 6))
def test_function_agrees_with_scipy(a: float, b: float, deviations: float) -> None:
    """The function is within 1e-10 of scipy's, around the mean where it is hardest."""
    mean = a / (a + b)
    x = mean + deviations * math.sqrt(mean * (1 - mean) / (a + b + 1))
    expected = special.betainc(a, b, min(max(x, 0.0), 1.0))
    assert expected == pytest.approx(incomplete_beta(x, a, b), abs=1e-10)


@given(a=st.floats(0.5, 1e6), b=st.floats(0.5, 1e6), p=probabilities)
def test_inverse_agrees_with_scipy(a: float, b: float, p: float) -> None:
    """Scipy finds the asked mass below the inverse (its own inverse errs by up to 1e-8).

    Within 1e-12 of 1 the last digit of x alone moves the mass by more.
    """
    x = incomplete_beta_inverse(p, a, b)
    assert 1 - x < 1e-12 or p == pytest.approx(special.betainc(a, b, x), abs=2e-8)
    assert min(x, 1 - x) < 1e-4 or p == pytest.approx(special.betainc(a, b, x), abs=1e-10)


@given(a=parameters, p=probabilities)
def test_inverse_of_symmetric_and_powers(a: float, p: float) -> None:
    """The median of equal parameters is one half, and with b = 1 the inverse is a root."""
    assert 0.5 == pytest.approx(incomplete_beta_inverse(0.5, a, a), abs=1e-12)
    assert p ** (1 / a) == pytest.approx(incomplete_beta_inverse(p, a, 1), rel=1e-9, abs=1e-300)


@given(a=parameters, b=parameters, x=st.floats(0, 1))
def test_both_tails_make_one(a: float, b: float, x: float) -> None:
    """I_x(a, b) + I_(1-x)(b, a) = 1 (DLMF 8.17.4)."""
    total = incomplete_beta(x, a, b) + incomplete_beta(1 - x, b, a)
    # 1 - x is rounded, which alone moves the mass by about a + b times 1e-16.
    assert pytest.approx(1, abs=1e-9) == total or min(x, 1 - x) < 1e-9


@given(x=st.floats(0, 1), n=st.floats(0.01, 1e5))
def test_closed_forms(x: float, n: float) -> None:
    """I_x(a, 1) is x to the a, and I_x(1/2, 1/2) is the arcsine distribution."""
    assert x**n == pytest.approx(incomplete_beta(x, n, 1), abs=1e-11)
    arcsine = 2 / math.pi * math.atan2(math.sqrt(x), math.sqrt(1 - x))
    assert arcsine == pytest.approx(incomplete_beta(x, 0.5, 0.5), abs=1e-13)


def test_ends() -> None:
    """Nothing lies below 0 and all below 1, and the inverse says so too."""
    assert 0 == incomplete_beta(0, 2, 3) == incomplete_beta(-1, 2, 3)
    assert 1 == incomplete_beta(1, 2, 3) == incomplete_beta(2, 2, 3)
    assert 0 == incomplete_beta_inverse(0, 2, 3)
    assert 1 == incomplete_beta_inverse(1, 2, 3)


def test_quantile_below_the_smallest_double() -> None:
    """A quantile too small for a double is 0, and its mirror image 1, without an error."""
    assert 0 == incomplete_beta_inverse(0.025, 1e-4, 1)
    assert 1 == incomplete_beta_inverse(0.975, 1, 1e-4)


@pytest.mark.parametrize(
    ("a", "b"), [(0, 1), (1, 0), (-1, 1), (math.nan, 1), (1, math.inf)], ids=str
)
def test_impossible_parameters(a: float, b: float) -> None:
    """Parameters that are no positive finite numbers are refused."""
    with pytest.raises(ValueError, match="parameters above 0"):
        incomplete_beta(0.5, a, b)
    with pytest.raises(ValueError, match="parameters above 0"):
        incomplete_beta_inverse(0.5, a, b)


def test_impossible_probabilities() -> None:
    """A probability outside its range is refused."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        incomplete_beta_inverse(1.1, 1, 1)
