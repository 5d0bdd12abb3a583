from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from oloproof.records.report import Interval
from oloproof.statistics.intervals import (
    Bounds,
    ClusterSize,
    clopper_pearson,
    effective_size,
    interval_of,
    korn_graubard,
)
from oloproof.statistics.tally import Tally

levels = st.floats(0.05, 0.9999)


def tally_of(*groups: str) -> Tally:
    """A tally of groups given as letters, each group a cluster of its own."""
    tally = Tally()
    for group in groups:
        tally.add(None, group)
    return tally


def interval(tally: Tally, level: float = 0.95) -> Interval:
    found = interval_of(tally, level=level, allow_approximate=True, min_clusters=2)
    assert isinstance(found, Interval), found
    return found


@pytest.mark.parametrize(
    ("passed", "observed", "low", "high"),
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_clopper_pearson_published(passed: int, observed: int, low: float, high: float) -> None:
    """The four worked examples of Newcombe (1998), Statistics in Medicine 17, table I, method 5."""
    bounds = clopper_pearson(passed, observed, 0.95)
    assert (low, high) == (round(bounds.low, 4), round(bounds.high, 4))


def test_clopper_pearson_of_the_design() -> None:
    """24 of 24 gives 0.8575 and 23 of 24 gives 0.789."""
    assert round(clopper_pearson(24, 24, 0.95).low, 4) == 0.8575
    assert round(clopper_pearson(23, 24, 0.95).low, 3) == 0.789


@given(data=st.data(), observed=st.integers(1, 5000), level=levels)
def test_clopper_pearson_agrees_with_scipy(
    data: st.DataObject, observed: int, level: float
) -> None:
    """Beyond each bound lies half of what the level leaves, by scipy's beta distribution."""
    passed = data.draw(st.integers(0, observed))
    bounds = clopper_pearson(passed, observed, level)
    half = (1 - level) / 2
    assert not passed or half == pytest.approx(
        special.betainc(passed, observed - passed + 1, bounds.low), abs=1e-10
    )
    assert passed == observed or 1 - half == pytest.approx(
        special.betainc(passed + 1, observed - passed, bounds.high), abs=1e-10
    )
    assert (passed > 0, passed < observed) == (bounds.low > 0, bounds.high < 1)


@pytest.mark.parametrize("observed", [1, 5, 24, 60])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_clopper_pearson_covers(observed: int, level: float) -> None:
    """Each bound errs with at most half of what the level leaves, whatever the true rate."""
    bounds = [clopper_pearson(passed, observed, level) for passed in range(observed + 1)]
    for rate in (step / 200 for step in range(1, 200)):
        chances = [
            math.comb(observed, passed) * rate**passed * (1 - rate) ** (observed - passed)
            for passed in range(observed + 1)
        ]
        too_high = sum(
            chance for chance, end in zip(chances, bounds, strict=True) if end.low > rate
        )
        too_low = sum(
            chance for chance, end in zip(chances, bounds, strict=True) if end.high < rate
        )
        assert max(too_high, too_low) <= (1 - level) / 2 + 1e-12


@given(data=st.data(), observed=st.integers(1, 500), level=levels)
def test_clopper_pearson_is_monotone_and_symmetric(
    data: st.DataObject, observed: int, level: float
) -> None:
    """One more pass raises both bounds, and passes and failures are alike."""
    passed = data.draw(st.integers(0, observed - 1))
    fewer, more = (
        clopper_pearson(passed, observed, level),
        clopper_pearson(passed + 1, observed, level),
    )
    assert fewer.low < more.low
    assert fewer.high < more.high
    mirrored = clopper_pearson(observed - passed, observed, level)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(fewer, abs=1e-12)


def test_impossible_samples() -> None:
    """What is no sample, or no level, is refused."""
    for passed, observed in ((1, 0), (2, 1), (-1, 1), (0, 0)):
        with pytest.raises(ValueError, match="no sample"):
            clopper_pearson(passed, observed, 0.95)
    with pytest.raises(ValueError, match="confidence level"):
        clopper_pearson(1, 2, 1)
    with pytest.raises(ValueError, match="at least two clusters"):
        korn_graubard({ClusterSize(3, 1): 1}, 0.95)


# Estimates of one clustered survey and its subsets, with the intervals that R's package
# survey 4.4-2 gives by svyciprop(method = "beta"), and the effective sizes of Stata's kg_nchs.
SURVEY = [
    # rate, standard error, observations, degrees of freedom, low, high, effective size
    (0.507348258357226, 0.0192309892530454, 922, 921, 0.468954757876348, 0.545677337133621, 675.84),
    (0.507348258357226, 0.0164967611954173, 922, 59, 0.47383814353398, 0.540809220838568, None),
    (0.507348258357226, 0.0167712595840644, 922, 56, 0.473233376535445, 0.541412207644769, 852.88),
    (0.471999767708621, 0.0348828290040279, 276, 56, 0.400786658613709, 0.544064683764286, 197.79),
    (0.501335861736522, 0.0438888962101757, 167, 52, 0.410824184861583, 0.5917831333426, None),
]


@pytest.mark.parametrize(
    ("rate", "error", "observed", "degrees", "low", "high", "expected_size"), SURVEY
)
def test_korn_graubard_published(
    rate: float,
    error: float,
    observed: int,
    degrees: int,
    low: float,
    high: float,
    expected_size: float | None,
) -> None:
    """The effective size and the interval are those of the survey packages of R and Stata."""
    size = effective_size(rate, error**2, observed=observed, degrees=degrees, level=0.95)
    assert expected_size is None or expected_size == round(size, 2)
    assert (low, high) == pytest.approx(clopper_pearson(size * rate, size, 0.95), abs=1e-9)


def test_effective_size_is_capped() -> None:
    """Clusters that vary less than chance does are not worth more than their observations."""
    assert effective_size(0.5, 0.03**2, observed=100, degrees=50, level=0.95) == 100
    assert effective_size(0.5, 0, observed=100, degrees=50, level=0.95) == 100


cluster_lists = st.lists(
    st.integers(1, 6).flatmap(
        lambda size: st.builds(ClusterSize, st.just(size), st.integers(0, size))
    ),
    min_size=2,
    max_size=40,
)


def counted(clusters: list[ClusterSize]) -> dict[ClusterSize, int]:
    return {cluster: clusters.count(cluster) for cluster in clusters}


@given(clusters=cluster_lists, level=levels)
def test_korn_graubard_agrees_with_its_definition(
    clusters: list[ClusterSize], level: float
) -> None:
    """Written out cluster by cluster in fractions, the definition gives the same bounds."""
    observed = sum(cluster.observed for cluster in clusters)
    rate = Fraction(sum(cluster.passed for cluster in clusters), observed)
    half = (1 - level) / 2
    if rate in (0, 1):
        expected = clopper_pearson(int(rate) * len(clusters), len(clusters), level)
    else:
        squares = sum((cluster.passed - rate * cluster.observed) ** 2 for cluster in clusters)
        variance = Fraction(len(clusters), len(clusters) - 1) * squares / observed**2
        size = float(observed)
        if variance:
            ratio = special.stdtrit(observed - 1, half) / special.stdtrit(len(clusters) - 1, half)
            size = min(size, float(rate * (1 - rate) / variance) * ratio**2)
        passed = size * float(rate)
        expected = Bounds(
            special.betaincinv(passed, size - passed + 1, half),
            special.betaincinv(passed + 1, size - passed, 1 - half),
        )
        limit = clopper_pearson(len(clusters), len(clusters), level).low
        expected = Bounds(float(min(expected.low, limit)), float(max(expected.high, 1 - limit)))
    assert expected == pytest.approx(korn_graubard(counted(clusters), level), abs=1e-8)


@given(clusters=cluster_lists, level=levels)
def test_korn_graubard_contains_the_rate(clusters: list[ClusterSize], level: float) -> None:
    """The observed rate lies in its interval, and the interval among the possible rates."""
    bounds = korn_graubard(counted(clusters), level)
    rate = sum(cluster.passed for cluster in clusters) / sum(
        cluster.observed for cluster in clusters
    )
    assert 0 <= bounds.low <= rate <= bounds.high <= 1


def test_korn_graubard_of_single_cases_is_nearly_exact() -> None:
    """With clusters of one the effective size is the size, but for the estimated variance."""
    bounds = korn_graubard({ClusterSize(1, 1): 90, ClusterSize(1, 0): 10}, 0.95)
    assert clopper_pearson(90, 100, 0.95) == pytest.approx(bounds, abs=2e-3)


def _chances(rate: float, alike: float) -> list[float]:
    """Of 0 to 3 passes in a cluster of 3: beta-binomial, `alike` its intra-class correlation."""
    if alike == 0:
        return [math.comb(3, k) * rate**k * (1 - rate) ** (3 - k) for k in range(4)]
    if alike == 1:
        return [1 - rate, 0, 0, rate]
    a, b = rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike
    return [
        math.comb(3, k) * math.exp(special.betaln(a + k, b + 3 - k) - special.betaln(a, b))
        for k in range(4)
    ]


def test_korn_graubard_coverage() -> None:
    """At 24 clusters of 3 each bound errs in at most 2.9 %, exactly summed over all outcomes.

    Nominal is 2.5 %. The worst lies near 0.9 where clusters are half alike; where they are
    copies, as replicates of a fixed agent are, or independent, the bound keeps its level.
    """
    count = 24
    outcomes = [
        (*some, count - sum(some))
        for some in product(range(count + 1), repeat=3)
        if sum(some) <= count
    ]
    lows = [
        korn_graubard({ClusterSize(3, k): n for k, n in enumerate(outcome) if n}, 0.95).low
        for outcome in outcomes
    ]
    factorials = [math.lgamma(n + 1) for n in range(count + 1)]
    for alike, rate in product((0, 0.2, 0.5, 0.7, 1), (0.7, 0.8, 0.85, 0.9, 0.92, 0.95)):
        logs = [math.log(chance) if chance else -math.inf for chance in _chances(rate, alike)]
        too_high = math.fsum(
            math.exp(
                factorials[count]
                + sum(n * log - factorials[n] for n, log in zip(outcome, logs, strict=True) if n)
            )
            for outcome, low in zip(outcomes, lows, strict=True)
            if low > rate
        )
        assert too_high <= (0.025 if alike in (0, 1) else 0.029), (alike, rate)


def test_single_cases_are_exact() -> None:
    """Where every cluster has one observation the interval is exact and needs no leave."""
    found = interval_of(tally_of(*"pppf"), level=0.95, allow_approximate=False, min_clusters=20)
    assert isinstance(found, Interval)
    assert found.method == "clopper_pearson"
    assert (found.low, found.high) == clopper_pearson(3, 4, 0.95)


def test_size_counts_observations_of_this_metric() -> None:
    """A copy that the metric excludes does not make its source's cluster larger."""
    assert interval(tally_of("pnn", "fnn")).method == "clopper_pearson"
    assert interval(tally_of("pnn", "fnn", "ppn")).method == "korn_graubard"


def test_missing_makes_a_cluster_larger() -> None:
    """A missing verdict belongs to its cluster as if it had been observed."""
    assert interval(tally_of("pm", "f")).method == "korn_graubard"


def test_missing_is_bounded_by_worst_and_best() -> None:
    """The lower bound takes what is missing as failed, the upper as passed."""
    found = interval(tally_of(*"ppppppppmm"))
    assert found.low == clopper_pearson(8, 10, 0.95).low
    assert found.high == 1


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (tally_of(), "nothing_observed"),
        (tally_of("n", "m", "m"), "nothing_observed"),
        (tally_of("pp", "p"), "approximate_methods_not_allowed"),
    ],
)
def test_reasons_for_no_interval(tally: Tally, expected: str) -> None:
    """Without an interval there is a reason, in a stable word."""
    found = interval_of(tally, level=0.95, allow_approximate=False, min_clusters=20)
    assert expected == found


