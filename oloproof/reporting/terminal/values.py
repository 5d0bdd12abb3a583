"""JSON values for people: on one line where they fit, indented where they do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeVar

from rich.cells import cell_len

from oloproof.canonical import decode, encode
from oloproof.paths import Absent
from oloproof.reporting.terminal.text import count, visible

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.reporting.terminal.page import Page, Part

T = TypeVar("T")

ABSENT: Final = "(absent)"
"""What stands for nothing being there; a text of these letters would stand in quotes."""

_CONTEXT_LINES: Final = 24
"""How many lines a value gets that decides nothing, unless more are asked for."""
_CONTEXT_ROWS: Final = 4
"""How many lines a text in it gets."""
_STEP: Final = 2


def compact(value: JsonValue) -> str:
    """A value on one line, with spaces after commas and colons so that it folds well."""
    return json.dumps(value, ensure_ascii=False)


def one_line(value: JsonValue | Absent) -> str:
    """Like `compact`, also for what is not there."""
    return ABSENT if isinstance(value, Absent) else compact(value)


def sorted_keys(value: JsonValue | Absent) -> JsonValue | Absent:
    """A value with the keys of its objects in order, so that two of them read side by side."""
    return value if isinstance(value, Absent) else decode(encode(value))


def size(value: JsonValue) -> str:
    """How large a value is as JSON."""
    size_bytes = len(encode(value))
    if size_bytes < 1000:
        return count(size_bytes, "byte")
    return f"{size_bytes / 1e3:.1f} kB" if size_bytes < 1e6 else f"{size_bytes / 1e6:.1f} MB"


def write_value(page: Page, value: JsonValue) -> None:
    """The whole of a value, however long: one that decides something."""
    for line in layout(value, page.width, page.encoding):
        page.write(line, hang=_hang(line))


def write_context(
    page: Page, value: JsonValue | Absent, *, rows: int = 1, at_most: int = _CONTEXT_LINES
) -> None:
    """A value that decides nothing: of one of more than `at_most` lines its two ends.

    It stays on one line, folded, where that gives at most `rows` of them.
    """
    if isinstance(value, Absent) or fits(one_line(value), page.width * rows, page.encoding):
        page.write(one_line(value))
        return
    shown = layout(_ends(value, page.width, at_most), page.width, page.encoding)
    half = at_most // 2
    if len(shown) > at_most:
        left_out = f"{page.dots} left out of {size(value)}; --json has all of it"
        shown = [*shown[:half], left_out, *shown[-half:]]
    for line in shown:
        page.write(_shortened(page, line), hang=_hang(line))


def _ends(value: JsonValue, width: int, at_most: int) -> JsonValue:
    """`value` with so many items left out that its first and last lines stay the same.

    What has so many items does not fit on one line, and then each takes one at least.
    """
    if isinstance(value, dict):
        names = _ends_of(list(value), width, at_most)
        return {name: _ends(value[name], width, at_most) for name in names}
    if isinstance(value, list):
        return [_ends(item, width, at_most) for item in _ends_of(value, width, at_most)]
    return value


def _ends_of(items: list[T], width: int, at_most: int) -> list[T]:
    few = max(width // len("1, "), 2 * at_most)
    return items if len(items) <= few else items[:at_most] + items[-at_most:]


def write_named(
    page: Page, name: Part, value: JsonValue | Absent, *, at: int, whole: bool = True
) -> None:
    """A name with a value beside it, or below it where the value takes several lines."""
    if isinstance(value, Absent) or fits(one_line(value), page.width - at, page.encoding):
        page.labelled(name, one_line(value), at=at)
    else:
        page.write(name)
        with page.indented(2):
            (write_value if whole else write_context)(page, value)


def layout(value: JsonValue, width: int, encoding: str = "utf-8") -> list[str]:
    """The lines of a value as JSON; only a text that is longer by itself exceeds `width`."""
    out: list[str] = []

    def lay(value: JsonValue, before: str, after: str, depth: int) -> None:
        indent = " " * min(_STEP * depth, width // 2)
        flat = f"{indent}{before}{compact(value)}{after}"
        if not isinstance(value, dict | list) or not value or fits(flat, width, encoding):
            out.append(flat)
            return
        items = (
            [(f"{compact(key)}: ", item) for key, item in value.items()]
            if isinstance(value, dict)
            else [("", item) for item in value]
        )
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        out.append(f"{indent}{before}{opening}")
        for number, (name, item) in enumerate(items, start=1):
            lay(item, name, "," if number < len(items) else "", depth + 1)
        out.append(f"{indent}{closing}{after}")

    lay(value, "", "", 0)
    return out


def fits(text: str, width: int, encoding: str) -> bool:
    """Whether a text takes at most `width` cells when it is shown."""
    return len(text) <= width and cell_len(visible(text, encoding)) <= width


def _shortened(page: Page, line: str) -> str:
    room = page.width * _CONTEXT_ROWS
    if len(line) <= room:
        return line
    left_out = count(len(line) - room, "character")
    note = f" {page.dots} {left_out} left out {page.dots} "
    return line[: room // 2] + note + line[-room // 2 :]


def _hang(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) + _STEP
