"""What `oloproof init` wrote, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oloproof.records.project_report import ExampleList, InitReport
    from oloproof.reporting.terminal.page import Page


def write_init(page: Page, report: InitReport) -> None:
    """The files written, and the next steps in order."""
    page.write(("written to ", "bold"), report.path)
    with page.indented():
        for name in report.written:
            page.write(name, hang=2)
    page.gap()
    page.write(("next", "bold"))
    with page.indented():
        for number, step in enumerate(report.next_steps, start=1):
            page.labelled((f"{number}", "dim"), step, at=len(str(len(report.next_steps))) + 2)


def write_examples(page: Page, report: ExampleList) -> None:
    """The examples that `oloproof init --example NAME` can lay out."""
    for example in report.examples:
        page.write((example.name, "bold"))
        with page.indented():
            page.write(example.description)
    page.gap()
    page.write("`oloproof init --example NAME` lays one out.")
