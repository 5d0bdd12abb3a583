"""The table that the benchmarks print: what was measured beside what it may be at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One measured thing: `amount` in `unit`, and the `target` it must not exceed, if any.

    `raw` is what was measured before it was divided by what it is compared with.
    """

    name: str
    amount: float
    unit: str
    target: float | None = None
    raw: str = ""


HEADER = f"{'':<58}{'measured':>14}{'at most':>12}  "


def show(line: Line) -> str:
    """A line of the table."""
    amount = f"{line.amount:.2f} {line.unit}"
    target = "" if line.target is None else f"{line.target:g} {line.unit}"
    missed = line.target is not None and line.amount > line.target
    return (
        f"{line.name:<58}{amount:>14}{target:>12}  {'MISSED ' if missed else '       '}{line.raw}"
    )
