"""A conversation turn by turn, and the scorecard of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.steps import write_step
from oloproof.reporting.terminal.values import write_value
from oloproof.reporting.terminal.verdicts import word, write_changes, write_compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.records.case_report import ScoreReport, TurnCheck, TurnReport
    from oloproof.records.report import Change
    from oloproof.reporting.terminal.page import Page

_AT: Final = 7


def write_turns(page: Page, turns: Sequence[TurnReport]) -> None:
    """What was said, done and changed in each turn, and what the checks found there."""
    for turn in turns:
        page.gap()
        page.write((f"turn {turn.turn}", "bold"), "" if turn.reached else "  not reached")
        with page.indented():
            page.labelled(("user", "dim"), turn.message, at=_AT)
            if turn.reached:
                _write_turn(page, turn)


def _write_turn(page: Page, turn: TurnReport) -> None:
    if isinstance(turn.reply, str):
        page.labelled(("agent", "dim"), turn.reply, at=_AT)
    elif turn.has_reply:
        page.labelled(("agent", "dim"), at=_AT)
        with page.indented(_AT):
            write_value(page, turn.reply)
    else:
        page.labelled(("agent", "dim"), ("no reply", "yellow"), at=_AT)
    for step in turn.steps:
        said = step.get("kind") == "message" and not step.get("claims")
        if not said and step.get("kind") != "final":
            write_step(page, step, (str(step.get("index", "")), "dim"), at=_AT)
    _write_changes(page, "working state", turn.active_changes)
    _write_changes(page, "world", turn.world_changes)
    for check in turn.checks:
        _write_check(page, check)


def _write_changes(page: Page, name: str, changes: Sequence[Change]) -> None:
    if changes:
        page.write((name, "dim"))
        with page.indented():
            write_changes(page, changes, before="before", after="after")


def _write_check(page: Page, check: TurnCheck) -> None:
    page.write(word("pass" if check.passed else "fail"), "  ", check.metric, hang=2)
    with page.indented():
        for place in check.compared:
            if not place.passed:
                write_compared(page, place)


def write_scorecard(page: Page, scores: Sequence[ScoreReport]) -> None:
    """Each dimension by itself: 1, 0, or a dash where nobody measured it."""
    rows = []
    for score in scores:
        value = "-" if score.score is None else str(score.score)
        style = "red" if score.score == 0 else "dim" if score.score is None else ""
        name = f"{score.dimension} (hard)" if score.hard else score.dimension
        rows.append(((value, style), name, score.locus or score.reason or ""))
    page.table(rows, "lll")