def test_too_few_clusters() -> None:
    """A clustered interval needs as many clusters as the policy says, and never fewer than two."""

    def found(clusters: int, needed: int) -> Interval | str:
        tally = tally_of(*["pp"] * clusters)
        return interval_of(tally, level=0.95, allow_approximate=True, min_clusters=needed)

    assert found(19, 20) == "too_few_clusters"
    assert isinstance(found(20, 20), Interval)
    assert found(1, 1) == "too_few_clusters"


def test_agreeing_clusters_count_once() -> None:
    """Where all observations agree, the interval is exact over the clusters."""
    found = interval(tally_of(*["ppp"] * 24))
    assert found.method == "clopper_pearson_clusters"
    assert (found.low, found.high) == clopper_pearson(24, 24, 0.95)
    none = interval(tally_of(*["fff"] * 24))
    assert (none.low, none.high) == clopper_pearson(0, 24, 0.95)


def test_missing_never_narrows_agreement() -> None:
    """One missing among agreeing observations gives no better bound than if it had agreed."""
    agreeing = interval(tally_of(*["ppp"] * 24))
    one_missing = interval(tally_of(*["ppp"] * 23, "ppm"))
    assert one_missing.low <= agreeing.low
    assert one_missing.high == 1


groups = st.lists(st.text("pfm", min_size=1, max_size=4), min_size=2, max_size=30).filter(
    lambda drawn: any(letter in group for group in drawn for letter in "pf")
)


