"""How a call of the system ended, and what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from oloproof.reporting.terminal.values import write_value

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.records.case_report import OutcomeReport
    from oloproof.reporting.terminal.page import Page


class WithOutput(Protocol):
    """A report of something that gave an output or not."""

    @property
    def has_output(self) -> bool:
        """Whether there is one; null is an output too."""

    @property
    def output(self) -> JsonValue:
        """What was given."""


def write_outcome(page: Page, outcome: OutcomeReport, claimed: str, *, at: int) -> None:
    """The outcome in a line or two, beside what the agent itself says of it."""
    during = f" during {outcome.phase}" if outcome.phase != "call" else ""
    page.labelled(
        ("outcome", "dim"),
        (outcome.status, "" if outcome.status == "completed" else "bold red"),
        f"{during}; the agent itself says {claimed}",
        at=at,
    )
    if outcome.error:
        page.labelled(("error", "dim"), outcome.error, at=at)
    if outcome.where:
        page.labelled(("where", "dim"), outcome.where, at=at)


def write_output(page: Page, given: WithOutput) -> None:
    """The whole output, or that there is none."""
    if not given.has_output:
        page.write("(none)")
    elif isinstance(given.output, str):
        page.prose(given.output)
    else:
        write_value(page, given.output)
