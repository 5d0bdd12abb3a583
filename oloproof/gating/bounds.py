"""A required pass rate held against the confidence interval of the observed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.gating.findings import Finding, insufficient
from oloproof.gating.wording import counted, exact, shown, tell_clusters, tell_rate
from oloproof.records.report import Interval
from oloproof.statistics.intervals import NoInterval, effective_clusters, interval_of
from oloproof.statistics.power import (
    CasesNeeded,
    cases_for_chance,
    cases_to_reach,
    cases_to_stay_below,
    chance_to_reach,
)

if TYPE_CHECKING:
    from oloproof.statistics.tally import Tally
    from oloproof.suites.policy import Policy


GOOD_CHANCE: Final = 0.8
"""The chance of a decision for which people usually plan how many cases they need."""


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
        passed, observed = tally.passed, tally.observed
        if self.upper:
            return cases_to_stay_below(
                passed=passed, observed=observed, maximum=self.rate, level=level
            )
        return cases_to_reach(passed=passed, observed=observed, minimum=self.rate, level=level)

    def tell_chance(self, needed: CasesNeeded, tally: Tally, level: float) -> str:
        """With what chance so many cases would clear it, and how many would with a good one."""
        if needed.beyond or tally.rate == (0 if self.upper else 1):
            return ""
        wanted, rate = (tally.failed, 1 - self.rate) if self.upper else (tally.passed, self.rate)
        observed = tally.observed
        chance = chance_to_reach(
            cases=needed.cases, passed=wanted, observed=observed, minimum=rate, level=level
        )
        told = f"a chance of {min(max(round(100 * chance), 1), 99)} %"
        if chance < GOOD_CHANCE:
            enough = cases_for_chance(
                chance=GOOD_CHANCE, passed=wanted, observed=observed, minimum=rate, level=level
            )
            told += f"; {_number(enough)} for one of {exact(100 * GOOD_CHANCE)} %"
        return f" ({told})"


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
    where = "" if interval.method == "clopper_pearson" else f" in {tell_clusters(tally)}"
    told = f"{tell_rate(tally)}{where}; the {exact(100 * level)} % interval {low} to {high}"
    if bar.cleared_by(interval):
        side = "does not exceed" if bar.upper else "does not fall below"
        return Finding("PASS", "requirement_met", f"{told} {side} {exact(bar.rate)}.")
    if bar.missed_by(interval):
        side = "above" if bar.upper else "below"
        detail = f"{told} lies wholly {side} {exact(bar.rate)}."
        return Finding("FAIL", "requirement_missed", detail)
    return _what_would_settle(bar, interval, tally, f"{told} does not clear {exact(bar.rate)}.")


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
    number = _number(needed)
    number += " in all" if single else ", each in a cluster of its own,"
    without = " with none missing" if tally.missing else ""
    chance = bar.tell_chance(needed, tally, interval.level)
    return insufficient(
        "more_cases_needed",
        f"{detail} {number[0].upper()}{number[1:]} would settle it at the observed "
        f"rate{without}{chance}.",
    )


def _number(needed: CasesNeeded) -> str:
    return f"{'more than ' if needed.beyond else ''}{counted(needed.cases, 'case')}"


def _without_interval(reason: NoInterval, tally: Tally, policy: Policy) -> Finding:
    if reason == "nothing_observed":
        return insufficient(reason, "Nothing was observed.")
    told = f"{tell_rate(tally)} in {tell_clusters(tally)}"
    needed = f"an interval over clusters needs at least {policy.min_clusters}"
    if reason == "too_few_clusters":
        return insufficient(reason, f"{told}; {needed}.")
    few = effective_clusters(tally.clusters()) < policy.min_clusters
    return insufficient(
        reason,
        f"{told}, some of more than one observation. `allow_approximate_methods: true` would "
        f"allow an interval over clusters{f'; {needed}' if few else ''}.",
    )
