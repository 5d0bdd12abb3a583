"""Pairs of a source and its copy with the differing words marked, and claims that were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.sides import Sides, copy_parts, difference, source_parts
from oloproof.reporting.terminal.text import count
from oloproof.reporting.terminal.verdicts import write_verdict

if TYPE_CHECKING:
    from oloproof.records.case_report import JudgeReport, PairList, PairReport
    from oloproof.reporting.terminal.page import Page

_AT: Final = 11


def write_pair(page: Page, pair: PairReport) -> None:
    """One pair of a case, and what its relation says of it."""
    page.write(f"{pair.transform}, which changes {pair.field or 'nothing'}", hang=2)
    if pair.source_text is not None and pair.copy_text is not None:
        _write_texts(page, (pair.source, pair.copy_id), (pair.source_text, pair.copy_text))
    for verdict in pair.verdicts:
        write_verdict(page, verdict)


def write_pairs(page: Page, report: PairList) -> None:
    """The screen of `oloproof pairs`: how many pairs are labelled, and those that are not."""
    page.write(
        (report.transform, "bold"),
        f"  {count(report.pairs, 'pair')}: {report.labelled:,} labelled, ",
        f"{len(report.unlabelled):,} not yet",
        hang=2,
    )
    if report.written_to is not None and report.unlabelled:
        page.gap()
        page.labelled(("written to", "dim"), report.written_to, at=_AT)
        page.write(
            "On each line set `kept` to true where copy and source ask for the same, to false "
            "where they do not, and name the person who read them as `labeller`."
        )
        return
    for pair in report.unlabelled:
        page.gap()
        _write_texts(page, (pair.case, "copy"), (pair.source_text, pair.copy_text))


def _write_texts(page: Page, names: tuple[str, str], texts: tuple[str, str]) -> None:
    stretches = difference(*texts)
    sides = Sides(page, names)
    sides.row(
        "",
        lambda half: half.write(*source_parts(stretches)),
        lambda half: half.write(*copy_parts(stretches)),
    )


_JUDGED_AT: Final = 9


def write_judge(page: Page, report: JudgeReport) -> None:
    """How many messages were judged, each with its raw verdict."""
    page.write((report.metric, "bold"), f"  {count(len(report.judged), 'message')} judged", hang=2)
    for line in report.judged:
        page.gap()
        page.write((line.outcome, "bold"), f"  {line.case}")
        with page.indented():
            page.labelled(("message", "dim"), line.message, at=_JUDGED_AT)
            page.labelled(("said", "dim"), line.raw, at=_JUDGED_AT)
    if report.judged:
        page.gap()
        page.labelled(("written to", "dim"), report.written_to, at=12)
        page.write("Run again to have them count: no case is executed for it.")
