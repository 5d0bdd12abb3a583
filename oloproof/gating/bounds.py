"""A required pass rate held against the confidence interval of the observed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.gating.findings import Finding, insufficient
from oloproof.gating.wording import counted, exact, shown, tell_rate
from oloproof.records.report import Interval
from oloproof.statistics.intervals import NoInterval, interval_of
from oloproof.statistics.power import CasesNeeded, cases_to_reach, cases_to_stay_below

if TYPE_CHECKING:
    from oloproof.statistics.tally import Tally
    from oloproof.suites.policy import Policy


class Bar(NamedTuple):
    """A required pass rate: at least `rate`, or (with `upper`) at most."""

    rate: float
    upper: bool = False

    def cleared_by(self, interval: Interval) -> bool:
        """Whether every rate in the interval fulfils it."""
        return interval.high <= self.rate if self.upper else interval.low >= self.rate

    def missed_by(self, interval: Interval) -> bool:
        """Whether no rate in the interval fulfils it."""
        return interval.low > self.rate if self.upper else interval.high < self.rate

    def cases(self, tally: Tally, level: float) -> CasesNeeded | None:
        """How many cases would clear it at the observed rate, or None for no number."""
        settle = cases_to_stay_below if self.upper else cases_to_reach
        return settle(tally.passed, tally.observed, self.rate, level)


def decide_bar(bar: Bar, tally: Tally, policy: Policy) -> Finding:
    """PASS when the interval clears the bar, FAIL when it misses it, else what would settle it."""
    level = policy.confidence_level
    interval = interval_of(
        tally,
        level=level,
        allow_approximate=policy.allow_approximate_methods,
        min_clusters=policy.min_clusters,
    )
    if not isinstance(interval, Interval):
        return _without_interval(interval, tally, policy)
    low, high = (shown(end, bar.rate, 0, 1) for end in (interval.low, interval.high))
    where = "" if interval.method == "clopper_pearson" else f" in {_clusters(tally)}"
    told = f"{tell_rate(tally)}{where}; the {exact(100 * level)} % interval {low} to {high}"
    if bar.cleared_by(interval):
        side = "does not exceed" if bar.upper else "does not fall below"
        return Finding("PASS", "requirement_met", f"{told} {side} {exact(bar.rate)}.")
    if bar.missed_by(interval):
        side = "above" if bar.upper else "below"
        detail = f"{told} lies wholly {side} {exact(bar.rate)}."
        return Finding("FAIL", "requirement_missed", detail)
    detail = f"{told} does not clear {exact(bar.rate)}."
    if interval.method == "clopper_pearson_clusters":
        detail += (
            " As all observations agree, nothing tells how alike those of one cluster are, "
            "so each cluster counts once."
        )
    return _what_would_settle(bar, interval, tally, detail)


def _what_would_settle(bar: Bar, interval: Interval, tally: Tally, detail: str) -> Finding:
    needed = bar.cases(tally, interval.level)
    if needed is None:
        detail += " No number of cases would pass it at the observed rate"
        if bar == Bar(1.0):
            detail += (
                ", for no interval lies wholly at 1; "
                "`max_failures: 0` asks that no failure be observed"
            )
        return insufficient("no_number_of_cases", detail + ".")
    single = interval.method == "clopper_pearson"
    if single and needed.cases <= tally.observed:
        missing = counted(tally.missing, "missing verdict")
        return insufficient(
            "missing_undecides",
            f"{detail} What was observed would pass it alone; the {missing} "
            f"{'leaves' if tally.missing == 1 else 'leave'} it open.",
        )
    number = f"{'More than ' if needed.beyond else ''}{counted(needed.cases, 'case')}"
    number += " in all" if single else ", each in a cluster of its own,"
    without = " with none missing" if tally.missing else ""
    return insufficient(
        "more_cases_needed", f"{detail} {number} would settle it at the observed rate{without}."
    )


def _without_interval(reason: NoInterval, tally: Tally, policy: Policy) -> Finding:
    if reason == "nothing_observed":
        return insufficient(reason, "Nothing was observed.")
    told = f"{tell_rate(tally)} in {_clusters(tally)}"
    needed = f"an approximate interval needs at least {policy.min_clusters} clusters"
    if reason == "too_few_clusters":
        return insufficient(reason, f"{told}; {needed}.")
    few = sum(tally.clusters().values()) < policy.min_clusters
    return insufficient(
        reason,
        f"{told}, some of more than one observation, for which there is no exact interval. "
        f"`allow_approximate_methods: true` would allow an approximate one"
        f"{f'; {needed}' if few else ''}.",
    )


def _clusters(tally: Tally) -> str:
    return counted(sum(tally.clusters().values()), "cluster")
