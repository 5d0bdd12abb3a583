"""The screen of `oloproof judge`: what the model was asked, and what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.quantities import count

if TYPE_CHECKING:
    from oloproof.records.case_report import JudgeReport
    from oloproof.reporting.terminal.page import Page

_AT: Final = 9


def write_judge(page: Page, report: JudgeReport) -> None:
    """How many messages were judged, each with its raw verdict."""
    page.write((report.metric, "bold"), f"  {count(len(report.judged), 'message')} judged", hang=2)
    for line in report.judged:
        page.gap()
        page.write((line.outcome, "bold"), f"  {line.case}")
        with page.indented():
            page.labelled(("message", "dim"), line.message, at=_AT)
            page.labelled(("said", "dim"), line.raw, at=_AT)
    if report.judged:
        page.gap()
        page.labelled(("written to", "dim"), report.written_to, at=12)
        page.write("Run again to have them count: no case is executed for it.")
