"""The screen of `oloproof run`: what was run, what came of it, and the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.gate import write_gate
from oloproof.reporting.terminal.metrics import write_metrics
from oloproof.reporting.terminal.quantities import count, duration, fraction, tally
from oloproof.reporting.terminal.slices import write_slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.records.report import RunReport, ValidityReport
    from oloproof.reporting.terminal.page import Page, Part

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
    if one.strays:
        notes["strays"] = count(one.strays, "label that names no pair", "labels that name no pair")
    return notes
