from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from oloproof.records.report import Interval
from oloproof.statistics.intervals import (
    ClusterSize,
    clopper_pearson,
    effective_clusters,
    gaffke,
    interval_of,
)
from oloproof.statistics.tally import ClusterCount, Tally

levels = st.floats(0.05, 0.9999)


def tally_of(*groups: str) -> Tally:
    """A tally of groups given as letters, each group a cluster of its own."""
    tally = Tally()
    for group in groups:
        tally.add(None, group)
    return tally


def interval(tally: Tally, level: float = 0.95) -> Interval:
    found = interval_of(tally, level=level, allow_approximate=True, min_clusters=0)
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
    with pytest.raises(ValueError, match="confidence level"):
        gaffke({ClusterSize(3, 1): 1}, 0)


cluster_lists = st.lists(
    st.integers(1, 6).flatmap(
        lambda size: st.builds(ClusterSize, st.just(size), st.integers(0, size))
    ),
    min_size=2,
    max_size=40,
)


def counted(clusters: list[ClusterSize]) -> dict[ClusterSize, int]:
    return dict(Counter(clusters))


@given(clusters=cluster_lists, level=levels)
def test_gaffke_agrees_with_its_definition(clusters: list[ClusterSize], level: float) -> None:
    """Below the lower bound lies half of what the level leaves, of the weighted rate.

    The chance is worked out in fractions, so the weights must differ: no two observations of
    a cluster count quite the same here.
    """
    clusters = clusters[:8]
    bounds = gaffke(counted(clusters), level)
    assume(0 < bounds.low < rate_of(clusters))
    low, sizes = Fraction(bounds.low), [size for size, _ in clusters]
    full = Fraction(sum(size**2 for size in sizes), sum(sizes))
    weights = [min(1, full / size) * (passed - low * size) for size, passed in clusters]
    weights.append(-low * full)
    apart = [w * (1 + Fraction(n, 10**9)) for n, w in enumerate(weights)]
    assert (1 - level) / 2 == pytest.approx(float(chance_below_zero(apart)), rel=1e-5)


def chance_below_zero(weights: list[Fraction]) -> Fraction:
    """P(sum of weight * E <= 0) by partial fractions, which needs unequal weights."""
    return sum(
        (
            math.prod(
                (w / (w - other) for at, other in enumerate(weights) if at != place),
                start=Fraction(1),
            )
            for place, w in enumerate(weights)
            if w < 0
        ),
        start=Fraction(0),
    )


def rate_of(clusters: list[ClusterSize]) -> float:
    return sum(passed for _, passed in clusters) / sum(size for size, _ in clusters)


@given(
    size=st.integers(1, 9),
    passed=st.integers(0, 200),
    failed=st.integers(0, 200),
    level=st.floats(0.5, 0.9999),
)
def test_gaffke_of_clusters_that_each_agree(
    size: int, passed: int, failed: int, level: float
) -> None:
    """Where the observations of a cluster agree and sizes are equal, it is Clopper-Pearson."""
    assume(passed + failed)
    clusters = Counter({ClusterSize(size, size): passed, ClusterSize(size, 0): failed})
    expected = clopper_pearson(passed, passed + failed, level)
    assert expected == pytest.approx(gaffke(+clusters, level), abs=1e-9)


@given(clusters=cluster_lists, level=levels)
def test_gaffke_contains_the_rate(clusters: list[ClusterSize], level: float) -> None:
    """The observed rate lies in its interval, and the interval among the possible rates."""
    bounds = gaffke(counted(clusters), level)
    assert 0 <= bounds.low <= rate_of(clusters) <= bounds.high <= 1


@given(clusters=cluster_lists, level=st.floats(0.5, 0.99))
def test_gaffke_is_symmetric(clusters: list[ClusterSize], level: float) -> None:
    """Passes and failures are alike."""
    mirrored = [ClusterSize(size, size - passed) for size, passed in clusters]
    low, high = gaffke(counted(mirrored), level)
    assert (1 - high, 1 - low) == pytest.approx(gaffke(counted(clusters), level), abs=1e-12)


