"""Pairs of a source and its copy: what identifies them, and what people read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.canonical import digest, encode

if TYPE_CHECKING:
    from oloproof.metamorphic.transforms import Transform
    from oloproof.suites.case import Case


def pair_digest(transform: Transform, source: Case, copy: Case) -> str:
    """What a label refers to: a change of the transform or of either text is another pair."""
    return digest(
        encode({"transform": transform.definition, "source": source.input, "copy": copy.input})
    )


def field_text(transform: Transform, case: Case) -> str:
    """The text of a case that the transform changes, or has changed."""
    return transform.text_of(case)
