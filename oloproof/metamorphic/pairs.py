"""Pairs of a source and its copy: what identifies them, and what people's labels say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import digest, encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.metamorphic.transforms import Transform
    from oloproof.records.case import Case
    from oloproof.suites.labels import Labels


def pair_digest(transform: Transform, source: Case, copy: Case) -> str:
    """What a label refers to: a change of the transform or of either text is another pair."""
    return digest(
        encode({"transform": transform.definition, "source": source.input, "copy": copy.input})
    )


def field_text(transform: Transform, case: Case) -> str:
    """The text of a case that the transform changes, or has changed."""
    return transform.text_of(case)


class ValidityCount(NamedTuple):
    """The pairs of a transform, how many were labelled, and of how many the meaning was kept.

    `strays` are the labels that name no pair, as after a text was edited, `unsigned` the lines
    that name nobody who says so; `labellers` are the people who labelled.
    """

    transform: str
    pairs: int
    labelled: int
    kept: int
    unmatched: int = 0
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
        unmatched=len(labels.kept) - len(labelled),
        unsigned=labels.unsigned,
        labellers=labels.labellers,
    )
