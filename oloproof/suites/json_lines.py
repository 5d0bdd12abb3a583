"""Strict JSON read place by place: slow, but it knows the line of everything.

Refused are what other readers let pass in silence: a key given twice, numbers that are not
finite, integers beyond 64 bits, nesting beyond `MAX_DEPTH`, text that is not Unicode.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final

from oloproof.canonical import MAX_DEPTH
from oloproof.errors import shorten
from oloproof.suites.malformed import MalformedError

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.suites.places import Place

_INTEGER_RANGE: Final = (-(2**63), 2**64)
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD: Final = re.compile(r"[^\s,:\[\]{}\"]+")
_SHOWN: Final = 40  # characters of a word that cannot be read
_decode: Final = json.JSONDecoder().raw_decode


def parse_located(text: str) -> tuple[JsonValue, dict[Place, int]]:
    """The value of strict JSON, and the line (from 1) of every place in it.

    The line of an object's entry is that of its key. Raises `MalformedError`.
    """
    reader = _Reader(text)
    value = reader.read_value(())
    reader.skip_space()
    if reader.position < len(text):
        raise reader.malformed(
            f"after the JSON value comes {shorten(reader.next_word(), _SHOWN)!r}",
            "keep one JSON value",
        )
    return value, reader.lines


def lines_of_items(text: str) -> list[int]:
    """The line (from 1) of each item of the list that `text`, known to be strict JSON, holds."""
    lines: list[int] = []
    position, counted, line = text.index("[") + 1, 0, 1
    while True:
        position = _after_space(text, position)
        if text[position] == "]":
            return lines
        line += text.count("\n", counted, position)
        counted = position
        lines.append(line)
        position = _after_space(text, _decode(text, position)[1])
        position += text[position] == ","


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    assert found is not None  # the pattern matches the empty text
    return found.end()


class _Reader:
    """A position in the text, moved on by each `read_…`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.lines: dict[Place, int] = {}
        self._counted = (0, 1)

    def line(self) -> int:
        """The line at the position; counts on from the last call, since positions only grow."""
        counted, line = self._counted
        line += self.text.count("\n", counted, self.position)
        self._counted = (self.position, line)
        return line

    def malformed(self, what: str, fix: str, place: Place = ()) -> MalformedError:
        return MalformedError(what, line=self.line(), fix=fix, place=place)

    def skip_space(self) -> str:
        """The next character that is no white space, or nothing at the end."""
        self.position = _after_space(self.text, self.position)
        return self.text[self.position : self.position + 1]

    def next_word(self) -> str:
        found = _WORD.match(self.text, self.position)
        return found.group() if found else self.text[self.position : self.position + 1]

    def read_value(self, place: Place) -> JsonValue:
        character = self.skip_space()
        self.lines.setdefault(place, self.line())
        if character == "{":
            return self.read_object(place)
        if character == "[":
            return self.read_list(place)
        if character == '"':
            return self.read_string(place)
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self.next_word() == word:
                self.position += len(word)
                return value
        return self.read_number(place)

    def open_container(self, place: Place) -> None:
        if len(place) >= MAX_DEPTH:
            raise self.malformed(
                f"the value is nested more than {MAX_DEPTH} levels deep",
                "write a flatter value",
                place[:3],
            )
        self.position += 1

    def read_object(self, place: Place) -> dict[str, JsonValue]:
        self.open_container(place)
        out: dict[str, JsonValue] = {}
        if self.skip_space() == "}":
            self.position += 1
            return out
        while True:
            if self.skip_space() != '"':
                raise self.unexpected("a key in double quotes", place)
            line = self.line()
            key = self.read_string(place)
            if key in out:
                first = self.lines[(*place, key)]
                # Of a line in a file of lines, only the file's reader knows the number.
                before = "on the same line" if first == line else f"in line {first}"
                raise MalformedError(
                    f"the key `{key}` is given twice",
                    line=line,
                    fix=f"keep one of them (the first is {before})",
                    place=(*place, key),
                )
            self.lines[(*place, key)] = line
            if self.skip_space() != ":":
                raise self.unexpected("`:` after the key", (*place, key))
            self.position += 1
            out[key] = self.read_value((*place, key))
            if self.ends("}", place):
                return out

    def read_list(self, place: Place) -> list[JsonValue]:
        self.open_container(place)
        out: list[JsonValue] = []
        if self.skip_space() == "]":
            self.position += 1
            return out
        while True:
            out.append(self.read_value((*place, len(out))))
            if self.ends("]", place):
                return out

    def ends(self, bracket: str, place: Place) -> bool:
        """Whether the container ends here; if not, a comma must follow."""
        character = self.skip_space()
        if character not in (bracket, ","):
            raise self.unexpected(f"`,` or `{bracket}`", place)
        self.position += 1
        if character == "," and self.skip_space() == bracket:
            raise self.malformed(
                f"a comma stands before `{bracket}`", "JSON allows none after the last item", place
            )
        return character == bracket

    def read_string(self, place: Place) -> str:
        try:
            value, end = _decode(self.text, self.position)
        except json.JSONDecodeError as error:
            self.position = max(self.position, min(error.pos, len(self.text)))
            raise self.malformed(
                f"a text cannot be read: {error.msg.removesuffix(' at')}",
                "close it with a double quote, write line breaks as \\n and a backslash as \\\\",
                place,
            ) from None
        assert isinstance(value, str)  # the position is at a quote
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self.malformed(
                "a text is not Unicode: it holds half of a surrogate pair",
                "write the character itself, or both halves",
                place,
            ) from None
        self.position = end
        return value

    def read_number(self, place: Place) -> int | float:
        found = _NUMBER.match(self.text, self.position)
        word = self.next_word()
        if found is None or found.group() != word:
            raise self.unexpected("a JSON value", place)
        if found.group(1) is None and found.group(2) is None:
            return self.read_integer(word, place)
        number = float(word)
        if not math.isfinite(number):
            raise self.malformed(
                f"the number {shorten(word, _SHOWN)} is beyond what a float can hold",
                "use null or text for a number that is not finite",
                place,
            )
        self.position = found.end()
        return number

    def read_integer(self, word: str, place: Place) -> int:
        low, high = _INTEGER_RANGE
        # int() itself refuses thousands of digits; 20 are already too many or just enough.
        if len(word) > 20 or not low <= int(word) < high:
            raise self.malformed(
                f"the integer {shorten(word, _SHOWN)} does not fit into 64 bits",
                "give integers beyond 64 bits as text",
                place,
            )
        self.position += len(word)
        return int(word)

    def unexpected(self, wanted: str, place: Place) -> MalformedError:
        word = self.next_word()
        if not word:
            return self.malformed(
                f"the JSON ends where {wanted} should come", "close what was opened", place
            )
        return self.malformed(
            f"{wanted} should come here, not {shorten(word, _SHOWN)!r}", _hint(word), place
        )


def _hint(word: str) -> str:
    """What a person who wrote `word` where JSON was wanted most likely has to do."""
    if word.lstrip("-") in ("NaN", "Infinity", "inf", "nan"):
        return "use null or text for a number that is not finite"
    if word in ("True", "False", "None"):
        return f"write `{ {'True': 'true', 'False': 'false', 'None': 'null'}[word] }`"
    if word.startswith("'"):
        return "JSON uses double quotes"
    if word.startswith(("//", "#", "/*")):
        return "JSON has no comments: remove it"
    return "correct the JSON here (text stands in double quotes)"
