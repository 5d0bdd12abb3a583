"""A screen being laid out: lines of styled text, none wider than the page, none cut off."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.reporting.terminal.line import Line
from oloproof.reporting.terminal.text import lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Part: TypeAlias = str | tuple[str, str]
"""Text, plain or with the name of a style."""

MIN_WIDTH: Final = 40
FULL_WIDTH: Final = 80
_GAP: Final = 2
_GUTTER: Final = 5
_FANCY: Final = ("\u2502", "\u2026")
_PLAIN: Final = ("|", "...")


class Page:
    """Lines of one screen, `width` cells wide, for a terminal that writes `encoding`.

    Everything handed to it is treated as foreign: no markup is read, and what would not
    show itself is written as an escape.
    """

    def __init__(self, width: int = 80, encoding: str = "utf-8") -> None:
        self.width = max(width, MIN_WIDTH)
        self.encoding = encoding
        self.lines: list[Line] = []
        fancy = visible("".join(_FANCY), encoding) == "".join(_FANCY)
        self.bar, self.dots = _FANCY if fancy else _PLAIN
        self._margin = 0

    @property
    def text(self) -> str:
        """The lines as plain text."""
        return "\n".join(line.plain for line in self.lines)

    @contextmanager
    def indented(self, by: int = 2) -> Iterator[None]:
        """Sets what is written meanwhile `by` cells further in."""
        self._margin += by
        self.width -= by
        try:
            yield
        finally:
            self._margin -= by
            self.width += by

    def gap(self) -> None:
        """One empty line, unless there is one already or nothing yet."""
        if self.lines and self.lines[-1].plain:
            self.lines.append(Line())

    def write(self, *parts: Part, hang: int = 0) -> None:
        """A paragraph; lines after the first stand `hang` cells further in."""
        first, *others = self._wrapped(parts, self.width, hang)
        self._add(first)
        for line in others:
            self._add(_joined(Line((" " * hang, "")), line))

    def prose(self, text: str, style: str = "") -> None:
        """Text whose line breaks are kept."""
        for line in text.split("\n"):
            self.write((line, style))

    def labelled(self, label: Part, *parts: Part, at: int) -> None:
        """A label with a paragraph beside it, `at` cells in; a longer label stands above it."""
        head = self._text((label,))
        if head.cell_len >= at > 0:
            self.write(label)
            head = Line()
        for line in self._wrapped(parts, self.width - at):
            head.pad(at - head.cell_len)
            self._add(_joined(head, line))
            head = Line()

    def table(self, rows: Sequence[Sequence[Part]], align: str) -> None:
        """Rows in aligned columns, two cells apart; `align` has `l` or `r` for each column."""
        widths = self.widths(rows)
        for row in rows:
            self.row(row, widths, align)

    def widths(self, rows: Sequence[Sequence[Part]], *, name_limit: int | None = None) -> list[int]:
        """How wide each column is to be; where they do not fit, the widest is narrowed.

        First cells beyond `name_limit` are not counted: they get a line of their own.
        """
        sizes = [[self._text((part,)).cell_len for part in row] for row in rows]
        names = [row[0] for row in sizes if name_limit is None or row[0] <= name_limit]
        widths = [max(names, default=0)]
        widths += [max(column) for column in list(zip(*sizes, strict=True))[1:]]
        while sum(widths) + _GAP * (len(widths) - 1) > self.width and max(widths) > 1:
            widths[widths.index(max(widths))] -= 1
        return widths

    def row(self, row: Sequence[Part], widths: Sequence[int], align: str) -> None:
        """One row; a first cell wider than its column stands above, the others are folded."""
        cells = [self._text((part,)) for part in row]
        if cells[0].cell_len > widths[0]:
            for line in _cut(cells[0], self.width):
                self._add(line)
            cells[0] = Line()
        self.abreast([_cut(c, w) for c, w in zip(cells, widths, strict=True)], widths, align)

    def abreast(self, columns: Sequence[Sequence[Line]], widths: Sequence[int], align: str) -> None:
        """Columns of lines that are cut already, side by side, the shorter ones filled up."""
        for row in range(max(len(column) for column in columns)):
            line = Line()
            for at, (column, width, side) in enumerate(zip(columns, widths, align, strict=True)):
                cell = column[row] if row < len(column) else Line()
                space = width - cell.cell_len
                line.pad(_GAP if at else 0)
                line.pad(space if side == "r" else 0)
                line.extend(cell)
                line.pad(0 if side == "r" else space)
            self._add(line)

    def halves(self, *, label: int = 0) -> tuple[Page, Page] | None:
        """Two empty pages that `beside` can set side by side, or None on a narrow page."""
        if self.width + self._margin < FULL_WIDTH:
            return None
        half = (self.width - label - _GUTTER) // 2
        return self._column(half), self._column(half)

    def beside(
        self, left: Page, right: Page, *, label: Part = "", at: int = 0, mark: str = ""
    ) -> None:
        """Two halves side by side behind a label; `mark` points at them in the gutter."""
        head = self._text((label,))
        gutter = Line((self.bar.center(_GUTTER), ""))
        pointer = Line((mark.center(_GUTTER), "bold red")) if mark else gutter
        for row in range(max(len(left.lines), len(right.lines))):
            line = head if row == 0 else Line()
            line.pad(at - line.cell_len)
            near = left.lines[row] if row < len(left.lines) else Line()
            line.extend(near)
            line.pad(left.width - near.cell_len)
            line.extend(gutter if row else pointer)
            if row < len(right.lines):
                line.extend(right.lines[row])
            self._add(line)

    def _column(self, width: int) -> Page:
        page = Page(encoding=self.encoding)
        page.width = width
        return page

    def _text(self, parts: Sequence[Part]) -> Line:
        line = Line()
        for part in parts:
            content, style = (part, "") if isinstance(part, str) else part
            line.append(visible(content, self.encoding), style)
        return line

    def _wrapped(self, parts: Sequence[Part], width: int, hang: int = 0) -> list[Line]:
        text = self._text(parts)
        if not hang or text.cell_len <= width:
            return _cut(text, width)
        first = lines(text.plain, width)[0][1]
        head, rest = text.divide([first])
        return [head, *_cut(rest, width - hang)]

    def _add(self, line: Line) -> None:
        whole = _joined(Line((" " * self._margin, "")), line)
        whole.strip_end()
        self.lines.append(whole)


def _joined(first: Line, second: Line) -> Line:
    return Line(*first.pieces, *second.pieces)


def _cut(text: Line, width: int) -> list[Line]:
    """`text` in lines of at most `width` cells, without the space a line may end in."""
    ends = [end for _, end in lines(text.plain, width)]
    cut = text.divide(ends[:-1])
    for line in cut:
        line.strip_end(len(line.plain) - width)
    return cut