@given(drawn=groups, level=levels)
def test_interval_contains_the_rate(drawn: list[str], level: float) -> None:
    """The observed rate lies in the interval, whatever is missing."""
    tally = tally_of(*drawn)
    found = interval(tally, level)
    assert tally.rate is not None
    assert 0 <= found.low <= tally.rate <= found.high <= 1


@given(drawn=groups, level=levels)
def test_missing_widens(drawn: list[str], level: float) -> None:
    """The interval holds those of what is missing having all passed or all failed."""
    found = interval(tally_of(*drawn), level)
    for letter in "pf":
        completed = interval(tally_of(*(group.replace("m", letter) for group in drawn)), level)
        assert found.low <= completed.low
        assert completed.high <= found.high


@given(drawn=groups, level=st.floats(0.5, 0.99))
def test_higher_level_is_wider(drawn: list[str], level: float) -> None:
    """More confidence makes no bound tighter."""
    less, more = interval(tally_of(*drawn), level), interval(tally_of(*drawn), level + 0.009)
    assert more.low <= less.low + 1e-12
    assert less.high <= more.high + 1e-12


@given(drawn=groups.flatmap(lambda drawn: st.tuples(st.just(drawn), st.permutations(drawn))))
def test_order_is_irrelevant(drawn: tuple[list[str], list[str]]) -> None:
    """The order of clusters changes not even the last digit."""
    assert interval(tally_of(*drawn[0])) == interval(tally_of(*drawn[1]))


@given(
    count=st.integers(2, 40),
    size=st.integers(1, 5),
    failed=st.integers(1, 3),
    level=st.sampled_from([0.8, 0.95]),
)
def test_a_failure_among_unanimous_clusters_never_raises_the_bound(count, size, failed, level):
    """What all clusters agreeing show is the limit of what clusters can show."""
    failed = min(failed, size)
    unanimous = korn_graubard({ClusterSize(size, size): count}, level)
    with_failure = korn_graubard(
        {ClusterSize(size, size): count - 1, ClusterSize(size, size - failed): 1}, level
    )
    assert with_failure.low <= unanimous.low
