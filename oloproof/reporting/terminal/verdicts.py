"""Verdicts in words (readable without colour), and what each of them compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.paths import MISSING
from oloproof.reporting.terminal.text import count
from oloproof.reporting.terminal.values import (
    fits,
    one_line,
    sorted_keys,
    write_context,
    write_named,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.paths import Absent
    from oloproof.records.case_report import ComparedPath, VerdictReport
    from oloproof.records.report import Change
    from oloproof.reporting.terminal.page import Page, Part

STYLES: Final[Mapping[str, str]] = {
    "PASS": "green",
    "ALLOW": "bold green",
    "FAIL": "bold red",
    "BLOCK": "bold red",
    "WARN": "bold yellow",
    "MISSING": "yellow",
    "INSUFFICIENT_EVIDENCE": "yellow",
    "MANUAL_REVIEW": "magenta",
}
_CHANGES_SHOWN: Final = 100
_PATHS_AT: Final = 9
_SIDES_AT: Final = 10
_WHOLE: Final = "(the whole)"


def word(status: str) -> Part:
    """A status as the word it is shown by, in its colour."""
    name = status.upper().replace("NOT_APPLICABLE", "NOT APPLICABLE")
    return (name, STYLES.get(name, ""))


def headline(status: str, name: str, seen: str | None) -> list[Part]:
    """The line a verdict starts with, such as `FAIL  recovers  false_success`."""
    parts: list[Part] = [word(status), "  ", (name, "bold")]
    return [*parts, f"  {seen}"] if seen else parts


def write_verdict(page: Page, verdict: VerdictReport, *, whole: bool = True) -> None:
    """One check: its word, its metric, what was seen; and, `whole`, every path it compared."""
    page.write(*headline(verdict.status, verdict.metric, verdict.label or verdict.reason), hang=2)
    if not whole:
        return
    with page.indented():
        if verdict.detail:
            page.write(verdict.detail)
        for compared in verdict.compared:
            write_compared(page, compared, in_turn=False)


def write_changes(page: Page, changes: Sequence[Change], *, before: str, after: str) -> None:
    """What two states do not share, path by path; the two are called `before` and `after`."""
    at = max(len(before), len(after)) + 2
    for change in changes[:_CHANGES_SHOWN]:
        page.labelled((change.kind, "dim"), (change.path or _WHOLE, "bold"), at=_PATHS_AT)
        with page.indented(_PATHS_AT):
            match change.kind:
                case "added":
                    write_context(page, change.after)
                case "moved":
                    page.labelled(("from", "dim"), str(change.moved_from), at=at)
                    write_context(page, change.after)
                case "removed":
                    write_context(page, change.before)
                case "changed":
                    write_named(page, (before, "dim"), sorted_keys(change.before), at=at)
                    write_named(page, (after, "dim"), sorted_keys(change.after), at=at)
    if len(changes) > _CHANGES_SHOWN:
        left_out = count(len(changes) - _CHANGES_SHOWN, "more change")
        page.write((f"{page.dots} and {left_out}; --json has them all", "dim"))


def write_compared(page: Page, compared: ComparedPath, *, in_turn: bool = True) -> None:
    """One place that was compared; unless it stands in its turn, with the turn's number."""
    expected = sorted_keys(compared.expected if compared.has_expected else MISSING)
    actual = sorted_keys(compared.actual if compared.has_actual else MISSING)
    path = compared.path or _WHOLE
    if compared.turn is not None and not in_turn:
        path = f"turn {compared.turn}: {path}"
    if compared.passed and one_line(expected) == one_line(actual):
        _write_same(page, path, actual)
    else:
        mark: Part = ("ok", "dim") if compared.passed else ("differs", "red")
        page.labelled(mark, (path, "" if compared.passed else "bold"), at=_PATHS_AT)
        with page.indented(_PATHS_AT):
            write_named(page, ("expected", "dim"), expected, at=_SIDES_AT)
            write_named(page, ("actual", "dim"), actual, at=_SIDES_AT)
    if compared.note:
        with page.indented(_PATHS_AT):
            page.labelled(("note", "dim"), compared.note, at=_SIDES_AT)


def _write_same(page: Page, path: str, value: JsonValue | Absent) -> None:
    shown = one_line(value)
    if fits(f"{path}  {shown}", page.width - _PATHS_AT, page.encoding):
        page.labelled(("same", "dim"), f"{path}  {shown}", at=_PATHS_AT)
        return
    page.labelled(("same", "dim"), path, at=_PATHS_AT)
    with page.indented(_PATHS_AT):
        write_context(page, value)
