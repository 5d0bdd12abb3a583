from __future__ import annotations

from oloproof.gating.metrics import metric_report
from oloproof.records.report import Interval, MetricReport
from oloproof.statistics.intervals import clopper_pearson
from oloproof.statistics.tally import Tally


def report(*groups: list[str]) -> MetricReport:
    tally = Tally()
    for group in groups:
        tally.add(None, group)
    return metric_report(
        "state_matches", tally, level=0.95, allow_approximate=False, min_clusters=20
    )


def test_everything_that_was_counted() -> None:
    """A metric is reported with its denominator, its reasons and its exact interval."""
    low = clopper_pearson(2, 4, 0.95).low
    high = clopper_pearson(3, 4, 0.95).high
    expected = MetricReport(
        metric="state_matches",
        passed=2,
        observed=3,
        clusters=4,
        rate=2 / 3,
        missing={"no_state": 1},
        excluded={"metamorphic_copy": 2},
        passes={"recovered": 1},
        failures={"gave_up": 1},
        interval=Interval(low=low, high=high, level=0.95, method="clopper_pearson"),
    )
    assert expected == report(
        ["p:recovered", "n:metamorphic_copy"],
        ["p", "n:metamorphic_copy"],
        ["f:gave_up"],
        ["m:no_state"],
    )


def test_no_interval() -> None:
    """Without an interval its reason is reported."""
    clustered = report(["p", "p"])
    assert clustered.interval is None
    assert clustered.no_interval == "approximate_methods_not_allowed"


def test_effective_clusters() -> None:
    """Where clusters have several observations, it is reported how many equal ones they are."""
    assert 1.8 == report(["p"], ["p", "m"]).effective_clusters
    assert report(["p"], ["m"]).effective_clusters is None


def test_nothing_observed() -> None:
    """Without observations there is no rate either."""
    nothing = report(["n:no_expected_state"])
    assert (0, None, "nothing_observed") == (nothing.observed, nothing.rate, nothing.no_interval)
