"""Whether a replay may count: the verdict it was given, and its control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.records.faults import fault_label
from oloproof.reporting.terminal.steps import write_outcome, write_output, write_steps
from oloproof.reporting.terminal.values import sorted_keys, write_named
from oloproof.reporting.terminal.verdicts import word, write_changes

if TYPE_CHECKING:
    from oloproof.records.case_report import CheckpointLine, ControlReport, ReplayReport
    from oloproof.reporting.terminal.page import Page, Part

AT: Final = 10
_SIDES_AT: Final = 10


def target_of(report: ReplayReport | CheckpointLine) -> str:
    """What is called: the name of a tool, or that of a model after the word."""
    return f"model {report.model}" if report.tool is None else report.tool


def fault_of(report: ReplayReport) -> str:
    """The fault in words: `error at issue_refund, call 1`."""
    turn = "" if report.turn is None else f" of turn {report.turn}"
    call = f"{target_of(report)}, call {report.occurrence}{turn}"
    return f"{fault_label(report.fault, report.duration)} at {call}"


def method_of(method: str | None) -> Part:
    """How a case is replayed: by a method that its author wrote, or from what was recorded."""
    return ("" if method is None else f"  replay: {method}", "dim")


def write_replay_verdict(page: Page, report: ReplayReport) -> None:
    """The verdict on a faulted replay, how it was replayed, and whether its control holds."""
    if report.verdict is None:
        page.write(("NO VERDICT", "bold"), "  no check of the suite asks for this fault", hang=2)
    else:
        page.write(word(report.verdict), f"  {report.label or report.reason or ''}", hang=2)
    with page.indented():
        if report.detail:
            page.write(report.detail)
        if report.unavailable:
            page.labelled(("replayed", "dim"), f"not at all: {report.unavailable}", at=AT)
        elif report.step_index is not None:
            page.labelled(("replayed", "dim"), _how(report), at=AT)
        if report.control is not None:
            _write_control(page, report.control)
        if report.replay_detail:
            page.labelled(("because", "dim"), report.replay_detail, at=AT)
        for note in report.notes:
            page.labelled(("note", "yellow"), note, at=AT)


def write_replay_of_case(page: Page, report: ReplayReport) -> None:
    """A replay in the panel of its case: its control, how it went on, and how it ended."""
    page.write((fault_of(report), "bold"), method_of(report.method), hang=2)
    write_replay_verdict(page, report)
    if (replay := report.replay) is None:
        return
    with page.indented():
        write_outcome(page, replay.outcome, replay.terminal_status, at=AT)
        page.write(("from the change on", "dim"))
        with page.indented():
            write_steps(page, replay.steps, first=report.step_index or 1)
        page.write(("output", "dim"))
        with page.indented():
            write_output(page, replay)
        page.write(("left otherwise than the recording", "dim"))
        with page.indented():
            write_end(page, report)


def write_end(page: Page, report: ReplayReport) -> None:
    """What the replay left in the world otherwise than the recording did."""
    sides = (report.recording, report.replay)
    if report.state_changes:
        write_changes(page, report.state_changes, before="recording", after="replay")
    elif all(side is None or side.final.recorded for side in sides):
        page.write("nothing")
    else:
        page.write("unknown: a state is missing")


def _how(report: ReplayReport) -> str:
    words = f"changed at step {report.step_index}"
    return f"{words}, shown from the store" if report.stored else words


def _write_control(page: Page, control: ControlReport) -> None:
    if control.trusted:
        page.labelled(
            ("control", "dim"),
            ("TRUSTED", "green"),
            ": with nothing changed it reproduced the recording",
            at=AT,
        )
        return
    seen = control.reason or "it did not reproduce the recording"
    if (found := control.divergence) is not None:
        seen = f"{found.kind} at {found.where}"
    page.labelled(("control", "dim"), ("NOT TRUSTED", "bold yellow"), f": {seen}", at=AT)
    if control.detail:
        page.labelled("", control.detail, at=AT)
    if found is not None:
        with page.indented(AT):
            write_named(page, ("expected", "dim"), sorted_keys(found.expected), at=_SIDES_AT)
            write_named(page, ("actual", "dim"), sorted_keys(found.actual), at=_SIDES_AT)
