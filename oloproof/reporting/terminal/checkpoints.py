"""The calls of a case from which it can be replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.errors import shorten
from oloproof.reporting.terminal.control import method_of, target_of
from oloproof.reporting.terminal.text import count
from oloproof.reporting.terminal.values import compact

if TYPE_CHECKING:
    from oloproof.records.case_report import CheckpointLine, CheckpointList
    from oloproof.reporting.terminal.page import Page

_DETAILS_AT: Final = 10


def write_checkpoints(page: Page, report: CheckpointList) -> None:
    """Each call with its step, what it was given, and the faults declared there."""
    calls = count(len(report.checkpoints), "call")
    page.write(
        (report.case, "bold"),
        f"  run {report.run}, {calls}",
        method_of(report.method),
        hang=2,
    )
    page.gap()
    at = len(f"step {report.checkpoints[-1].step}") + 2 if report.checkpoints else 0
    turn = None
    for line in report.checkpoints:
        if line.turn is not None and line.turn != turn:
            turn = line.turn
            page.write((f"turn {turn}", "dim"))
        _write_line(page, line, at)


def _write_line(page: Page, line: CheckpointLine, at: int) -> None:
    given = "" if line.arguments is None else f"  {shorten(compact(line.arguments))}"
    page.labelled(
        (f"step {line.step}", "dim"),
        (target_of(line), "bold"),
        f", call {line.occurrence}{given}",
        at=at,
    )
    with page.indented(at):
        kept = "kept" if line.state_kept else "not kept: a replay begins at an earlier one"
        page.labelled(("state", "dim"), kept, at=_DETAILS_AT)
        if line.faults:
            page.labelled(("declared", "dim"), ", ".join(line.faults), at=_DETAILS_AT)
