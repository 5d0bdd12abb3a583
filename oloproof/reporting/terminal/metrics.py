"""The table of metrics: rate, denominator and interval, what is missing or excluded and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.quantities import count, fraction, interval, level, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.records.report import Interval, MetricReport
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
    if metric.interval is not None:
        if method := _method(metric.interval, metric.clusters):
            yield "interval", method
    elif metric.no_interval:
        yield "interval", f"none: {metric.no_interval}"


def _method(interval: Interval, clusters: int) -> str | None:
    """How the interval was found, where it is not the exact one over single cases."""
    match interval.method:
        case "clopper_pearson":
            return None
        case "korn_graubard":
            return f"approximate (Korn-Graubard), over {count(clusters, 'cluster')}"
        case "clopper_pearson_clusters":
            return f"exact (Clopper-Pearson), over {count(clusters, 'cluster')} that each agree"
