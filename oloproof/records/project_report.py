"""What is reported of a project that was laid out, and of what could be."""

from __future__ import annotations

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
