"""The table of metrics: rate, denominator and interval, what is missing or excluded and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.quantities import count, fraction, interval, level, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.records.report import MetricReport
    from oloproof.reporting.terminal.page import Page, Part

_NAME_LIMIT: Final = 40
_NOTES_AT: Final = 10


def write_metrics(page: Page, metrics: Sequence[MetricReport]) -> None:
    """One row a metric, and below it why its failures failed and what its rate leaves out."""
    if not metrics:
        return
    levels = {metric.interval.level for metric in metrics if metric.interval}
    heading = f"{level(levels.pop())} interval" if len(levels) == 1 else "interval"
    head: list[Part] = [(name, "dim") for name in ("metric", "passed", "rate", heading)]
    rows = [head, *(_row(metric) for metric in metrics)]
    widths = page.widths(rows, name_limit=_NAME_LIMIT)
    page.gap()
    for row, notes in zip(rows, [{}, *(dict(_notes(m)) for m in metrics)], strict=True):
        page.row(row, widths, "lrrl")
        with page.indented():
            for name, note in notes.items():
                page.labelled((name, "dim"), note, at=_NOTES_AT)


def _row(metric: MetricReport) -> list[Part]:
    return [
        (metric.metric, "bold"),
        f"{metric.passed:,} of {metric.observed:,}",
        fraction(metric.rate),
        interval(metric.interval),
    ]


def _notes(metric: MetricReport) -> Iterator[tuple[str, str]]:
    for name, counts in (("passed", metric.passes), ("failed", metric.failures)):
        if counts:
            yield name, tally(counts)
    if metric.missing:
        yield "missing", tally(metric.missing)
    if metric.excluded:
        yield "excluded", tally(metric.excluded)
    if metric.interval is None:
        if metric.no_interval:
            few = f" ({_clusters(metric)})" if metric.no_interval == "too_few_clusters" else ""
            yield "interval", f"none: {metric.no_interval}{few}"
    elif metric.interval.method == "gaffke":
        yield "interval", f"over {_clusters(metric)}"


def _clusters(metric: MetricReport) -> str:
    """How many clusters there are, and how many equal ones these are worth where it is fewer."""
    told = count(metric.clusters, "cluster")
    if metric.effective_clusters in (None, metric.clusters):
        return told
    tenths = int(10 * metric.effective_clusters)  # rounded down: 19.96 are not 20
    return f"{told} worth {tenths / 10:.1f} equal ones"