def test_gaffke_of_large_clusters_that_fail() -> None:
    """No bound goes beyond the rate that is shown, however few clusters it comes from.

    The mean over clusters, 60 of 63, would show more than 0.86 here, at a rate of 60 in 75.
    """
    clusters = {ClusterSize(1, 1): 60, ClusterSize(5, 0): 3}
    bounds = gaffke(clusters, 0.95)
    assert clopper_pearson(60, 63, 0.95).low > 0.86
    assert bounds.low <= 0.8 < bounds.high


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([3] * 24, 24),
        ([1] * 35 + [20] * 5, 135**2 / 2035),
        ([1] * 30 + [3] * 10, 30),
        ([7], 1),
    ],
)
def test_effective_clusters(sizes: list[int], expected: float) -> None:
    """Clusters are worth (sum of sizes)^2 / sum of squares equal ones."""
    counts = Counter(ClusterCount(size, 0, 0) for size in sizes)
    assert expected == effective_clusters(counts)


def test_clusters_without_an_observation_count_for_nothing() -> None:
    """A cluster that is wholly missing adds nothing, and a large one takes away."""
    seen = {ClusterCount(1, 1, 0): 19}
    assert 19 == effective_clusters({**seen, ClusterCount(0, 0, 1): 6})
    assert 20 == effective_clusters({ClusterCount(1, 1, 0): 20, ClusterCount(0, 0, 1): 3})
    large = effective_clusters({**seen, ClusterCount(0, 0, 10): 1})
    assert 29**2 / 119 == large
    assert 0 == effective_clusters({ClusterCount(0, 0, 1): 6})


@given(
    drawn=st.lists(st.text("om", min_size=1, max_size=6), min_size=1, max_size=12), data=st.data()
)
def test_what_is_missing_never_makes_clusters_more(drawn: list[str], data: st.DataObject) -> None:
    """A verdict that becomes missing never raises the number of effective clusters."""

    def worth(groups: list[str]) -> float:
        counts = Counter(ClusterCount(g.count("o"), 0, g.count("m")) for g in groups)
        return effective_clusters(counts)

    place = data.draw(st.integers(0, len(drawn) - 1))
    missing = [*drawn]
    missing[place] = drawn[place].replace("o", "m", data.draw(st.integers(1, 6)))
    assert worth(missing) <= worth(drawn)


def test_single_cases_are_exact() -> None:
    """Where every cluster has one observation the interval is exact and needs no leave."""
    found = interval_of(tally_of(*"pppf"), level=0.95, allow_approximate=False, min_clusters=20)
    assert isinstance(found, Interval)
    assert found.method == "clopper_pearson"
    assert (found.low, found.high) == clopper_pearson(3, 4, 0.95)


def test_size_counts_observations_of_this_metric() -> None:
    """A copy that the metric excludes does not make its source's cluster larger."""
    assert interval(tally_of("pnn", "fnn")).method == "clopper_pearson"
    assert interval(tally_of("pnn", "fnn", "ppn")).method == "gaffke"


def test_missing_makes_a_cluster_larger() -> None:
    """A missing verdict belongs to its cluster as if it had been observed."""
    assert interval(tally_of("pm", "f")).method == "gaffke"


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
    """An interval over clusters needs as many as the policy says, each with an observation."""

    def found(clusters: int, needed: int, *others: str) -> Interval | str:
        tally = tally_of(*["pp"] * clusters, *others)
        return interval_of(tally, level=0.95, allow_approximate=True, min_clusters=needed)

    assert found(19, 20) == "too_few_clusters"
    assert found(19, 20, "mm") == "too_few_clusters"
    assert isinstance(found(20, 20), Interval)
    assert isinstance(found(20, 20, "mm"), Interval)


