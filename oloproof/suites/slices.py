"""Slices: how cases are divided into ranges for a descriptive table."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError, suggest
from oloproof.paths import EVERY, Absent, Path, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.canonical import JsonValue

Count = Literal["tool_calls", "trajectory_length"]
SliceKind = Literal["tool_calls", "trajectory_length", "metadata"]

_COUNTS: Final[tuple[Count, ...]] = get_args(Count)
_USUAL: Final = (
    "write `tool_calls:1,2` (ranges <=1, 2, >=3), `trajectory_length:2,4` or `metadata.PATH`"
)


class SliceSpec(NamedTuple):
    """One slice: a count divided at `bounds`, or the values at `path` in the metadata."""

    text: str
    kind: SliceKind
    bounds: tuple[int, ...] = ()
    path: Path | None = None

    def ranges(self) -> tuple[str, ...]:
        """The labels of its ranges in order; none for metadata, whose values are not known yet."""
        return tuple(map(self._range, range(len(self.bounds) + 1))) if self.bounds else ()

    def _range(self, position: int) -> str:
        """The label of one range, which begins after the bound before it."""
        if position == 0:
            return f"<={self.bounds[0]}"
        first = self.bounds[position - 1] + 1
        if position == len(self.bounds):
            return f">={first}"
        last = self.bounds[position]
        return str(last) if first == last else f"{first}-{last}"

    def place(
        self,
        *,
        tool_calls: int | None,
        trajectory_length: int | None,
        metadata: Mapping[str, JsonValue] | None,
    ) -> str | None:
        """The label of the range that a case falls into, or None where that is not known."""
        if self.path is not None:
            found = self.path.get(dict(metadata or {}))
            return None if isinstance(found, Absent) else _label(found)
        count = tool_calls if self.kind == "tool_calls" else trajectory_length
        return None if count is None else self._range(bisect_left(self.bounds, count))


def parse_slice(text: str) -> SliceSpec:
    """The slice that `text` declares; `ConfigurationError` says what cannot be read."""
    kind, colon, bounds = text.partition(":")
    for count in _COUNTS:
        if kind.strip() == count:
            return SliceSpec(text, count, bounds=_bounds(text, bounds))
    if text.startswith("metadata."):
        return SliceSpec(text, "metadata", path=_metadata_path(text))
    head = kind.strip() if colon else re.split(r"[.\[]", text, maxsplit=1)[0]
    raise ConfigurationError(
        f"the slice `{text}` divides by nothing that is known",
        fix=f"{suggest(head, (*_COUNTS, 'metadata'))} {_USUAL}",
    )


def _bounds(text: str, bounds: str) -> tuple[int, ...]:
    parts = [part.strip() for part in bounds.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        raise ConfigurationError(f"the slice `{text}` has no list of whole numbers", fix=_USUAL)
    numbers = tuple(int(part) for part in parts)
    pairs = zip((0, *numbers), numbers, strict=False)
    if not all(before < after for before, after in pairs):
        raise ConfigurationError(
            f"the numbers of the slice `{text}` do not grow from 1 upwards",
            fix="write positive numbers, each greater than the one before",
        )
    return numbers


def _metadata_path(text: str) -> Path:
    path = Path(parse(text).segments[1:])
    if EVERY in path.segments:
        raise ConfigurationError(
            f"the slice `{text}` names many values of one case",
            fix="name one value: a path without `[*]`",
        )
    return path


def _label(value: JsonValue) -> str:
    return value if isinstance(value, str) else encode(value).decode()
