"""Confidence intervals for a pass rate: Clopper-Pearson for single cases, Gaffke for clusters."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oloproof.records.report import Interval
from oloproof.statistics.beta import incomplete_beta_inverse
from oloproof.statistics.exponentials import log_chance_below_zero

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oloproof.statistics.tally import ClusterCount, Tally

_TOLERANCE: Final = 1e-12
_MOST_STEPS: Final = 200

NoInterval = Literal["nothing_observed", "approximate_methods_not_allowed", "too_few_clusters"]


class Bounds(NamedTuple):
    """Both ends of an interval, fractions from 0 to 1."""

    low: float
    high: float


class ClusterSize(NamedTuple):
    """A cluster as an interval sees it: its observations and how many of them passed."""

    observed: int
    passed: int


def interval_of(
    tally: Tally, *, level: float, allow_approximate: bool, min_clusters: int
) -> Interval | NoInterval:
    """The two-sided interval at `level` for a tally's pass rate, or why there is none.

    A missing verdict counts in its cluster and is bounded by its worst and best value: the
    lower bound takes it as failed, the upper as passed. Where a cluster has several
    observations, the interval is over clusters: it has to be allowed, and needs enough
    of them.
    """
    if tally.observed == 0:
        return "nothing_observed"
    clusters = tally.clusters()
    if all_single(clusters):
        total = tally.observed + tally.missing
        low = clopper_pearson(tally.passed, total, level).low
        high = clopper_pearson(tally.passed + tally.missing, total, level).high
        return Interval(low=low, high=high, level=level, method="clopper_pearson")
    if not allow_approximate:
        return "approximate_methods_not_allowed"
    if effective_clusters(clusters) < min_clusters:
        return "too_few_clusters"
    worst = _completed(clusters, passing=False)
    best = _completed(clusters, passing=True)
    return Interval(
        low=gaffke(worst, level).low, high=gaffke(best, level).high, level=level, method="gaffke"
    )


def all_single(clusters: Iterable[ClusterCount]) -> bool:
    """Whether each cluster has one observation, or one that is missing."""
    return all(cluster.observed + cluster.missing == 1 for cluster in clusters)


def effective_clusters(clusters: Mapping[ClusterCount, int]) -> float:
    """How many clusters of equal size these are worth: (sum of sizes)^2 / sum of squares.

    Source: Kish, L. (1965), Survey Sampling, section 8.2. Missing verdicts count in the size of
    their cluster. A cluster without an observation counts for nothing: it is left out or in,
    whichever makes the fewer, so that what is missing never makes them more.
    """
    sizes, unseen = Counter[int](), Counter[int]()
    for (observed, _, missing), times in clusters.items():
        (sizes if observed else unseen)[observed + missing] += times
    total = sum(size * times for size, times in sizes.items())
    squares = sum(size**2 * times for size, times in sizes.items())
    least = total**2 / squares if squares else 0.0
    # The larger one is, the more it lowers the quotient: the largest are tried first.
    for size in sorted(unseen.elements(), reverse=True):
        total, squares = total + size, squares + size**2
        least = min(least, total**2 / squares)
    return least


def _completed(clusters: Mapping[ClusterCount, int], *, passing: bool) -> dict[ClusterSize, int]:
    """The clusters with what is missing all passed, or all failed."""
    completed = Counter[ClusterSize]()
    for (observed, passed, missing), times in clusters.items():
        completed[ClusterSize(observed + missing, passed + missing * passing)] += times
    return completed


def clopper_pearson(passed: float, observed: float, level: float) -> Bounds:
    """The exact two-sided interval for `passed` of `observed` (Clopper & Pearson 1934).

    Each bound errs with at most (1 - level) / 2. In the beta form, which takes any real numbers.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is strictly between 0 and 1, not {level!r}")
    if not 0 <= passed <= observed or observed <= 0:
        raise ValueError(f"{passed!r} passed of {observed!r} is no sample")
    half = (1 - level) / 2
    failed = observed - passed
    # The upper bound by its complement: 1 - half would round.
    low = incomplete_beta_inverse(half, passed, failed + 1) if passed > 0 else 0.0
    high = 1 - incomplete_beta_inverse(half, failed, passed + 1) if failed > 0 else 1.0
    return Bounds(low, high)


