"""A metric as it is reported, whether or not a rule speaks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.records.report import Interval, MetricReport
from oloproof.statistics.intervals import all_single, effective_clusters, interval_of

if TYPE_CHECKING:
    from oloproof.statistics.tally import Tally


def metric_report(
    metric: str, tally: Tally, *, level: float, allow_approximate: bool, min_clusters: int
) -> MetricReport:
    """The report on one metric, with its interval at `level` or the reason why it has none.

    `passes` and `failures` count those that bear a label.
    """
    found = interval_of(
        tally, level=level, allow_approximate=allow_approximate, min_clusters=min_clusters
    )
    interval = found if isinstance(found, Interval) else None
    clusters = tally.clusters()
    single = all_single(clusters)
    return MetricReport(
        metric=metric,
        passed=tally.passed,
        observed=tally.observed,
        clusters=sum(clusters.values()),
        rate=tally.rate,
        missing=tally.missing_by_reason(),
        excluded=tally.excluded_by_reason(),
        passes=tally.passes_by_label(),
        failures=tally.failures_by_label(),
        effective_clusters=None if single else effective_clusters(clusters),
        interval=interval,
        no_interval=None if isinstance(found, Interval) else found,
    )
