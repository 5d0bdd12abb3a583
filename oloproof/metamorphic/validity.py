"""Counts what people said of a transform's pairs; what that is worth is decided elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.suites.labels import Labels


class ValidityCount(NamedTuple):
    """The pairs of a transform, how many were labelled, and of how many the meaning was kept.

    `strays` are the labels that name no pair, as after a text was edited, `unsigned` the lines
    that name nobody who says so; `labellers` are the people who labelled.
    """

    transform: str
    pairs: int
    labelled: int
    kept: int
    strays: int = 0
    unsigned: int = 0
    labellers: tuple[str, ...] = ()


def count_labels(transform: str, pairs: Iterable[str], labels: Labels) -> ValidityCount:
    """The count over the digests of all pairs.

    Equal texts are one pair, however many cases have them: one label says one thing.
    """
    distinct = set(pairs)
    labelled = distinct & labels.kept.keys()
    return ValidityCount(
        transform=transform,
        pairs=len(distinct),
        labelled=len(labelled),
        kept=sum(labels.kept[digest] for digest in labelled),
        strays=len(labels.kept) - len(labelled),
        unsigned=labels.unsigned,
        labellers=labels.labellers,
    )
