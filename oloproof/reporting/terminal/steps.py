"""How a call ended, and the steps of a trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from oloproof.canonical import equal
from oloproof.reporting.terminal.values import (
    compact,
    fits,
    write_context,
    write_named,
    write_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.records.case_report import OutcomeReport
    from oloproof.reporting.terminal.page import Page, Part

    Step: TypeAlias = Mapping[str, Any]
    """A step with the fields of `AgentStep`, those left out that have their default."""


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


COMPARED: Final = ("kind", "agent", "turn", "tool_name", "arguments", "result", "error")
"""The fields in which a replay is held against its recording."""

_BESIDE: Final = (
    "error",
    "status",
    "to_agent",
    "state_revision",
    "state_update",
    "claims",
    "artefact",
    "metadata",
)
_ROWS: Final = 3


def first_difference(left: Step, right: Step) -> str | None:
    """The first field in which two steps differ for a replay, or None."""
    return next((f for f in COMPARED if not equal(left.get(f), right.get(f))), None)


def write_steps(page: Page, steps: Sequence[Step], *, first: int = 1) -> None:
    """The steps from number `first` on, each with its number."""
    at = len(str(len(steps))) + 2
    turn = None
    for number, step in enumerate(steps[first - 1 :], start=first):
        if step.get("turn") != turn:
            turn = step.get("turn")
            page.write((f"turn {turn}", "dim"))
        write_step(page, step, (f"{number}", "dim"), at=at)


def write_step(page: Page, step: Step, label: Part = "", *, at: int = 0) -> None:
    """What a step is and carries; long values are shortened, as checks show what they compare."""
    carried = [step[name] for name in ("arguments", "result") if step.get(name) is not None]
    title = _title(step)
    if len(carried) == 1 and _is_short(title, carried[0], page.width - at, page.encoding):
        title.append(f"  {compact(carried.pop())}")
    page.labelled(label, *title, at=at)
    with page.indented(at):
        for value in carried:
            write_context(page, value, rows=_ROWS)
        if (fault := step.get("fault")) is not None:
            page.labelled(("fault", "red"), _fault(step, fault), at=7)
        for name in _BESIDE:
            if _is_told(step, name):
                style = "red" if name == "error" else "dim"
                write_named(page, (name, style), step[name], at=len(name) + 2, whole=False)


def _is_told(step: Step, name: str) -> bool:
    """Whether a field is worth a line: no default, and no status that others tell better.

    Almost every call is executed; and what a fault did to the effect stands with the fault.
    """
    value = step.get(name)
    if name == "status" and (value == "executed" or step.get("fault") is not None):
        return False
    return value not in (None, [], {})


def _title(step: Step) -> list[Part]:
    parts: list[Part] = [(str(step.get("kind")), "bold")]
    if step.get("tool_name") is not None:
        parts.append(f"  {step['tool_name']}")
    if step.get("agent") is not None:
        parts.append(f"  by {step['agent']}")
    return parts


def _fault(step: Step, delivery: Step) -> str:
    applied = "; the effect happened" if delivery.get("applied") else "; the effect did not happen"
    effect = "" if step["kind"] == "decision" else applied  # a model has none
    seen = "" if delivery.get("visible", True) else ", not visible to the agent"
    return f"{delivery.get('fault')}, {delivery.get('as')}{effect}{seen}"


def _is_short(title: list[Part], value: JsonValue, width: int, encoding: str) -> bool:
    used = sum(len(part if isinstance(part, str) else part[0]) for part in title)
    return fits(compact(value), width - used - 2, encoding)
