"""Two things beside each other, row by row; one below the other on a narrow page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.reporting.terminal.page import Page

if TYPE_CHECKING:
    from oloproof.reporting.terminal.page import Part

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
