"""What is reported of a project that is laid out, and of a system that is checked."""

from __future__ import annotations

from typing import Literal

from oloproof.records.report import Report


class InitReport(Report):
    """What `init` wrote, and what to do next."""

    path: str
    written: list[str]
    next_steps: list[str]


class ExampleLine(Report):
    """One example that `init` can lay out."""

    name: str
    description: str


class ExampleList(Report):
    """The examples that `init` can lay out."""

    examples: list[ExampleLine]


class CheckReason(Report):
    """Why a system cannot be relied on to be replayed: a word, the place, and how to fix it.

    `case` is null where the system as a whole is meant; `where` says the place in words,
    `step` and `tool` name the call, `path` is a place in the sandbox.
    """

    reason: str
    case: str | None
    where: str | None
    step: int | None
    tool: str | None
    path: str | None
    detail: str
    fix: str


class CheckedCase(Report):
    """A case that was checked: its calls of tools, and how often it was replayed."""

    case: str
    outcome: str
    tool_calls: int
    states: int
    replays: int


class CheckReport(Report):
    """Whether a system can be replayed, and why not."""

    system: str
    replayable: bool
    method: Literal["recorded", "manual"] | None
    cases: list[CheckedCase]
    reasons: list[CheckReason]
    notes: list[str]
