"""The screens of `oloproof inspect`: the list of cases, and the panel of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.control import write_replay_of_case
from oloproof.reporting.terminal.pairs import write_pair
from oloproof.reporting.terminal.steps import write_outcome, write_output, write_steps
from oloproof.reporting.terminal.text import count
from oloproof.reporting.terminal.turns import write_scorecard, write_turns
from oloproof.reporting.terminal.values import size, sorted_keys, write_context, write_value
from oloproof.reporting.terminal.verdicts import word, write_changes, write_verdict

if TYPE_CHECKING:
    from oloproof.records.case_report import CaseLine, CaseList, CaseReport, StateReport
    from oloproof.reporting.terminal.page import Page, Part
    from oloproof.reporting.terminal.steps import Step

_LIST_AT: Final = 9
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
                    page.labelled(word(status), metric, f"  {seen}" if seen else "", at=_LIST_AT)


def _row(line: CaseLine, *, replicated: bool) -> list[Part]:
    outcome: Part = line.outcome if line.outcome == "completed" else (line.outcome, "bold red")
    which: list[Part] = [(f"replicate {line.replicate}", "dim")] if replicated else []
    return [(line.case, "bold"), outcome, *which]


_AT: Final = 10
_STATE_LINES: Final = 60
"""How many lines of a state are shown: a small sandbox whole, of a large one its two ends."""


def write_case(page: Page, report: CaseReport) -> None:
    """Everything known of a case: what the checks say before what they rest on."""
    _write_head(page, report)
    if not report.turns:
        _write_input(page, report)
        _section(page, "output")
        with page.indented():
            write_output(page, report)
    if report.scorecard:
        _section(page, "scorecard")
        with page.indented():
            write_scorecard(page, report.scorecard)
    _section(page, "checks")
    with page.indented():
        for verdict in report.verdicts:
            # A conversation has many checks, and its turns show again how each came out.
            write_verdict(page, verdict, whole=not report.turns or verdict.status != "pass")
    write_turns(page, report.turns)
    _write_world(page, report)
    if report.turns:
        _write_constraints(page, report)
    else:
        _write_trajectory(page, report)
    for replay in report.replays:
        _section(page, "replay")
        with page.indented():
            write_replay_of_case(page, replay)
    for pair in report.pairs:
        _section(page, "pair")
        with page.indented():
            write_pair(page, pair)


def _write_head(page: Page, report: CaseReport) -> None:
    page.write((report.case, "bold"), f"  run {report.run}, replicate {report.replicate}", hang=2)
    if report.source is not None:
        page.labelled(("copy of", "dim"), f"{report.source}, by {report.transform}", at=_AT)
    page.labelled(("cluster", "dim"), report.cluster, at=_AT)
    write_outcome(page, report.outcome, report.terminal_status, at=_AT)
    for number, attempt in enumerate(report.attempts[:-1], start=1):
        told = f"{attempt.status}: {attempt.error}" if attempt.error else attempt.status
        page.labelled((f"try {number}", "dim"), told, at=_AT)


def _write_input(page: Page, report: CaseReport) -> None:
    _section(page, "input")
    with page.indented():
        if isinstance(report.input, str):
            page.prose(report.input)
        else:
            write_value(page, report.input)
    if report.expected is not None:
        _section(page, "expected")
        with page.indented():
            write_context(page, report.expected, at_most=_STATE_LINES)


def _write_world(page: Page, report: CaseReport) -> None:
    _section(page, "what changed in the world")
    with page.indented():
        if report.state_changes:
            write_changes(page, report.state_changes, before="before", after="after")
        elif report.initial.recorded and report.final.recorded:
            page.write("nothing")
        else:
            page.write("unknown: a state is missing")
    _write_state(page, "initial state", report.initial)
    _write_state(page, "final state", report.final)


def _write_state(page: Page, name: str, state: StateReport) -> None:
    _section(page, name, size(state.state) if state.recorded else "")
    with page.indented():
        if state.recorded:
            write_context(page, sorted_keys(state.state), at_most=_STATE_LINES)
        if state.problem or not state.recorded:
            page.write(("not recorded", "yellow"), f": {state.problem}" if state.problem else "")


def _write_trajectory(page: Page, report: CaseReport) -> None:
    _section(page, "trajectory")
    with page.indented():
        if report.trajectory_problem:
            page.write(("problem", "yellow"), f": {report.trajectory_problem}")
        if not report.steps:
            page.write("no step was recorded")
        write_steps(page, report.steps)
        for check in report.constraints:
            _write_constraint(page, check)


def _write_constraints(page: Page, report: CaseReport) -> None:
    """What is left of the trajectory where the turns have shown its steps."""
    if report.trajectory_problem or report.constraints:
        _section(page, "trajectory")
    with page.indented():
        if report.trajectory_problem:
            page.write(("problem", "yellow"), f": {report.trajectory_problem}")
        for check in report.constraints:
            _write_constraint(page, check)


def _write_constraint(page: Page, check: Step) -> None:
    kept = check.get("passed")
    page.write(
        ("constraint ", "dim"),
        str(check.get("name")),
        "  ",
        word("pass" if kept else "fail"),
        f"  {check['detail']}" if check.get("detail") else "",
        hang=2,
    )


def _section(page: Page, name: str, note: str = "") -> None:
    page.gap()
    page.write((name, "bold"), (f"  {note}" if note else "", "dim"))