def gaffke(clusters: Mapping[ClusterSize, int], level: float) -> Bounds:
    """The interval over clusters; `clusters` are counted.

    Each bound is meant to err with at most (1 - level) / 2 however alike the observations of a
    cluster are, where clusters are independent and a pass is as likely in a large one as in a
    small one. That is a conjecture; tests/statistics/statistics_coverage.py found no
    distribution against it. The interval holds the observed rate. Where clusters are of one
    size and each agrees it is Clopper-Pearson over clusters.

    The lower bound is the (1 - level) / 2 quantile of the rate when each cluster counts by its
    size times an exponential variable, and one more, of full size, has failed. The full size is
    sum of squares / sum of sizes, and a larger cluster counts as one of it: no cluster may weigh
    more than the one that failed, and a few large ones must not make that one large.

    Sources: Gaffke, N. (2005), "Three test statistics for a nonparametric one-sided hypothesis
    on the mean of a nonnegative variable", Mathematical Methods of Statistics 14, 451-467;
    Learned-Miller, E. & Thomas, P. S. (2020), "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208, for the conjecture.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is strictly between 0 and 1, not {level!r}")
    # Sorted, so that the order of clusters changes not even the last digit.
    passing = sorted(clusters.items())
    failing = sorted(((size, size - passed), times) for (size, passed), times in passing)
    return Bounds(_lower(passing, level), 1 - _lower(failing, level))


def _lower(clusters: Sequence[tuple[tuple[int, int], int]], level: float) -> float:
    """The lower bound over pairs of a cluster and of how many there are of it."""
    observed = sum(size * times for (size, _), times in clusters)
    passed = sum(passed * times for (_, passed), times in clusters)
    if not passed:
        return 0.0
    full = sum(size * size * times for (size, _), times in clusters) / observed
    weighted = [
        _Weighted(min(size, full), min(size, full) * passed / size, times)
        for (size, passed), times in clusters
    ]
    return min(_quantile(weighted, full, level), passed / observed)


class _Weighted(NamedTuple):
    """So many clusters of some weight, and how much of it has passed."""

    weight: float
    passed: float
    times: int


def _quantile(clusters: Sequence[_Weighted], full: float, level: float) -> float:
    """The rate that the weighted one is at most with probability (1 - level) / 2.

    By secants on the log of that probability, which rises with the rate, held between what is
    known to be too low and too high.
    """
    weight = sum(cluster.weight * cluster.times for cluster in clusters)
    passed = sum(cluster.passed * cluster.times for cluster in clusters)
    target = math.log((1 - level) / 2)
    low, high = 0.0, min(passed / weight, 1.0)
    before, error_before = high, _log_chance(clusters, full, high) - target
    if error_before <= 0:
        return high  # only where hardly any confidence is asked for
    tolerance = _TOLERANCE * high
    at = clopper_pearson(min(passed, weight) / full, weight / full, level).low
    for _ in range(_MOST_STEPS):
        error = _log_chance(clusters, full, at) - target
        low, high = (low, at) if error > 0 else (at, high)
        step = error * (at - before) / (error - error_before) if error != error_before else 0.0
        if abs(step) <= tolerance or high - low <= tolerance:
            return at
        before, error_before = at, error
        at = at - step if low < at - step < high else (low + high) / 2
    raise AssertionError(f"there is no lower bound for {clusters} at {level}")


def _log_chance(clusters: Sequence[_Weighted], full: float, rate: float) -> float:
    """The log of how likely the weighted rate is at most `rate`."""
    weighted = [(passed - rate * weight, times) for weight, passed, times in clusters]
    return log_chance_below_zero([*weighted, (-rate * full, 1)])
