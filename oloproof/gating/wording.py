"""Numbers and counts as decisions tell them: short, and never rounded onto the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.statistics.intervals import effective_clusters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.statistics.tally import Tally


def shown(value: float, *apart: float) -> str:
    """`value` with three decimals, or as many more as keep it on its side of each of `apart`.

    Otherwise 0.79996 would stand as 0.8 in a sentence that says it is below 0.8.
    """
    text = ""
    for digits in range(3, 18):
        text = f"{value:.{digits}f}".rstrip("0").removesuffix(".")
        rounded = float(text)
        if all(
            (rounded < other) == (value < other) and (rounded > other) == (value > other)
            for other in apart
        ):
            break
    return text


def exact(value: float) -> str:
    """A number of the user's as the user wrote it."""
    return f"{value:.12g}"


def counted(number: int, noun: str) -> str:
    """`1 failure`, `2 failures`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def tell_reasons(reasons: Mapping[str, int]) -> str:
    """` (not_replayable 2, outcome_unknown 1)`, the most frequent first; nothing for none."""
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{word} {number:,}" for word, number in ordered)
    return f" ({told})" if told else ""


def tell_rate(tally: Tally) -> str:
    """`20 of 24 passed (0.833), 3 missing (not_replayable 3)`."""
    rate = tally.passed / tally.observed
    told = f"{tally.passed:,} of {tally.observed:,} passed ({shown(rate, 0, 1)})"
    if tally.missing:
        told += f", {tell_missing(tally)}"
    return told


def tell_clusters(tally: Tally) -> str:
    """`24 clusters`, and of how many equal ones they have the weight where these are fewer."""
    clusters = tally.clusters()
    number = sum(clusters.values())
    worth = effective_clusters(clusters)
    unequal = "" if worth == number else f" worth {shown(worth, round(worth))} equal ones"
    return counted(number, "cluster") + unequal


def tell_missing(tally: Tally) -> str:
    """`3 missing (not_replayable 3)`."""
    return f"{tally.missing:,} missing{tell_reasons(tally.missing_by_reason())}"
