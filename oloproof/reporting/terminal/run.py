"""The screen of `oloproof run`: what was run, its metrics and slices, and the gate."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from oloproof.reporting.terminal.gate import write_gate
from oloproof.reporting.terminal.text import count, duration, fraction, interval, level, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.records.report import MetricReport, RunReport, SliceReport, ValidityReport
    from oloproof.reporting.terminal.page import Page, Part

_METRIC_LIMIT: Final = 40
_NOTES_AT: Final = 10


def write_metrics(page: Page, metrics: Sequence[MetricReport]) -> None:
    """One row a metric, and below it why its failures failed and what its rate leaves out."""
    if not metrics:
        return
    levels = {metric.interval.level for metric in metrics if metric.interval}
    heading = f"{level(levels.pop())} interval" if len(levels) == 1 else "interval"
    head: list[Part] = [(name, "dim") for name in ("metric", "passed", "rate", heading)]
    rows = [head, *(_row(metric) for metric in metrics)]
    widths = page.widths(rows, name_limit=_METRIC_LIMIT)
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


_COLUMN_LIMIT: Final = 24
_TOO_FEW: Final = "too few"


def write_slices(page: Page, slices: Sequence[SliceReport], metrics: Sequence[str]) -> None:
    """One table a slice: a row for each of `metrics` it knows, a column for each range."""
    if not slices:
        return
    page.gap()
    page.write(("rates by slice, with the number observed; they decide nothing", "dim"))
    for name, ranges in groupby(slices, key=lambda one: one.slice):
        _write_slice(page, name, list(ranges), metrics)


def _write_slice(page: Page, name: str, ranges: list[SliceReport], metrics: Sequence[str]) -> None:
    known = {cell.metric for one in ranges for cell in one.cells}
    metrics = [metric for metric in metrics if metric in known]
    names: list[Part] = [(name, "bold"), "", *metrics]
    longest = max((cell_len(m) for m in [name, *metrics] if len(m) <= _METRIC_LIMIT), default=0)
    for columns in _blocks([_column(one, metrics) for one in ranges], page.width - longest):
        page.gap()
        rows = list(zip(names, *columns, strict=True))
        widths = page.widths(rows, name_limit=_METRIC_LIMIT)
        for row in rows:
            page.row(row, widths, "l" + "r" * len(columns))


def _column(one: SliceReport, metrics: list[str]) -> list[str]:
    cells = {cell.metric: f"{fraction(cell.rate)} ({cell.observed:,})" for cell in one.cells}
    shown = [cells.get(metric, "none") if one.supported else _TOO_FEW for metric in metrics]
    return [one.range, count(one.cases, "case"), *shown]


def _blocks(columns: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """The columns in groups that fit beside the names of the metrics, at least one in each."""
    block: list[list[str]] = []
    used = 0
    for column in columns:
        size = 2 + min(max(map(cell_len, column)), _COLUMN_LIMIT)
        if block and used + size > width:
            yield block
            block, used = [], 0
        block.append(column)
        used += size
    yield block


_AT: Final = 10
_NAME_LIMIT: Final = 24


def write_run(page: Page, report: RunReport, *, notices: Sequence[str] | None = None) -> None:
    """The whole of a run; `notices`, where given, are those still to be told."""
    _write_head(page, report)
    write_metrics(page, report.metrics)
    _write_validity(page, report.validity)
    write_slices(page, report.slices, [metric.metric for metric in report.metrics])
    for notice in report.notices if notices is None else notices:
        page.gap()
        page.write("Note: ", notice, hang=2)
    page.gap()
    if report.gate is None:
        page.write(("NOTHING WAS DECIDED", "bold"), ": there is no policy (release.yaml).", hang=2)
    else:
        write_gate(page, report.gate)


def _write_head(page: Page, report: RunReport) -> None:
    page.write(
        (report.project, "bold"),
        f"  run {report.run}, {report.status} after {duration(report.duration_s)}",
        hang=2,
    )
    page.labelled(("system", "dim"), f"{report.system}, version {report.version}", at=_AT)
    finished = _with(report.cases, report.copies, "copy", "copies")
    if report.cases < report.asked:
        finished = f"{report.cases:,} of {report.asked:,} were finished"
    page.labelled(("cases", "dim"), finished, at=_AT)
    page.labelled(("executed", "dim"), _with(report.executed, report.replayed, "replay"), at=_AT)
    for reuse in report.reused:
        many = f"{_with(reuse.cases, reuse.replays, 'replay')} of run {reuse.run}"
        page.labelled(("reused", "dim"), many, at=_AT)
    if report.outcomes:
        page.labelled(("outcomes", "dim"), tally(report.outcomes), at=_AT)


def _with(cases: int, others: int, one: str, many: str | None = None) -> str:
    return f"{cases:,}, and {count(others, one, many)}" if others else f"{cases:,}"


def _write_validity(page: Page, validity: Sequence[ValidityReport]) -> None:
    if not validity:
        return
    page.gap()
    names = ("transform", "kept", "labelled", "lower bound", "needed", "")
    head: list[Part] = [(name, "dim") for name in names]
    rows = [head, *map(_validity_row, validity)]
    widths = page.widths(rows, name_limit=_NAME_LIMIT)
    for row, notes in zip(rows, [{}, *map(_validity_notes, validity)], strict=True):
        page.row(row, widths, "lrrrrl")
        with page.indented():
            for name, note in notes.items():
                page.labelled((name, "dim"), note, at=_AT)


def _validity_row(one: ValidityReport) -> list[Part]:
    return [
        (one.transform, "bold"),
        f"{one.kept:,} of {one.pairs:,}",
        f"{one.labelled:,}",
        fraction(one.lower_bound, one.minimum),
        fraction(one.minimum),
        ("checked", "green") if one.valid else ("NOT CHECKED", "yellow"),
    ]


def _validity_notes(one: ValidityReport) -> dict[str, str]:
    notes = {}
    if one.labellers:
        notes["read by"] = ", ".join(one.labellers)
    if one.absent is not None:
        notes["labels"] = f"{one.absent} is not there yet: `oloproof pairs {one.transform}`"
    if one.unsigned:
        lines = count(one.unsigned, "line without a labeller", "lines without a labeller")
        notes["unsigned"] = f"{lines}, no label: name who read the pair"
    if one.unmatched:
        notes["unmatched"] = count(
            one.unmatched, "label that names no pair", "labels that name no pair"
        )
    return notes
