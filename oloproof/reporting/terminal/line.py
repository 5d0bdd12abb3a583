"""One line of a screen: pieces of text, each plain or in a style.

`rich` has such a text as well, but importing it takes 8 ms, a thirtieth of what a command
costs at all. Only a terminal with colours needs it, for which the pieces are made into one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Line:
    """Text in pieces, each with the name of its style; an empty name is none."""

    def __init__(self, *pieces: tuple[str, str]) -> None:
        self.pieces: list[tuple[str, str]] = [piece for piece in pieces if piece[0]]

    @property
    def plain(self) -> str:
        """The text without its styles."""
        return "".join(text for text, _ in self.pieces)

    @property
    def cell_len(self) -> int:
        """How many cells of a terminal it takes."""
        return cell_len(self.plain)

    def append(self, text: str, style: str = "") -> None:
        """Adds text at the end."""
        if text:
            self.pieces.append((text, style))

    def extend(self, other: Line) -> None:
        """Adds another line at the end."""
        self.pieces += other.pieces

    def pad(self, spaces: int) -> None:
        """Adds so many spaces at the end, none where it is less than one."""
        self.append(" " * spaces)

    def strip_end(self, most: int | None = None) -> None:
        """Takes spaces off the end, of those that are there `most` at most."""
        plain = self.plain
        spaces = len(plain) - len(plain.rstrip(" "))
        kept = len(plain) - (spaces if most is None else max(0, min(most, spaces)))
        if kept < len(plain):
            self.pieces = self._between(0, kept)

    def divide(self, ends: Iterable[int]) -> list[Line]:
        """The lines that it falls into before the characters at `ends`, which ascend."""
        places: Sequence[int] = [0, *ends, len(self.plain)]
        return [Line(*self._between(start, end)) for start, end in pairwise(places)]

    def _between(self, start: int, end: int) -> list[tuple[str, str]]:
        found = []
        at = 0
        for text, style in self.pieces:
            if part := text[max(start - at, 0) : max(end - at, 0)]:
                found.append((part, style))
            at += len(text)
        return found
