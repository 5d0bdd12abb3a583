from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from oloproof.statistics.intervals import clopper_pearson
from oloproof.statistics.power import (
    MOST_CASES,
    CasesNeeded,
    cases_for_chance,
    cases_to_reach,
    cases_to_stay_below,
    chance_to_reach,
)

bars = st.one_of(st.sampled_from([0.5, 0.8, 0.9, 0.95]), st.floats(0.01, 0.99))


@settings(deadline=None)
@given(data=st.data(), observed=st.integers(1, 60), bar=bars, level=st.sampled_from([0.8, 0.95]))
def test_smallest_by_trying_all(
    data: st.DataObject, observed: int, bar: float, level: float
) -> None:
    """The answer is the one that trying every number from 1 finds, though bounds go up and down."""
    passed = data.draw(st.integers(0, observed))
    needed = cases_to_reach(passed=passed, observed=observed, minimum=bar, level=level)
    tried = (
        cases
        for cases in range(1, 400)
        if clopper_pearson(cases * passed // observed, cases, level).low >= bar
    )
    if needed is None:
        assert passed / observed <= bar
        assert next(tried, None) is None
    elif needed.cases < 400:
        assert needed == CasesNeeded(next(tried))
    else:
        assert next(tried, None) is None


@given(data=st.data(), observed=st.integers(1, 100), bar=st.sampled_from([0.25, 0.5, 0.75]))
def test_both_directions_mirror(data: st.DataObject, observed: int, bar: float) -> None:
    """To stay below a bar takes as many cases as for the failures to reach its complement."""
    passed = data.draw(st.integers(0, observed))
    expected = cases_to_reach(
        passed=observed - passed, observed=observed, minimum=1 - bar, level=0.95
    )
    assert expected == cases_to_stay_below(
        passed=passed, observed=observed, maximum=bar, level=0.95
    )


@pytest.mark.parametrize(
    ("minimum", "expected"), [(0.8, 17), (0.85, 23), (0.9, 36), (0.95, 72), (0.99, 368)]
)
def test_all_passing(minimum: float, expected: int) -> None:
    """Where all pass, n is the smallest with 0.025^(1/n) at the bar."""
    assert CasesNeeded(expected) == cases_to_reach(
        passed=24, observed=24, minimum=minimum, level=0.95
    )
    assert 0.025 ** (1 / expected) >= minimum > 0.025 ** (1 / (expected - 1))


@pytest.mark.parametrize(
    ("passed", "observed", "minimum"), [(24, 24, 1.0), (19, 20, 0.95), (9, 10, 0.95), (0, 5, 0.1)]
)
def test_no_number_would_do(passed: int, observed: int, minimum: float) -> None:
    """A rate that is not above the bar, be it equal, never clears it."""
    assert cases_to_reach(passed=passed, observed=observed, minimum=minimum, level=0.95) is None


@pytest.mark.parametrize(
    ("passed", "observed", "maximum"), [(0, 24, 0.0), (1, 20, 0.05), (1, 10, 0.05)]
)
def test_no_number_stays_below(passed: int, observed: int, maximum: float) -> None:
    """A rate that is not below the bar, be it equal, never stays under it."""
    assert (
        cases_to_stay_below(passed=passed, observed=observed, maximum=maximum, level=0.95) is None
    )


def test_bars_without_demand() -> None:
    """Any one case fulfils a bar that every interval clears."""
    assert CasesNeeded(1) == cases_to_reach(passed=0, observed=3, minimum=0, level=0.95)
    assert CasesNeeded(1) == cases_to_stay_below(passed=3, observed=3, maximum=1, level=0.95)


def test_more_than_anybody_runs() -> None:
    """A rate a hair above the bar needs more than can be said."""
    assert CasesNeeded(MOST_CASES, beyond=True) == cases_to_reach(
        passed=90_001, observed=100_000, minimum=0.9, level=0.95
    )
    assert CasesNeeded(MOST_CASES, beyond=True) == cases_to_reach(
        passed=1, observed=1, minimum=0.999_999, level=0.95
    )


def test_many_cases_are_exact() -> None:
    """At some hundred thousand cases the answer clears the bar, and one case fewer does not."""
    needed = cases_to_reach(passed=901, observed=1000, minimum=0.9, level=0.95)
    assert needed is not None
    for cases, clears in ((needed.cases, True), (needed.cases - 1, False)):
        assert clears == (clopper_pearson(cases * 901 // 1000, cases, 0.95).low >= 0.9)


def chance(cases: int, rate: float, minimum: float) -> float:
    """By trying every number of passes: how likely the lower bound reaches the minimum."""
    return sum(
        float(stats.binom.pmf(passed, cases, rate))
        for passed in range(cases + 1)
        if clopper_pearson(passed, cases, 0.95).low >= minimum
    )


@given(data=st.data(), observed=st.integers(1, 40), cases=st.integers(1, 60), bar=bars)
def test_chance_by_trying_all(data: st.DataObject, observed: int, cases: int, bar: float) -> None:
    """The chance is that of all numbers of passes that would settle it."""
    passed = data.draw(st.integers(0, observed))
    expected = chance(cases, passed / observed, bar)
    assert expected == pytest.approx(
        chance_to_reach(cases=cases, passed=passed, observed=observed, minimum=bar, level=0.95),
        abs=1e-9,
    )


@pytest.mark.parametrize(
    ("passed", "observed", "minimum"),
    [
        (22, 24, 0.8),
        (23, 24, 0.8),
        (9, 10, 0.7),
        (3, 5, 0.4),
        (1, 2, 0.3),
        (1, 5, 0.1),
        (24, 24, 0.9),
    ],
)
def test_smallest_with_a_good_chance_by_trying_all(
    passed: int, observed: int, minimum: float
) -> None:
    """The answer is the first number at which the chance is 80 %, in spite of the ups and downs."""
    needed = cases_for_chance(
        chance=0.8, passed=passed, observed=observed, minimum=minimum, level=0.95
    )
    cases = 1
    while chance(cases, passed / observed, minimum) < 0.8:
        cases += 1
    assert CasesNeeded(cases) == needed


def test_a_good_chance_may_need_more_than_anybody_runs() -> None:
    """Where the first number is within reach, that for a good chance may not be."""
    assert not cases_to_reach(passed=9007, observed=10_000, minimum=0.9, level=0.95).beyond
    assert CasesNeeded(MOST_CASES, beyond=True) == cases_for_chance(
        chance=0.8, passed=9007, observed=10_000, minimum=0.9, level=0.95
    )
