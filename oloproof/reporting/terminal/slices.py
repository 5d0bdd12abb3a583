"""The slices of a run: rate and size of each range, which describe and decide nothing."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from oloproof.reporting.terminal.quantities import count, fraction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.records.report import SliceReport
    from oloproof.reporting.terminal.page import Page, Part

_NAME_LIMIT: Final = 40
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
    longest = max((cell_len(m) for m in [name, *metrics] if len(m) <= _NAME_LIMIT), default=0)
    for columns in _blocks([_column(one, metrics) for one in ranges], page.width - longest):
        page.gap()
        rows = list(zip(names, *columns, strict=True))
        widths = page.widths(rows, name_limit=_NAME_LIMIT)
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
