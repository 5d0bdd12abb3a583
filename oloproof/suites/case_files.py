"""The files that hold cases or recordings: .jsonl, read by line, and .json or YAML lists."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from oloproof.canonical import encode, encode_in_order
from oloproof.errors import ConfigurationError
from oloproof.suites.explanation import describe, value_at
from oloproof.suites.files import cannot_read, decode_text, read_bytes, without_mark
from oloproof.suites.json_lines import lines_of_items
from oloproof.suites.located import Document, parse_bytes, parse_document, read_document
from oloproof.suites.places import show_path, show_where
from oloproof.suites.yaml_text import is_doubtful

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oloproof.canonical import JsonValue

_WHAT: Final = "the dataset"
_ONE_LINE: Final = "write each object whole on one line of its own: {…}"


class CaseFile(Protocol):
    """A file of cases, each with its position (from 0), its line (from 1) and its raw value."""

    def read(
        self, *, see: Callable[[bytes], object] | None = None, mentioning: str | None = None
    ) -> Iterator[tuple[int, int, JsonValue]]:
        """The raw cases in order; `see` is given all bytes of the file on the way.

        With `mentioning`, cases that do not hold this text anywhere may be left out.
        """

    def document(self, position: int, line: int, raw: JsonValue) -> Document:
        """A case as a document of its own, with the lines that are known."""

    def bytes_of(self, position: int, offset: int, size: int) -> bytes:
        """One case as JSON, by its position or by where its line begins and how long it is."""


def open_cases(path: Path, what: str = _WHAT, items: str = "cases") -> CaseFile:
    """The file of cases at `path`, by the ending of its name; nothing is read yet.

    `what` names it in errors, and `items` what it holds.
    """
    if path.suffix == ".jsonl":
        return JsonLines(path, what)
    if path.suffix in (".json", ".yaml", ".yml"):
        return CaseList(path, what, items)
    raise ConfigurationError(
        f"{what} `{path.name}` is neither .jsonl, .json nor YAML",
        where=show_path(path),
        fix="name it by what it holds: .jsonl for one JSON object a line",
    )


class JsonLines:
    """One JSON object a line. Memory stays flat, however many lines there are."""

    def __init__(self, path: Path, what: str = _WHAT) -> None:
        self.path = path
        self.what = what

    def read(
        self, *, see: Callable[[bytes], object] | None = None, mentioning: str | None = None
    ) -> Iterator[tuple[int, int, JsonValue]]:
        """The value of each line. Empty lines may stand at the end only."""
        sought = None if mentioning is None else encode(mentioning)[1:-1]
        blank: int | None = None
        for position, line in enumerate(self._lines()):
            if see is not None:
                see(line)
            # A text stands in a line as itself, or with an escape that a backslash shows.
            if sought is not None and sought not in line and b"\\" not in line:
                continue
            if line.isspace():
                blank = self._blank(line, position + 1) if blank is None else blank
                continue
            if blank is not None:
                raise self._refused_blank(blank)
            yield position, position + 1, self._parse(line, position + 1)

    def document(self, position: int, line: int, raw: JsonValue) -> Document:  # noqa: ARG002
        """The line, which holds everything."""
        return Document(self.path, raw, {(): line}, "")

    def bytes_of(self, position: int, offset: int, size: int) -> bytes:
        """The line, without what stands around its JSON."""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                data = file.read(size).rstrip(b" \t\r\n")
        except (OSError, ValueError) as error:
            raise cannot_read(self.path, self.what, error) from None
        return data if position else without_mark(data)

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                yield from file
        except (OSError, ValueError) as error:
            raise cannot_read(self.path, self.what, error) from None

    def _parse(self, line: bytes, number: int) -> JsonValue:
        data = line.rstrip(b" \t\r\n")
        return parse_bytes(
            without_mark(data) if number == 1 else data,
            self.path,
            first_line=number,
            fix=None if data.endswith(b"}") else _ONE_LINE,
        )

    def _blank(self, line: bytes, number: int) -> int:
        if line.strip(b"\r\n"):
            raise self._refused_blank(number)
        return number

    def _refused_blank(self, number: int) -> ConfigurationError:
        return ConfigurationError(
            "the line holds nothing but white space",
            where=show_where(self.path, number),
            fix="remove the line",
        )


class CaseList:
    """A list of cases in one document, kept once it was read."""

    def __init__(self, path: Path, what: str = _WHAT, items: str = "cases") -> None:
        self.path = path
        self.what = what
        self.items = items

    def read(
        self,
        *,
        see: Callable[[bytes], object] | None = None,
        mentioning: str | None = None,  # noqa: ARG002  # nothing is saved by leaving cases out
    ) -> Iterator[tuple[int, int, JsonValue]]:
        """The items of the list."""
        data, items, lines = self._items
        if see is not None:
            see(data)
        for position, item in enumerate(items):
            yield position, lines[position], item

    def document(self, position: int, line: int, raw: JsonValue) -> Document:
        """The item, found by reading the file again with all its lines."""
        whole = read_document(self.path, self.what)
        lines = {at[1:]: found for at, found in whole.lines.items() if at[:1] == (position,)}
        written = {at[1:]: word for at, word in whole.written.items() if at[:1] == (position,)}
        return Document(self.path, raw, {(): line, **lines}, whole.digest, written)

    def bytes_of(self, position: int, offset: int, size: int) -> bytes:  # noqa: ARG002
        """The item of the list."""
        return encode_in_order(self._items[1][position])

    @cached_property
    def _items(self) -> tuple[bytes, list[JsonValue], list[int]]:
        data = read_bytes(self.path, self.what)
        if self.path.suffix == ".json":
            value = parse_bytes(without_mark(data), self.path)
            return data, self._list(value), lines_of_items(decode_text(data, self.path))
        document = parse_document(data, self.path)
        # Where any value may stand, nothing else would tell that a text was meant.
        for place, word in document.written.items():
            if is_doubtful(word):
                read = encode(value_at(document.value, place)).decode()
                raise ConfigurationError(
                    f"YAML reads `{word}` as {read}",
                    where=document.where(place),
                    fix=f'quote it: "{word}", or write {read}',
                )
        items = self._list(document.value)
        return data, items, [document.line_of((position,)) for position in range(len(items))]

    def _list(self, value: JsonValue) -> list[JsonValue]:
        if value is None or isinstance(value, list):
            return value or []
        raise ConfigurationError(
            f"{self.what} is {describe(value)}, not a list of {self.items}",
            where=show_where(self.path, 1),
            fix=f"write a list of objects, one for each of the {self.items}",
        )