def test_agreeing_clusters_count_once() -> None:
    """Where all observations agree, the interval is exact over the clusters."""
    found = interval(tally_of(*["ppp"] * 24))
    assert clopper_pearson(24, 24, 0.95) == pytest.approx((found.low, found.high), abs=1e-12)
    none = interval(tally_of(*["fff"] * 24))
    assert clopper_pearson(0, 24, 0.95) == pytest.approx((none.low, none.high), abs=1e-12)


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


# -- a failure never helps, nor does a missing value ----------------------------------------------

FLIPS = (("p", "f"), ("p", "m"), ("f", "m"))


def assert_claims_no_more(
    after: Interval | str, before: Interval | str, flip: tuple[str, str]
) -> None:
    """A failure for a pass lowers both bounds; a missing value lowers the lower, raises the upper.

    Where there was no interval, there is none because of either.
    """
    if isinstance(after, str):
        return
    assert isinstance(before, Interval)
    assert after.low <= before.low + 1e-12
    raised = after.high - before.high
    assert raised >= -1e-12 if flip[1] == "m" else raised <= 1e-12


@pytest.mark.parametrize(
    ("clusters", "size"),
    [
        (2, 3),
        (3, 2),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((2, 5), (3, 3), (4, 2))),
    ],
)
def test_every_flip_at_small_sizes(clusters: int, size: int) -> None:
    """Over all outcomes of up to so many in a cluster, missing ones among them."""
    compositions = [
        "".join(letters)
        for n in range(1, size + 1)
        for letters in combinations_with_replacement("fmp", n)
    ]
    known = {
        groups: interval_of(tally_of(*groups), level=0.95, allow_approximate=True, min_clusters=2)
        for groups in combinations_with_replacement(sorted(compositions), clusters)
    }
    for groups, before in known.items():
        for place, flip in product(range(clusters), FLIPS):
            if flip[0] in groups[place]:
                worse = "".join(sorted(groups[place].replace(*flip, 1)))
                after = tuple(sorted([*groups[:place], worse, *groups[place + 1 :]]))
                assert_claims_no_more(known[after], before, flip)


@pytest.mark.parametrize("number", [200, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_flips_with_unequal_sizes(number: int) -> None:
    """The same along random walks, one verdict after another, among 20 to 40 unequal clusters."""
    drawn = random.Random(number)
    flips = 0
    while flips < number:
        rate = drawn.choice([0.5, 0.8, 0.95, 1])
        groups = [
            "".join("p" if drawn.random() < rate else "f" for _ in range(drawn.randint(1, 6)))
            for _ in range(drawn.randint(24, 40))
        ]
        before = interval_of(tally_of(*groups), level=0.95, allow_approximate=True, min_clusters=20)
        for _ in range(40):
            place, flip = drawn.randrange(len(groups)), drawn.choice(FLIPS)
            if flip[0] not in groups[place]:
                continue
            groups[place] = groups[place].replace(*flip, 1)
            after = interval_of(
                tally_of(*groups), level=0.95, allow_approximate=True, min_clusters=20
            )
            assert_claims_no_more(after, before, flip)
            before, flips = after, flips + 1


@pytest.mark.parametrize(
    "clusters",
    [
        {ClusterSize(1, 1): 101, ClusterSize(10, 5): 50_000},
        {ClusterSize(1000, 116): 2, ClusterSize(14, 12): 50_000, ClusterSize(7, 6): 4},
    ],
)
def test_gaffke_where_most_clusters_show_nearly_the_same_rate(
    clusters: dict[ClusterSize, int],
) -> None:
    """Thousands of clusters of one rate beside a few others have an interval like any others."""
    observed = sum(size * times for (size, _), times in clusters.items())
    rate = sum(passed * times for (_, passed), times in clusters.items()) / observed
    wide, narrow = gaffke(clusters, 0.99), gaffke(clusters, 0.95)
    assert wide.low <= narrow.low <= rate < narrow.high < wide.high
    assert wide.high - wide.low < 0.02
