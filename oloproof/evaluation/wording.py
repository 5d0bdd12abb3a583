"""Values and differences in words, short enough for one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.canonical import encode_in_order
from oloproof.errors import shorten
from oloproof.paths import Absent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison


def show(value: JsonValue | Absent) -> str:
    """A value as JSON, cut where it is long; `nothing` where none is there."""
    if isinstance(value, Absent):
        return "nothing"
    return shorten(encode_in_order(value).decode())


def tell_difference(compared: Sequence[Comparison], whole: str) -> str:
    """The first failing place in words, and how many more there are; `whole` names the whole."""
    failing = [place for place in compared if not place.passed]
    first = failing[0]
    told = f"{first.path or whole} is {show(first.actual)}, not {show(first.expected)}"
    return told + told_more(failing)


def told_more(found: Sequence[object]) -> str:
    """How many there are beside the first."""
    return f" (and {len(found) - 1} more)" if len(found) > 1 else ""
