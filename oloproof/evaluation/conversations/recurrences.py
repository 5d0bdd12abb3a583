"""Where a value that was replaced comes up again: in arguments, artefacts and messages.

It counts as a whole part of a text, between separators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

import orjson

from oloproof.canonical import equal
from oloproof.paths import Absent, Path, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conversations.supersession import Replacement

_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_FIGURE: Final = re.compile(r"\d+(?:[.,'\u2019]\d+|[ \u00a0\u202f]\d{3}(?!\d))*", re.ASCII)
_BETWEEN: Final = re.compile(r"[,'\u2019 \u00a0\u202f]")
_GROUPED: Final = re.compile(
    r"[1-9]\d{0,2}(?:(?P<by>[.,'\u2019 \u00a0\u202f])\d{3})(?:(?P=by)\d{3})*(?:[.,]\d+)?", re.ASCII
)
_MOMENT: Final = re.compile(
    r"(?<![\d.])(?:\d{1,2}:\d{2}(?::\d{2})?|\d{1,4}/\d{1,2}/\d{1,4})(?!\d)", re.ASCII
)
"""A time of the day or a date: its numbers are no values of their own."""


_STOPS: Final = ".,;:!?"

_SLASH: Final = r"(?:\\?/(?:\./)*)+"
"""A slash of a path, however it is written: `//`, `/./` and, where it is escaped, `\\/`."""

_GAP: Final = r"(?:\\?\s)+"
"""What stands between two words, escaped where it is part of a path."""


class Span(NamedTuple):
    """A stretch of a text; not `certain` where it may as well be read otherwise."""

    start: int
    end: int
    certain: bool = True

    def within(self, others: Iterable[Span]) -> bool:
        """Whether it is part of one of some others."""
        return any(other.start <= self.start and self.end <= other.end for other in others)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value that is looked for: a `number`, also one given as text, another text, or neither."""

    value: JsonValue
    number: Decimal | None = None
    pattern: re.Pattern[str] | None = None

    def is_whole(self, value: JsonValue) -> bool:
        """Whether it is all of another value; a number may be given as text."""
        if self.number is not None:
            return _number(value) == self.number
        return equal(self.value, value)

    def spans(self, text: str) -> list[Span]:
        """Where it stands in a text as a whole part; positions are those of its plain form."""
        text = _plain_form(text)
        if self.number is not None:
            return list(_figures(text, self.number))
        if self.pattern is None:
            return []
        found = (Span(*match.span(1)) for match in self.pattern.finditer(text))
        apart = [span for span in found if _is_apart(text, span)]
        return [self._certain(text, span) for span in apart] if self._is_short_word else apart

    @property
    def _is_short_word(self) -> bool:
        text = self.value
        return isinstance(text, str) and len(text) <= 3 and text.isalpha() and text.islower()

    def _certain(self, text: str, span: Span) -> Span:
        """Whether a short word is no word of a sentence, such as `on` and `no` may be."""
        around = text[max(span.start - 1, 0) : span.start] + text[span.end : span.end + 1]
        return span._replace(
            certain=any(not mark.isspace() and mark not in _STOPS for mark in around)
        )


def wanted(value: JsonValue | Absent) -> Wanted:
    """What is looked for of a value: of what is neither text nor number only the whole."""
    if isinstance(value, Absent):
        return Wanted(None)
    number = _number(value)
    if number is not None or not isinstance(value, str):
        return Wanted(value, number)
    text = normalize("NFC", value).strip().removeprefix("./")
    words = (text.rstrip("/\\") or text).split()
    joined = _GAP.join(re.escape(word).replace("/", _SLASH) for word in words)
    return Wanted(value, None, re.compile(f"(?=({joined}))") if words else None)


def _plain_form(text: str) -> str:
    """A text in one Unicode form, and without the escapes of addresses (`%20`)."""
    return normalize("NFC", unquote(text) if "%" in text else text)


