"""Two texts side by side, with the words marked in which they differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from oloproof.reporting.terminal.page import Page

if TYPE_CHECKING:
    from oloproof.reporting.terminal.page import Part

Mark = Literal["same", "removed", "added"]

# Scripts written without spaces: there every character counts as a word.
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\s+|[^\w\s]")


def difference(source: str, copy: str) -> list[tuple[Mark, str]]:
    """`source` and `copy` as stretches of words that are the same, removed or added.

    All but the added ones joined are the source, all but the removed ones the copy.
    """
    old, new = _WORD.findall(source), _WORD.findall(copy)
    # What is shared from the start is never read as shared with something further on.
    pairs = zip(old, new, strict=False)
    start = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
    # Beyond 200 words the default would ignore the frequent ones, and so mark too much.
    codes = SequenceMatcher(None, old[start:], new[start:], autojunk=False).get_opcodes()
    changes = [("".join(old[:start]), "".join(new[:start]), True)]
    changes += [
        ("".join(old[start + i : start + j]), "".join(new[start + k : start + m]), kind == "equal")
        for kind, i, j, k, m in codes
    ]
    stretches: list[tuple[Mark, str]] = []
    removed = added = ""
    for number, (was, now, same) in enumerate(changes):
        following = changes[number + 1][:2] if number + 1 < len(changes) else ("", "")
        if same and not _joins(was, (removed, added), following):
            stretches += [("removed", removed), ("added", added), ("same", was)]
            removed = added = ""
        else:
            removed, added = removed + was, added + now
    stretches += [("removed", removed), ("added", added)]
    return [(mark, text) for mark, text in stretches if text]


def _joins(between: str, before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Whether two changes with only a space between them read better as one."""
    changed = all((was + then).strip() for was, then in zip(before, after, strict=True))
    return between.isspace() and any(before) and any(after) and changed


def source_parts(stretches: list[tuple[Mark, str]]) -> list[Part]:
    """The source with what the copy does not have marked `[-so-]`."""
    return [
        (f"[-{text}-]", "red") if mark == "removed" else text
        for mark, text in stretches
        if mark != "added"
    ]


def copy_parts(stretches: list[tuple[Mark, str]]) -> list[Part]:
    """The copy with what the source does not have marked `{+so+}`."""
    return [
        (f"{{+{text}+}}", "green") if mark == "added" else text
        for mark, text in stretches
        if mark != "removed"
    ]


Writer: TypeAlias = Callable[[Page], None]
"""Writes one side of a row onto the page, or the half of a page, that it is given."""

_POINTER: Final = ">>>"
_SAME: Final[Part] = ("same", "dim")


class Sides:
    """Rows of two sides called `names`, with labels `at` cells wide before them."""

    def __init__(self, page: Page, names: tuple[str, str], *, at: int = 0) -> None:
        self._page = page
        self._names = names
        self._at = at
        if halves := page.halves(label=at):
            for half, name in zip(halves, names, strict=True):
                half.write((name, "bold"))
            page.beside(*halves, at=at)

    def row(
        self, label: str, left: Writer, right: Writer | None, *, pointed_at: bool = False
    ) -> None:
        """One row; without a `right` writer it is said that the right side is the same."""
        mark = _POINTER if pointed_at else ""
        if (halves := self._page.halves(label=self._at)) is None:
            self._row_below(label, left, right, mark)
            return
        left(halves[0])
        (right or _write_same)(halves[1])
        self._page.beside(*halves, label=(label, "dim"), at=self._at, mark=mark)

    def _row_below(self, label: str, left: Writer, right: Writer | None, mark: str) -> None:
        both = f"{self._names[0]} and {self._names[1]}"
        page, indent = self._page, max(self._at, len(_POINTER) + 1)
        page.labelled((label, "dim"), (self._names[0] if right else both, "dim"), at=indent)
        with page.indented(indent):
            left(page)
        if right is not None:
            page.labelled((mark, "bold red"), (self._names[1], "dim"), at=indent)
            with page.indented(indent):
                right(page)


def _write_same(page: Page) -> None:
    page.write(_SAME)
