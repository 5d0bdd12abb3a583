"""`replace`: certain texts stand in for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import AfterValidator

from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Callable


def _pair(texts: tuple[str, ...]) -> tuple[str, ...]:
    if len(texts) != 2 or not texts[0]:
        raise refuse(
            "an entry of `replace` is no pair of texts",
            fix='write `["old", "new"]`, where the old text is not empty',
        )
    return texts


def _some(pairs: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    if not pairs:
        raise refuse(
            "`replace` replaces nothing",
            fix='give at least one pair: `replace: [["old", "new"]]`',
        )
    return pairs


_Pair: TypeAlias = Annotated[tuple[str, ...], AfterValidator(_pair)]

Options: TypeAlias = Annotated[tuple[_Pair, ...], AfterValidator(_some)]
"""Pairs of an old text and the new one."""


def build(options: Options) -> Callable[[str], str]:
    """Replaces each old text by its new one, wherever it occurs, in one pass.

    What was put in is not looked at again. Where several old texts begin at one place, the
    one declared first is replaced.
    """
    pairs = [(old, new) for old, new in options]
    new_of = dict(reversed(pairs))  # of a text given twice, the first pair holds
    pattern = re.compile("|".join(re.escape(old) for old, _ in pairs))
    return lambda text: pattern.sub(lambda found: new_of[found.group()], text)
