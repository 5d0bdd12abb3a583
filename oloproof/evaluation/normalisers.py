"""What a comparison may overlook in texts: a small closed set, each word one function."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Normaliser = Literal["strip", "lower", "casefold", "collapse_whitespace", "nfc"]


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


NORMALISERS: Final[Mapping[Normaliser, Callable[[str], str]]] = {
    "strip": str.strip,
    "lower": str.lower,
    "casefold": str.casefold,
    "collapse_whitespace": _collapse_whitespace,
    "nfc": _nfc,
}
"""Without outer white space; in small letters; without case; runs of white space as one space,
none outside; in Unicode's composed form."""


def normalise(text: str, names: tuple[Normaliser, ...]) -> str:
    """`text` after each normaliser in turn."""
    for name in names:
        text = NORMALISERS[name](text)
    return text
