"""YAML as users write it, read strictly into JSON values with the line of each.

Only what JSON has can be said. Keys are always text. What YAML 1.1 reads as something that
its writer rarely meant (a bare date, `010`, `12:30`) is refused with the advice to quote it;
words that text may be meant by all the same (`no`, `12e5`) are read, and can be told by
`is_doubtful`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
import yaml

from oloproof.canonical import MAX_DEPTH, JsonValue
from oloproof.errors import shorten
from oloproof.suites.malformed import MalformedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.suites.places import Place

MAX_EXPANDED: Final = 1_000_000
"""Values that a document may hold once its aliases are written out."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONTROL: Final = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORDS: Final[dict[str, bool | None]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_BOOLEAN: Final = re.compile(r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")
_EXPONENT: Final = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_TRAPS: Final = {
    "a date": re.compile(
        r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
        r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
        r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?"
    ),
    "a number in base 60": re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"),
    "a number with a leading zero": re.compile(r"[-+]?0[0-9_]+"),
    "a number in base 16, 8 or 2": re.compile(r"[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)"),
    "a number with underscores": re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"),
    "a number that is not finite": re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"),
}


@dataclass(slots=True)
class LocatedYaml:
    """A value, the line (from 1) of each place in it, and words that JSON writes differently."""

    value: JsonValue = None
    lines: dict[Place, int] = field(default_factory=dict)
    written: dict[Place, str] = field(default_factory=dict)


class _Anchored(NamedTuple):
    """A value that may be repeated by an alias, and how many values it stands for."""

    value: JsonValue
    size: int
    depth: int


def parse_located(text: str) -> LocatedYaml:
    """The one document in `text`; raises `MalformedError`. An empty document is null."""
    if found := _CONTROL.search(text):
        raise MalformedError(
            f"the file holds the control character U+{ord(found.group()):04X}",
            line=text.count("\n", 0, found.start()) + 1,
            fix='remove it, or write it as an escape in double quotes ("\\x07")',
        )
    try:
        return _Reader(yaml.parse(text, Loader=_LOADER)).read_document()
    except yaml.YAMLError as error:
        raise _malformed(error, text) from None


