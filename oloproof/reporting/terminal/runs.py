"""The table of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.reporting.terminal.text import moment
from oloproof.reporting.terminal.verdicts import word

if TYPE_CHECKING:
    from oloproof.records.store_report import RunLine, RunList
    from oloproof.reporting.terminal.page import Page, Part


def write_runs(page: Page, report: RunList) -> None:
    """One row a run, the newest first."""
    if not report.runs:
        page.write("No run is stored yet; `oloproof run` makes the first.")
        return
    names = ("run", "started", "status", "system", "version", "cases", "ran", "gate")
    head: list[Part] = [(name, "dim") for name in names]
    page.table([head, *map(_row, report.runs)], "rllllrrl")


def _row(line: RunLine) -> list[Part]:
    return [
        f"{line.run}",
        moment(line.started_at),
        line.status,
        line.system,
        line.version,
        f"{line.cases:,}",
        f"{line.executed:,}",
        word(line.verdict) if line.verdict else ("none", "dim"),
    ]
