"""A user's YAML or JSON file as a value that knows the line of each of its places."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import digest
from oloproof.errors import ConfigurationError
from oloproof.suites import json_lines, json_text, yaml_text
from oloproof.suites.files import decode_text, read_bytes
from oloproof.suites.malformed import MalformedError
from oloproof.suites.places import show_where

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.suites.places import Place


class Document(NamedTuple):
    """The value of a file, the line (from 1) of its places, and the digest of its bytes.

    `written` holds the words of YAML that JSON would write differently, such as `no` or `1.10`.
    """

    path: Path
    value: JsonValue
    lines: Mapping[Place, int]
    digest: str
    written: Mapping[Place, str] = {}

    def line_of(self, place: Place) -> int:
        """The line of a place, or of the nearest known one around it."""
        for length in range(len(place), -1, -1):
            if (line := self.lines.get(place[:length])) is not None:
                return line
        return 1

    def where(self, place: Place = ()) -> str:
        """`file:line: field`."""
        return show_where(self.path, self.line_of(place), place)


def read_document(path: Path, what: str, *, fix: str | None = None) -> Document:
    """The file at `path`: JSON if its name ends so, else YAML. `what` names it in errors."""
    data = read_bytes(path, what, fix=fix)
    return parse_document(data, path)


def parse_document(data: bytes, path: Path) -> Document:
    """Like `read_document`, of bytes that were read from `path`."""
    text = decode_text(data, path)
    try:
        if path.suffix == ".json":
            value, lines = json_lines.parse_located(text)
            return Document(path, value, lines, digest(data))
        located = yaml_text.parse_located(text)
        return Document(path, located.value, located.lines, digest(data), located.written)
    except MalformedError as error:
        raise refused_at(error, path) from None


def parse_bytes(
    data: bytes, path: Path, *, first_line: int = 1, fix: str | None = None
) -> JsonValue:
    """The value of JSON whose first line is line `first_line` of the file at `path`.

    Fast, since it does not keep lines. Raises `ConfigurationError`, in which `fix` takes the
    place of the usual advice on malformed JSON.
    """
    try:
        return json_text.parse(data)
    except (MalformedError, UnicodeDecodeError) as error:
        decode_text(data, path, first_line=first_line)  # raises for what is no text at all
        if isinstance(error, UnicodeDecodeError):
            raise
        raise refused_at(error, path, first_line=first_line, fix=fix) from None


def refused_at(
    error: MalformedError, path: Path, *, first_line: int = 1, fix: str | None = None
) -> ConfigurationError:
    """The error of text whose first line is line `first_line` of the file at `path`."""
    return ConfigurationError(
        error.what,
        where=show_where(path, first_line - 1 + error.line, error.place),
        fix=fix or error.fix,
    )
