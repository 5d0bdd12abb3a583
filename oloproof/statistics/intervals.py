"""Confidence intervals for a pass rate: exact for single cases, Korn-Graubard for clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from oloproof.records.report import Interval
from oloproof.statistics.beta import incomplete_beta_inverse, student_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.statistics.tally import ClusterCount, Tally

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
    lower bound takes it as failed, the upper as passed. Where all clusters are of one
    observation the interval is exact; else it is approximate, and needs leave and clusters.
    """
    if tally.observed == 0:
        return "nothing_observed"
    clusters = tally.clusters()
    if all(cluster.observed + cluster.missing == 1 for cluster in clusters):
        total = tally.observed + tally.missing
        low = clopper_pearson(tally.passed, total, level).low
        high = clopper_pearson(tally.passed + tally.missing, total, level).high
        return Interval(low=low, high=high, level=level, method="clopper_pearson")
    if not allow_approximate:
        return "approximate_methods_not_allowed"
    if sum(clusters.values()) < max(min_clusters, 2):
        return "too_few_clusters"
    return _clustered(clusters, level)


def _clustered(clusters: Mapping[ClusterCount, int], level: float) -> Interval:
    """The interval over both completions of what is missing, all failed and all passed.

    Each bound is the wider one of the two: where the completion lets all observations agree,
    Korn-Graubard gives way to the clusters alone, which can be the wider of both.
    """
    worst: dict[ClusterSize, int] = {}
    best: dict[ClusterSize, int] = {}
    for (observed, passed, missing), times in clusters.items():
        size = observed + missing
        for sizes, passing in ((worst, passed), (best, passed + missing)):
            key = ClusterSize(size, passing)
            sizes[key] = sizes.get(key, 0) + times
    ends = [korn_graubard(worst, level), korn_graubard(best, level)]
    unanimous = _agree(worst) and _agree(best)
    return Interval(
        low=min(bounds.low for bounds in ends),
        high=max(bounds.high for bounds in ends),
        level=level,
        method="clopper_pearson_clusters" if unanimous else "korn_graubard",
    )


def clopper_pearson(passed: float, observed: float, level: float) -> Bounds:
    """The exact two-sided interval for `passed` of `observed` (Clopper & Pearson 1934).

    In the beta form, which extends to the sizes that are no whole numbers of an effective
    sample. Each bound errs with at most (1 - level) / 2.
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


def korn_graubard(clusters: Mapping[ClusterSize, int], level: float) -> Bounds:
    """The interval for clustered observations of Korn & Graubard (1998); `clusters` are counted.

    Clopper-Pearson at the effective sample size. Where all observations agree there is no
    variance to learn from, and each cluster counts once, as if its observations were copies;
    no other clusters get a bound beyond that, so that a failure never helps. Needs two
    clusters. Source: Korn, E. L. & Graubard, B. I. (1998), "Confidence intervals for
    proportions with small expected number of positive counts estimated from survey data",
    Survey Methodology 24, 193-201.
    """
    count = sum(clusters.values())
    observed = sum(cluster.observed * times for cluster, times in clusters.items())
    passed = sum(cluster.passed * times for cluster, times in clusters.items())
    if count < 2:
        raise ValueError("a clustered interval needs at least two clusters")
    if _agree(clusters):
        return clopper_pearson(count if passed else 0, count, level)
    rate = passed / observed
    size = effective_size(
        rate,
        _variance(clusters, count=count, observed=observed, passed=passed),
        observed=observed,
        degrees=count - 1,
        level=level,
    )
    bounds = clopper_pearson(size * rate, size, level)
    # What unanimous clusters could show is the limit for others too: see docs/decisions/0003.
    best = clopper_pearson(count, count, level).low
    worst = clopper_pearson(0, count, level).high
    return Bounds(min(bounds.low, rate, best), max(bounds.high, rate, worst))


def effective_size(
    rate: float, variance: float, *, observed: int, degrees: int, level: float
) -> float:
    """How many independent observations the clustered ones are worth; never more than them.

    rate (1 - rate) / variance, times the squared ratio of Student's quantiles with
    `observed` - 1 and `degrees` (clusters - 1) degrees of freedom, for the variance is only
    estimated (Korn & Graubard 1998); capped as by the National Center for Health Statistics
    (Parker et al. 2017, Vital and Health Statistics 2(175)).
    """
    if variance <= 0:
        return float(observed)
    tail = (1 - level) / 2
    ratio = student_quantile(tail, observed - 1) / student_quantile(tail, degrees)
    return min(float(observed), rate * (1 - rate) / variance * ratio * ratio)


def _variance(
    clusters: Mapping[ClusterSize, int], *, count: int, observed: int, passed: int
) -> float:
    """The variance of the rate as a ratio of cluster totals, linearised.

    count / (count - 1) * sum (passed_i - rate * observed_i)^2 / observed^2, in whole numbers
    until the last division, so that the order of clusters changes nothing.
    Source: Cochran, W. G. (1977), Sampling Techniques, 3rd edition, equation 2.39 and section 9A.
    """
    squares = sum(
        times * (cluster.passed * observed - passed * cluster.observed) ** 2
        for cluster, times in clusters.items()
    )
    return count * squares / ((count - 1) * observed**4)


def _agree(clusters: Mapping[ClusterSize, int]) -> bool:
    return all(not cluster.passed for cluster in clusters) or all(
        cluster.passed == cluster.observed for cluster in clusters
    )
