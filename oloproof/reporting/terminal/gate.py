"""The gate: its verdict first and last, and between them every rule."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.text import tally
from oloproof.reporting.terminal.verdicts import headline, word

if TYPE_CHECKING:
    from oloproof.records.report import DecisionReport, GateReport, RunReport
    from oloproof.reporting.terminal.page import Page

_DETAILS_AT: Final = 6


def write_gate_of(page: Page, report: RunReport) -> None:
    """The screen of `oloproof gate`: the gate of a stored run."""
    assert report.gate is not None, "a gate is only shown once it was decided"
    write_gate(page, report.gate, of=f"{report.project}, run {report.run} ({report.status}), ")


def write_gate(page: Page, gate: GateReport, *, of: str = "") -> None:
    """The verdict with its exit code, every decision in the order of the policy, and it again."""
    _write_verdict(page, gate)
    page.write((f"{of}policy {gate.policy}", "dim"))
    for decision in gate.decisions:
        page.gap()
        _write_decision(page, decision)
    for note in gate.notes:
        page.gap()
        page.write("Note: ", note, hang=_DETAILS_AT)
    page.gap()
    page.write(tally(Counter(decision.status for decision in gate.decisions)))
    _write_verdict(page, gate)


def _write_verdict(page: Page, gate: GateReport) -> None:
    page.write(word(gate.verdict), (f"  exit code {gate.exit_code}", "bold"))


def _write_decision(page: Page, decision: DecisionReport) -> None:
    seen = None if decision.status == "PASS" else decision.reason
    page.write(*headline(decision.status, decision.rule, seen), hang=_DETAILS_AT)
    with page.indented(_DETAILS_AT):
        page.write(f"{decision.metric}: {decision.requirement}")
        page.write(decision.detail)
