"""The keywords of JSON Schema (draft 2020-12), and words that are most likely one misspelt."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from oloproof.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas", "$defs")
"""The keywords that hold schemas by name."""

LISTED: Final = ("prefixItems", "allOf", "anyOf", "oneOf")
"""Those that hold a list of schemas."""

SINGLE: Final = ("items", "contains", "not", "if", "then", "else", "additionalProperties")
"""Those that hold one schema, of what an error can name the place of."""

_OTHER: Final = ("propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema")
_ANNOTATIONS: Final = frozenset(
    {"comment", "definitions", "dependencies", "example", "id", "note", "notes"}
)
"""Words of other drafts and of people that are like a keyword, and mean none."""

_VOCABULARIES: Final = "https://json-schema.org/draft/2020-12/"

_ALIKE: Final = 0.8
"""From here on a word counts as misspelt: `propertis` is, and `owner` (for `oneOf`) is not."""


def misspelt(schema: Any, at: str = "") -> Iterator[tuple[str, str, str]]:
    """Each word that is like a keyword and is none, with that keyword and the JSON Pointer."""
    if not isinstance(schema, dict):
        return
    keywords = _keywords()
    for word in schema:
        near = None if word in keywords | _ANNOTATIONS or word[:2] == "x-" else _meant(word)
        if near is not None:
            yield word, near, at
    for keyword, held in schema.items():
        if keyword in BY_NAME and isinstance(held, dict):
            for name, part in held.items():
                yield from misspelt(part, f"{at}/{keyword}/{name}")
        elif keyword in LISTED and isinstance(held, list):
            for position, part in enumerate(held):
                yield from misspelt(part, f"{at}/{keyword}/{position}")
        elif keyword in (*SINGLE, *_OTHER):
            yield from misspelt(held, f"{at}/{keyword}")


@cache
def _keywords() -> frozenset[str]:
    """Every keyword that the draft's own schemas declare."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it has no types

    declared = (REGISTRY.contents(uri) for uri in REGISTRY if uri.startswith(_VOCABULARIES))
    return frozenset(word for meta in declared for word in meta.get("properties", ()))


def _meant(word: str) -> str | None:
    """The keyword that a word is most likely to be; None for one of somebody's own."""
    from difflib import SequenceMatcher  # few schemas have such words

    near = nearest(word, _keywords())
    if near is None or word in ("min", "max"):
        return near
    alike = SequenceMatcher(None, word.casefold(), near.casefold()).ratio()
    return near if alike >= _ALIKE else None
