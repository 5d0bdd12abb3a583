"""The screen of `oloproof check`: whether a system can be replayed, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.control import method_of
from oloproof.reporting.terminal.text import count

if TYPE_CHECKING:
    from oloproof.records.project_report import CheckReason, CheckReport
    from oloproof.reporting.terminal.page import Page, Part

_AT: Final = 8
_VERDICTS: Final[dict[bool, Part]] = {
    True: ("REPLAYABLE", "bold green"),
    False: ("NOT REPLAYABLE", "bold red"),
}


def write_check(page: Page, report: CheckReport) -> None:
    """The verdict, what it rests on, and every reason with its places and its fix."""
    page.write(_VERDICTS[report.replayable], f"  {report.system}", method_of(report.method), hang=2)
    for number, case in enumerate(report.cases):
        told = [
            count(case.tool_calls, "tool call"),
            count(case.states, "state"),
            count(case.replays, "replay"),
        ]
        ended = "" if case.outcome == "completed" else f" {case.outcome};"
        label: Part = ("" if number else "tried", "dim")
        page.labelled(label, (case.case, "bold"), f" {ended} {', '.join(told)}", at=_AT)
    for word in dict.fromkeys(reason.reason for reason in report.reasons):
        _write_reason(page, [one for one in report.reasons if one.reason == word])
    if report.notes:
        page.gap()
        page.write(("notes", "bold"))
        with page.indented():
            for note in report.notes:
                page.write(note, hang=2)


def _write_reason(page: Page, reasons: list[CheckReason]) -> None:
    """A word, each place it was found at, and how it is fixed."""
    page.gap()
    page.write((reasons[0].reason, "bold red"))
    with page.indented():
        for one in reasons:
            at: list[Part] = [(one.case, "bold")] if one.case is not None else []
            if one.where is not None:
                at.append(f", {one.where}" if at else one.where)
            if one.step is not None:
                at.append(f" (step {one.step})")
            if at:
                page.write(*at, hang=2)
            with page.indented(2 if at else 0):
                page.write(one.detail)
        for fix in dict.fromkeys(one.fix for one in reasons):
            page.labelled(("fix", "dim"), fix, at=_AT - 2)