class _Reader:
    """Reads parser events. Its own stack is Python's, which `MAX_DEPTH` keeps low."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.result = LocatedYaml()
        self.anchors: dict[str, _Anchored | None] = {}

    def read_document(self) -> LocatedYaml:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                break
        else:
            return self.result
        self.result.value = self.read(next(self.events), ()).value
        next(self.events)  # the end of the document
        following = next(self.events)
        if not isinstance(following, yaml.StreamEndEvent):
            raise _at(following, "the file holds more than one document", "keep one of them")
        return self.result

    def read(self, event: Any, place: Place) -> _Anchored:
        self.result.lines.setdefault(place, event.start_mark.line + 1)
        if isinstance(event, yaml.AliasEvent):
            return self.repeat(event, place)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            read = _Anchored(self.scalar(event, place), 1, 0)
        else:
            read = self.container(event, place)
        if event.anchor is not None:
            self.anchors[event.anchor] = read
        return read

    def repeat(self, event: Any, place: Place) -> _Anchored:
        """The value an alias stands for; it is shared, never copied."""
        if event.anchor not in self.anchors:
            raise _at(event, f"the alias `*{event.anchor}` has no anchor", "write the value out")
        anchored = self.anchors[event.anchor]
        if anchored is None:
            raise _at(
                event,
                f"the alias `*{event.anchor}` stands inside the value that it repeats",
                "write the value out: JSON has no values that contain themselves",
            )
        if len(place) + anchored.depth > MAX_DEPTH:
            raise _too_deep(event)
        return anchored

    def container(self, event: Any, place: Place) -> _Anchored:
        if event.tag is not None and event.tag != "!":
            raise _tagged(event)
        if len(place) >= MAX_DEPTH:
            raise _too_deep(event)
        if isinstance(event, yaml.MappingStartEvent):
            read = self.mapping(place)
        else:
            read = self.sequence(place)
        if read.size > MAX_EXPANDED and self.anchors:
            raise _at(
                event,
                f"written out, the aliases make more than {MAX_EXPANDED:,} values",
                "write the values out, or keep them in a file of their own",
            )
        return read

    def mapping(self, place: Place) -> _Anchored:
        out: dict[str, JsonValue] = {}
        size, depth = 1, 0
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event, place, out)
            self.result.lines[(*place, key)] = event.start_mark.line + 1
            item = self.read(next(self.events), (*place, key))
            out[key] = item.value
            size, depth = size + item.size, max(depth, item.depth)
        return _Anchored(out, size, depth + 1)

    def key(self, event: Any, place: Place, out: dict[str, JsonValue]) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise _at(event, "a key is not text", "write keys as plain text")
        key: str = event.value
        if key == "<<" and event.style == "":
            raise _at(event, "merge keys (`<<`) are not read", "write the fields out")
        if key in out:
            first = self.result.lines[(*place, key)]
            raise _at(
                event,
                f"the key `{key}` is given twice",
                f"keep one of them (the first is in line {first})",
                (*place, key),
            )
        return key

    def sequence(self, place: Place) -> _Anchored:
        out: list[JsonValue] = []
        size, depth = 1, 0
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            item = self.read(event, (*place, len(out)))
            out.append(item.value)
            size, depth = size + item.size, max(depth, item.depth)
        return _Anchored(out, size, depth + 1)

    def scalar(self, event: Any, place: Place) -> JsonValue:
        text: str = event.value
        if event.tag == "tag:yaml.org,2002:str" or (event.tag is None and event.style):
            return text
        if event.tag is not None:
            raise _tagged(event)
        value = _plain(text, event, place)
        if isinstance(value, bool | int | float) and orjson.dumps(value).decode() != text:
            self.result.written[place] = text
        return value


def is_doubtful(word: str) -> bool:
    """Whether what a plain word is depends on who reads it: a boolean or number, or text."""
    return _BOOLEAN.fullmatch(word) is not None or _EXPONENT.fullmatch(word) is not None


def _plain(text: str, event: Any, place: Place) -> JsonValue:
    """What a word without quotes stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if _BOOLEAN.fullmatch(text):
        return text.lower() in ("yes", "on")
    if text[0] in "+-.0123456789":
        return _number_or_text(text, event, place)
    return text


def _number_or_text(text: str, event: Any, place: Place) -> JsonValue:
    if _INTEGER.fullmatch(text):
        if len(text) > 21 or not -(2**63) <= int(text) < 2**64:
            raise _at(
                event,
                f"the integer {shorten(text, 40)} does not fit into 64 bits",
                "quote it: integers beyond 64 bits are given as text",
                place,
            )
        return int(text)
    for kind, pattern in _TRAPS.items():
        if pattern.fullmatch(text):
            raise _at(event, f"YAML reads `{text}` as {kind}", f'quote it: "{text}"', place)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise _at(
                event,
                f"the number {shorten(text, 40)} is beyond what a float can hold",
                "use null or text for a number that is not finite",
                place,
            )
        return number
    return text


def _at(event: Any, what: str, fix: str, place: Place = ()) -> MalformedError:
    return MalformedError(what, line=event.start_mark.line + 1, fix=fix, place=place)


def _too_deep(event: Any) -> MalformedError:
    return _at(
        event, f"the value is nested more than {MAX_DEPTH} levels deep", "write a flatter value"
    )


def _tagged(event: Any) -> MalformedError:
    return _at(
        event, f"the tag `{event.tag}` is not read", "write plain values: text, numbers, lists"
    )


def _malformed(error: yaml.YAMLError, text: str) -> MalformedError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    line = mark.line + 1 if mark is not None else 1
    written = (*text.splitlines()[line - 1 : line], "")[0]
    return MalformedError(
        f"the YAML cannot be read: {problem}",
        line=line,
        fix=_fix(problem, getattr(error, "context", None) or "", written),
    )


def _fix(problem: str, context: str, written: str) -> str:
    if "\t" in written[: len(written) - len(written.lstrip())]:
        return "indent with spaces, not with tabs"
    if "mapping values are not allowed" in problem:
        return "put text that holds `: ` in quotes, and check the indentation"
    if "cannot start any token" in problem:
        return "put text that starts with a special character (@, `, %) in quotes"
    if "flow" in context or "quoted" in context:
        return "close the bracket or the quote that was opened"
    return "check the indentation, and that each field is written `name: value`"
