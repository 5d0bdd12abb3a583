"""The path language: where in a JSON value a check looks.

`orders.ord-999.status`, `orders."key.with.dots"`, `items[0]`, `items[*].price` (every item
of a list, every value of an object), or a JSON Pointer (RFC 6901) such as `/orders/ord-999`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.canonical import equal, quote_key
from oloproof.errors import ConfigurationError
from oloproof.patches import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.canonical import JsonValue


class _Every:
    """The wildcard `[*]`."""

    def __repr__(self) -> str:
        return "[*]"

    def __reduce__(self) -> str:
        return "EVERY"  # a copy of it, or one from another process, is itself


class Absent:
    """The type of `MISSING`: nothing is there, which is neither null nor an empty value."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"  # a copy of it, or one from another process, is itself


EVERY: Final = _Every()
MISSING: Final = Absent()
Segment = str | int | _Every

_PLAIN = re.compile(r"[^.\[\]\"]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BRACKET = re.compile(r'\[(?:(0|[1-9][0-9]{0,17})|(\*)|"((?:[^"\\]|\\.)*)")\]', re.DOTALL)
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


class Path(NamedTuple):
    """A parsed path: keys are text, list indices are numbers, `[*]` is `EVERY`."""

    segments: tuple[Segment, ...]

    def __str__(self) -> str:
        return render(self.segments)

    def select(self, value: JsonValue) -> list[tuple[Path, JsonValue | Absent]]:
        """Each concrete place the path names in `value`, with what is there or `MISSING`.

        A path without wildcards gives exactly one place. A wildcard over something that has
        no items gives the path itself, as missing; over an empty container it gives nothing.
        """
        return [(Path(found), item) for found, item in _select(value, self.segments, ())]

    def get(self, value: JsonValue | Absent) -> JsonValue | Absent:
        """What is at the first place the path names, or `MISSING`."""
        found = value
        for segment in self.segments:
            if isinstance(segment, _Every):
                return next((item for _, item in _select(value, self.segments, ())), MISSING)
            found = child(found, segment)
        return found

    def changed(self, value: JsonValue, change: Callable[[Any], Any]) -> Any:
        """`value` with what `change` makes of each place that it has; `MISSING` takes it away.

        Only the containers on the way are copied.
        """
        return _changed(value, self.segments, change)

    def is_in(self, value: JsonValue) -> bool:
        """Whether there is anything at any place that the path names."""
        return any(item is not MISSING for _, item in _select(value, self.segments, ()))

    def breaks(self, value: JsonValue) -> Iterator[tuple[int, JsonValue]]:
        """Where the path leads no further: after how many segments, and what is there instead."""
        return _breaks(value, self.segments, 0)

    @property
    def has_wildcard(self) -> bool:
        """Whether it may name more than one place."""
        return EVERY in self.segments

    def covers(self, other: Path) -> bool:
        """Whether `other` is the same place as this path or lies below it."""
        if len(other.segments) < len(self.segments):
            return False
        return all(
            mine is EVERY or (theirs is not EVERY and str(mine) == str(theirs))
            for mine, theirs in zip(self.segments, other.segments, strict=False)
        )


def parse(text: str) -> Path:
    """The path that `text` names; `ConfigurationError` says where it cannot be read."""
    if text.startswith("/"):
        return Path(tuple(unescape(segment) for segment in text[1:].split("/")))
    segments: list[Segment] = []
    position = 0
    while position < len(text) or not segments:
        if segments and text[position] == ".":
            position += 1  # a segment must follow, and `_segment` refuses the end of the text
        elif segments and text[position] != "[":
            raise _unreadable(text, position)
        segment, position = _segment(text, position)
        segments.append(segment)
    return Path(tuple(segments))


def _segment(text: str, position: int) -> tuple[Segment, int]:
    if found := _BRACKET.match(text, position):
        index, every, quoted = found.groups()
        if index is not None:
            return int(index), found.end()
        return (EVERY if every else _unquote(quoted)), found.end()
    if found := _QUOTED.match(text, position):
        return _unquote(found.group(1)), found.end()
    if found := _PLAIN.match(text, position):
        return found.group(), found.end()
    raise _unreadable(text, position)


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _unreadable(text: str, position: int) -> ConfigurationError:
    return ConfigurationError(
        f"the path {text!r} cannot be read at character {position + 1}",
        fix="write keys with dots in between (`orders.ord-1`), quote keys that hold dots "
        '(`orders."a.b"`), and write list items as `[0]` or `[*]`',
    )


def render(segments: tuple[Segment, ...]) -> str:
    """The text of a path; parsing it gives the same segments."""
    out: list[str] = []
    for segment in segments:
        if segment is EVERY:
            out.append("[*]")
        elif isinstance(segment, int):
            out.append(f"[{segment}]")
        else:
            shown = quote_key(str(segment))
            out.append(f".{shown}" if out else shown)
    return "".join(out)


def under(path: str, key: str) -> str:
    """The text of the place under `key` of the place with the text `path`."""
    return f"{path}.{quote_key(key)}" if path else quote_key(key)


def from_pointer(pointer: str, value: JsonValue) -> Path:
    """The path of a JSON Pointer into `value`, with list positions as `[n]`."""
    segments: list[Segment] = []
    for raw in pointer[1:].split("/") if pointer else []:
        key = unescape(raw)
        if isinstance(value, list) and (index := list_index(key)) is not None:
            segments.append(index)
            value = value[index] if index < len(value) else None
        else:
            segments.append(key)
            value = value.get(key) if isinstance(value, dict) else None
    return Path(tuple(segments))


def to_pointer(path: Path) -> str:
    """The JSON Pointer of a path without wildcards."""
    return "".join(f"/{escape(str(segment))}" for segment in path.segments)


def _select(
    value: JsonValue | Absent, segments: tuple[Segment, ...], at: tuple[Segment, ...]
) -> Iterator[tuple[tuple[Segment, ...], JsonValue | Absent]]:
    if not segments:
        yield at, value
        return
    head, rest = segments[0], segments[1:]
    if isinstance(head, _Every):
        for key, item in children(value):
            yield from _select(item, rest, (*at, key))
        if not isinstance(value, dict | list):
            yield (*at, *segments), MISSING
        return
    found = child(value, head)
    if found is MISSING:
        yield (*at, *segments), MISSING
    else:
        index = list_index(head) if isinstance(value, list) else None
        yield from _select(found, rest, (*at, str(head) if index is None else index))


def _changed(value: Any, segments: tuple[Segment, ...], change: Callable[[Any], Any]) -> Any:
    if not segments:
        return change(value)
    head, rest = segments[0], segments[1:]
    keys: list[Any]
    if isinstance(head, _Every):
        keys = [key for key, _ in children(value)]
    elif child(value, head) is MISSING:
        return value
    else:
        keys = [list_index(head) if isinstance(value, list) else str(head)]
    made = value
    gone: set[Any] = set()
    for key in keys:
        item = _changed(value[key], rest, change)
        if item is MISSING:
            gone.add(key)
        elif item is not value[key]:
            made = value.copy() if made is value else made
            made[key] = item
    if gone and isinstance(value, list):
        return [item for index, item in enumerate(made) if index not in gone]
    return {key: item for key, item in made.items() if key not in gone} if gone else made


def _breaks(
    value: JsonValue, segments: tuple[Segment, ...], depth: int
) -> Iterator[tuple[int, JsonValue]]:
    if depth == len(segments):
        return
    segment = segments[depth]
    if isinstance(segment, _Every):
        below = [item for _, item in children(value)]
    else:
        found = child(value, segment)
        below = [] if isinstance(found, Absent) else [found]
    if not below:
        yield depth, value
    for item in below:
        yield from _breaks(item, segments, depth + 1)


def children(value: JsonValue | Absent) -> Iterator[tuple[str | int, JsonValue]]:
    """Each item of a list or object with its index or key; nothing of any other value."""
    if isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()


def child(value: JsonValue | Absent, segment: str | int) -> JsonValue | Absent:
    """What a value holds under a key or an index, or `MISSING`."""
    if isinstance(value, dict):
        return value.get(segment if isinstance(segment, str) else str(segment), MISSING)
    if isinstance(value, list) and (index := list_index(segment)) is not None:
        return value[index] if index < len(value) else MISSING
    return MISSING


def same(left: JsonValue | Absent, right: JsonValue | Absent) -> bool:
    """Equality by JSON value, where nothing equals nothing."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return left is right
    return equal(left, right)


def list_index(segment: str | int) -> int | None:
    """The list position that a segment names, or None: `7` and `"7"` do, `"07"` does not."""
    if isinstance(segment, int):
        return segment
    return int(segment) if _INDEX.fullmatch(segment) else None
