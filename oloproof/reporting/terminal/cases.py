"""The list of a run's cases, or of those that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.quantities import count
from oloproof.reporting.terminal.verdicts import word

if TYPE_CHECKING:
    from oloproof.records.case_report import CaseLine, CaseList
    from oloproof.reporting.terminal.page import Page, Part

_AT: Final = 9
_NAME_LIMIT: Final = 48


def write_cases(page: Page, report: CaseList) -> None:
    """Each case with how its call ended, and below it the checks that fail or are missing."""
    names = {line.case for line in report.cases}
    copies = sum("~" in name for name in names)
    listed = count(len(names) - copies, "case")
    listed += f", {count(copies, 'copy', 'copies')}" if copies else ""
    which = " with a failed or missing check or a bad outcome" if report.failures_only else ""
    page.write((f"run {report.run}", "bold"), f"  {listed}{which}")
    replicated = any(line.replicate > 1 for line in report.cases)
    rows = [_row(line, replicated=replicated) for line in report.cases]
    widths = page.widths(rows, name_limit=_NAME_LIMIT) if rows else []
    page.gap()
    for line, row in zip(report.cases, rows, strict=True):
        page.row(row, widths, "l" * len(row))
        with page.indented():
            for status, checks in (("fail", line.failed), ("missing", line.missing)):
                for metric, seen in checks.items():
                    page.labelled(word(status), metric, f"  {seen}" if seen else "", at=_AT)


def _row(line: CaseLine, *, replicated: bool) -> list[Part]:
    outcome: Part = line.outcome if line.outcome == "completed" else (line.outcome, "bold red")
    which: list[Part] = [(f"replicate {line.replicate}", "dim")] if replicated else []
    return [(line.case, "bold"), outcome, *which]
