"""Counts, rates, durations and moments in words, the same on every screen."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.records.report import Interval


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 case`, `24 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int]) -> str:
    """Counts by name, the most frequent first: `22 completed, 2 raised`."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {name}" for name, number in ordered)


def fraction(value: float | None, *apart: float) -> str:
    """A rate or bound with three decimals, as policies write them.

    It gets as many more as keep it on its side of 0, of 1 and of each of `apart`: 0.84996 is
    not shown as 0.850 beside a bar of 0.85.
    """
    if value is None:
        return "none"
    for digits in range(3, 18):
        shown = round(value, digits)
        if all((shown < x, shown > x) == (value < x, value > x) for x in (0, 1, *apart)):
            break
    return f"{value:.{digits}f}"


def interval(value: Interval | None) -> str:
    """The bounds of an interval."""
    return "none" if value is None else f"{fraction(value.low)} to {fraction(value.high)}"


def level(value: float) -> str:
    """A confidence level: `95 %`."""
    return f"{value * 100:.6g} %"


def duration(seconds: float) -> str:
    """A duration to the precision that matters."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def moment(stamp: str) -> str:
    """An ISO 8601 moment to the minute; what is none is shown as it stands."""
    try:
        parsed = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    shown = parsed.isoformat(sep=" ", timespec="minutes")
    return shown.replace("+00:00", "Z")


def size(size_bytes: int) -> str:
    """A size in bytes to three digits: `12.3 MB`; a thousand bytes are a kB."""
    amount = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        digits = 0 if unit == "B" else max(0, 3 - len(str(int(amount))))
        if round(amount, digits) < 1000:
            return f"{amount:.{digits}f} {unit}"
        amount /= 1000
    return f"{amount:,.3g} TB"
