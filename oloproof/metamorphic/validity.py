"""Counts what people said of a transform's pairs; what that is worth is decided elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.suites.labels import Labels


class ValidityCount(NamedTuple):
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
    """The count over the digests of all pairs.

    Equal texts are one pair, however many cases have them: one label says one thing.
    """
    said = {} if labels is None else labels.kept
    distinct = set(pairs)
    labelled = distinct & said.keys()
    return ValidityCount(
        transform=transform,
        pairs=len(distinct),
        labelled=len(labelled),
        kept=sum(said[digest] for digest in labelled),
        strays=len(said) - len(labelled),
        labellers=() if labels is None else tuple(labels.labellers),
    )
