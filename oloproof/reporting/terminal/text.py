"""Text of the user's, made safe to show, and numbers as people read them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oloproof.records.report import Interval


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 case`, `24 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int]) -> str:
    """Counts by name, the most frequent first: `22 completed, 2 raised`."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {name}" for name, number in ordered)


def fraction(value: float | None, *apart: float) -> str:
    """A rate or bound with three decimals, as policies write them.

    It gets as many more as keep it on its side of 0, of 1 and of each of `apart`: 0.84996 is
    not shown as 0.850 beside a bar of 0.85.
    """
    if value is None:
        return "none"
    for digits in range(3, 18):
        shown = round(value, digits)
        if all((shown < x, shown > x) == (value < x, value > x) for x in (0, 1, *apart)):
            break
    return f"{value:.{digits}f}"


def interval(value: Interval | None) -> str:
    """The bounds of an interval."""
    return "none" if value is None else f"{fraction(value.low)} to {fraction(value.high)}"


def level(value: float) -> str:
    """A confidence level: `95 %`."""
    return f"{value * 100:.6g} %"


def duration(seconds: float) -> str:
    """A duration to the precision that matters."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def moment(stamp: str) -> str:
    """An ISO 8601 moment to the minute; what is none is shown as it stands."""
    try:
        parsed = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    shown = parsed.isoformat(sep=" ", timespec="minutes")
    return shown.replace("+00:00", "Z")


def size(size_bytes: int) -> str:
    """A size in bytes to three digits: `12.3 MB`; a thousand bytes are a kB."""
    amount = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        digits = 0 if unit == "B" else max(0, 3 - len(str(int(amount))))
        if round(amount, digits) < 1000:
            return f"{amount:.{digits}f} {unit}"
        amount /= 1000
    return f"{amount:,.3g} TB"


_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TOKEN: Final = re.compile(r"[^ ]+ ?| +")
_WIDENS: Final = "\ufe0f"  # after a narrow symbol it asks for the wide form
_SEAMS: Final = "/_.,:;-"
_SEAM_REACH: Final = 16


def visible(text: str, encoding: str = "utf-8") -> str:
    r"""`text` with every character that does not show itself written as an escape.

    These are control characters (so no text can move the cursor or set a colour), marks
    that reorder or join text, spaces other than the plain one, and what `encoding` lacks:
    `\n`, `\t`, `\u001b`, `\u200d`.
    """
    if text.isprintable() and _encodable(text, encoding):
        return text
    return "".join(
        char if char.isprintable() and _encodable(char, encoding) else escaped(char)
        for char in text
    )


def escaped(char: str) -> str:
    """One character as an escape that JSON and Python read alike."""
    code = ord(char)
    return _SHORT.get(char) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


def _encodable(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def lines(text: str, width: int) -> list[tuple[int, int]]:
    """Where the lines of `text` start and end when none may be wider than `width` cells.

    Words stay whole where they fit and are folded where they do not. The lines joined are
    the text again, character by character; one space may stand beyond the width, at an end.
    """
    found: list[tuple[int, int]] = []
    start = used = 0
    for token in _TOKEN.finditer(text):
        word = token.group().removesuffix(" ") or token.group()
        size = cell_len(word)
        if used and used + size > width:
            found.append((start, token.start()))
            start, used = token.start(), 0
        if size > width:
            for seam in _folds(text, token.start(), token.start() + len(word), width):
                found.append((start, seam))
                start = seam
        used = cell_len(text[start : token.end()])
    found.append((start, len(text)))
    return found


def hanging(text: str, width: int, hang: int) -> list[str]:
    """`text` in lines of at most `width` cells, those after the first `hang` cells further in.

    Words stay whole, so that a path can be copied: one that fits on no line exceeds its own.
    """
    found: list[str] = []
    line, used = "", 0
    for number, word in enumerate(text.split(" ")):
        size = cell_len(word)
        if word and used + 1 > hang and used + 1 + size > width:
            found.append(line.rstrip(" "))
            line, used = " " * hang + word, hang + size
        else:
            line, used = (f"{line} {word}", used + 1 + size) if number else (word, size)
    return [*found, line.rstrip(" ")]


def _folds(text: str, start: int, end: int, width: int) -> Iterator[int]:
    """Where a word wider than a line is folded: after a seam where one is near, else anywhere."""
    used = 0
    position = start
    while position < end:
        char = text[position]
        size = 1 if char == _WIDENS else cell_len(char)
        if used + size > width and position > start:
            seam = _seam(text, start, position)
            yield seam
            start, used = seam, cell_len(text[seam:position])
        used += size
        position += 1


def _seam(text: str, start: int, end: int) -> int:
    for position in range(end - 1, max(start, end - _SEAM_REACH), -1):
        if text[position] in _SEAMS:
            return position + 1
    return end
