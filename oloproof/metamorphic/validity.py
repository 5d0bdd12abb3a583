"""Counts what people said of a transform's pairs; what that is worth is decided elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.suites.labels import Labels


@dataclass(frozen=True, slots=True)
class ValidityCount:
    """The pairs of a transform, how many were labelled, and of how many the meaning was kept.

    `strays` are the labels that name no pair, as after a text was edited; `labellers` are
    the people who labelled.
    """

    transform: str
    pairs: int
    labelled: int
    kept: int
    strays: int
    labellers: tuple[str, ...]


def count_labels(transform: str, pairs: Iterable[str], labels: Labels | None) -> ValidityCount:
    """The count over the digests of all pairs; two pairs with one digest share its label."""
    said = {} if labels is None else labels.kept
    total = labelled = kept = 0
    seen: set[str] = set()
    for digest in pairs:
        total += 1
        if digest in said:
            labelled += 1
            kept += said[digest]
            seen.add(digest)
    return ValidityCount(
        transform=transform,
        pairs=total,
        labelled=labelled,
        kept=kept,
        strays=len(said) - len(seen),
        labellers=() if labels is None else tuple(labels.labellers),
    )