def _number(value: JsonValue) -> Decimal | None:
    """What a number is, or a text that can only be read as one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    unclear = isinstance(value, str) and _GROUPED.fullmatch(text.lstrip("+-"))
    return None if unclear else _decimal(text)


def _decimal(text: str) -> Decimal | None:
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _is_word(text: str, position: int) -> bool:
    inside = 0 <= position < len(text)
    return inside and (text[position].isalnum() or text[position] == "_")


def _is_apart(text: str, span: Span) -> bool:
    """Whether no longer name or path goes on at either end."""
    return not (_joins_before(text, span.start) or _joins_after(text, span.end))


def _joins_before(text: str, start: int) -> bool:
    if start == 0:
        return False
    mark = text[start - 1]
    if _is_word(text, start - 1):
        # 10:00 is a part of 2026-05-01T10:00
        return not (mark == "T" and text[max(start - 2, 0)].isdigit() and text[start].isdigit())
    if text[start] in "/\\":  # an absolute path
        return mark in ".~*}"
    return (mark == "-" and _is_word(text, start - 2)) or (
        mark == "." and text[max(start - 2, 0) : start] != ".."
    )


def _joins_after(text: str, end: int) -> bool:
    if end == len(text):
        return False
    mark, goes_on = text[end], _is_word(text, end + 1)
    if mark in "TZ" and text[end - 1].isdigit():
        # 2026-05-01 is a part of 2026-05-01T10:00, and 10:00 of 10:00Z
        return not (text[end + 1 : end + 2].isdigit() if mark == "T" else not goes_on)
    return _is_word(text, end) or (mark in "-." and goes_on) or (mark in "+#" and not goes_on)


def _figures(text: str, number: Decimal) -> Iterator[Span]:
    """Where a number stands, alone or as one reading of a group of figures."""
    moments = [Span(*match.span()) for match in _MOMENT.finditer(text)]
    for match in _FIGURE.finditer(text):
        span = Span(*match.span())
        if span.within(moments):
            continue
        start, end = span.start, span.end
        negative = start > 0 and text[start - 1] in "-\u2212" and not _is_word(text, start - 2)
        joins = (
            not negative and _joins_before(text, start),
            _joins_after(text, end) and text[end] not in "+#",
        )
        figure = ("-" if negative else "") + match.group()
        if number in _readings(figure, joins):
            certain = _is_plain(match.group()) and not _in_fraction(text, span)
            yield Span(start - negative, end, certain)


def _is_plain(figure: str) -> bool:
    return _BETWEEN.search(figure) is None and _GROUPED.fullmatch(figure) is None


def _in_fraction(text: str, span: Span) -> bool:
    """Whether a slash stands between it and another figure: a date, a fraction, or a path."""
    before, after = text[max(span.start - 2, 0) : span.start], text[span.end : span.end + 2]
    return (before[1:] == "/" and before[0].isdigit()) or (after[:1] == "/" and after[1:].isdigit())


def _readings(figure: str, joins: tuple[bool, bool]) -> set[Decimal | None]:
    """The numbers that figures may stand for: each by itself, in groups, with a decimal comma.

    At an end at which they are joined to a longer name the outer one is none.
    """
    parts = _BETWEEN.split(figure)
    found = {_decimal(part) for part in parts[joins[0] : len(parts) - joins[1]]}
    if not any(joins):
        found.add(_decimal(figure.replace(",", ".")))
        grouped = _GROUPED.fullmatch(figure.lstrip("-"))
        if grouped is not None:
            found.add(_decimal(figure.replace(grouped["by"], "").replace(",", ".")))
    return found - {None}


class Recurrence(NamedTuple):
    """An old value at a place, as all of what stands there or as a part of a `text`.

    Where it is `unclear` why it is there, that says why.
    """

    place: Path
    text: str | None = None
    unclear: str | None = None


def recurrences(
    values: Iterable[tuple[Path, JsonValue]], change: Replacement, current: Iterable[str]
) -> list[Recurrence]:
    """Where the old value of a change comes up in some values and in all that is in them.

    What is part of the new value, or of one of the `current` texts, is no old value.
    """
    old, new = wanted(change.old), wanted(change.new)
    candidates = [one for start, value in values for one in _candidates(start, value, old)]
    if all(one.text is None for one in candidates):
        return candidates
    others = [wanted(text) for text in current if old.spans(text)]
    return [found for one in candidates if (found := _judged(one, old, new, others)) is not None]


def within(path: Path, value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
    """A value and everything in it, each with its path; also what a text of JSON holds."""
    waiting = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        held = [(Path((*path.segments, key)), item) for key, item in children(_read(value))]
        waiting += reversed(held)


def _read(value: JsonValue) -> JsonValue:
    """What a text of JSON holds; any other value itself."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        read: JsonValue = orjson.loads(value)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return value
    return read


def _candidates(start: Path, value: JsonValue, old: Wanted) -> Iterator[Recurrence]:
    for place, item in within(start, value):
        held = _read(item)
        for key in held if isinstance(held, dict) else ():
            found = _at_key(Path((*place.segments, key)), key, old)
            if found is not None:
                yield found
        if old.is_whole(item) or old.is_whole(held):
            yield Recurrence(place)
        elif isinstance(item, str) and held is item and old.spans(item):
            yield Recurrence(place, item)


def _at_key(place: Path, key: str, old: Wanted) -> Recurrence | None:
    """The old value in a key; the name of an argument is none, and that of a field may be."""
    if not key.isidentifier():
        return Recurrence(place, key) if old.spans(key) else None
    if len(place.segments) == 1 or not old.is_whole(key):
        return None
    return Recurrence(place, key, "it may be the name of a field")


def _judged(
    one: Recurrence, old: Wanted, new: Wanted, others: Iterable[Wanted]
) -> Recurrence | None:
    """A recurrence in a text with what is unclear of it; None where something current is meant."""
    if one.text is None or one.unclear is not None:
        return one
    renewed = new.spans(one.text)
    masks = [*renewed, *(span for other in others for span in other.spans(one.text))]
    spans = [span for span in old.spans(one.text) if not span.within(masks)]
    if not spans:
        return None
    if any(not span.within(spans) for span in renewed):
        return one._replace(unclear="what replaced it stands beside it")
    if not any(span.certain for span in spans):
        return one._replace(unclear="it may as well be read otherwise")
    return one
