"""The words of a message, and the numbers among them, in one form."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

_MARKED: Final = re.compile(r"(-?)(\d+(?:[.,]\d+)+)")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")


def plain_number(text: str, decimal: Literal[".", ","]) -> str:
    """A number as `-10000.5`, where `decimal` is the mark before decimals in the language.

    The other mark may stand before them too, unless three digits follow it: then it parts
    thousands. What is no number, such as a date or a time, is given back as it is.
    """
    found = _MARKED.fullmatch(text)
    if found is None:
        return text
    sign, digits = found.groups()
    at = max(digits.rfind(mark) for mark in ".,")
    whole, mark, decimals = digits[:at], digits[at], digits[at + 1 :]
    if _THOUSANDS.fullmatch(digits) and (mark != decimal or digits.count(mark) > 1):
        return sign + digits.replace(mark, "")
    if not whole.isdigit():
        if mark in whole or not _THOUSANDS.fullmatch(whole):
            return text
        whole = whole.replace("." if mark == "," else ",", "")
    if len(decimals) != 3:  # three digits may be meant as thousands: only equal to themselves
        decimals = decimals.rstrip("0")
    return f"{sign}{whole}.{decimals}" if decimals else sign + whole


_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2010": "-"})
_STRESS: Final = re.compile("[\u0300\u0301]")

_WORD: Final = r"[\w\u0302-\u036f]+"
_GROUPED: Final = r"\d{1,3}(?:(?:[^\S\n]+|['\u2019\u02bc])\d{3})+(?!\d)"
_MORE: Final = rf"[.,:\u2013-](?:{_GROUPED}|\d+)"
_MINUS: Final = "-\u2010\u2212\u2013"
_CURRENCY: Final = "$\u20ac\u00a3\u00a5"
_SIGN: Final = rf"(?<![^\s(\[=:;/\"'\u00ab\u201e\u201c\u2018{_CURRENCY}])[{_MINUS}][{_CURRENCY}]?"
_TOKEN: Final = re.compile(
    rf"(?P<number>{_SIGN}(?:{_GROUPED}|\d+)(?:{_MORE})*|{_GROUPED}(?:{_MORE})*|\d+(?:{_MORE})+)"
    rf"|(?P<word>{_WORD}(?:['\u2019\u02bc\u2010-]{_WORD})*)"
    r"|(?P<end>\n[^\S\n]*\n|\n[^\S\n]*(?:[-*\u2022>]|\d+[.)])(?=\s)|[!?]|\.(?=[\W_]|$))"
    r"|(?P<mark>[;:,()\[\]\u2013\u2014]|(?<=\s)-(?=\s))"
)
_BETWEEN_GROUPS: Final = re.compile(rf"[\s'{_CURRENCY}]")

_QUOTES: Final = {
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u201e": "\u201c\u201d",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    '"': '"',
    "\u2018": "\u2019'",
    "\u201a": "\u2018\u2019",
    "'": "'",
}
"""What opens a quotation, and what closes it."""
_SINGLE: Final = "\u2018\u2019\u201a'"
_QUOTED_LINE: Final = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)

Kind = Literal["word", "mark", "end"]


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where a quotation stands in the text; without `closed` nobody knows where it ends."""

    start: int
    end: int
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is compared, or a mark that ends a clause (`mark`) or a sentence (`end`)."""

    kind: Kind
    text: str
    start: int
    end: int
    quotation: Quotation | None = None


def readable(text: str) -> str:
    """The text in compatibility form, without invisible characters and stress marks."""
    seen = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return _STRESS.sub("", unicodedata.normalize("NFKC", seen))


def fold(text: str) -> str:
    """The form in which words are compared: no case, one apostrophe, no dots on a Cyrillic e."""
    folded = unicodedata.normalize("NFKC", readable(text).casefold())
    return folded.translate(_APOSTROPHES).replace("\u0451", "\u0435")


def tokens(text: str) -> list[Token]:
    """The words and marks of a text that `readable` gave."""
    quoted: list[Quotation | None] = [None] * len(text)
    for quotation in _quotations(text):
        quoted[quotation.start : quotation.end] = [quotation] * (quotation.end - quotation.start)
    found = []
    for match in _TOKEN.finditer(text):
        kind: Kind = "word"
        if match.lastgroup in ("mark", "end"):
            kind = "mark" if match.lastgroup == "mark" else "end"
        if match.lastgroup == "number":
            token = _number(fold(match.group()))
        else:
            token = fold(match.group()).strip("_") if kind == "word" else match.group().strip()
        if token or kind == "end":
            found.append(Token(kind, token, match.start(), match.end(), quoted[match.start()]))
    return found


def _number(text: str) -> str:
    """A number without the white space and apostrophes of its groups, and with one minus sign."""
    digits = _BETWEEN_GROUPS.sub("", text)
    return f"-{digits[1:]}" if digits[0] in _MINUS else digits


def _quotations(text: str) -> list[Quotation]:
    found = [Quotation(match.start(), match.end()) for match in _QUOTED_LINE.finditer(text)]
    apostrophes: set[str] = set()
    position = 0
    while position < len(text):
        opener = text[position]
        position += 1
        if opener not in _QUOTES or opener in apostrophes or not _may_open(text, position - 1):
            continue
        end = _closing(text, position - 1)
        if end is not None:
            found.append(Quotation(position - 1, end))
            position = end
        elif opener in _SINGLE:
            apostrophes.add(opener)  # one that nothing closes is no quote, nor are later ones
        else:
            found.append(Quotation(position - 1, len(text), closed=False))
            break
    return found


def _may_open(text: str, position: int) -> bool:
    before = text[position - 1 : position]
    after = text[position + 1 : position + 2]
    return not before.isalnum() and bool(after) and not after.isspace()


def _closing(text: str, position: int) -> int | None:
    closers = _QUOTES[text[position]]
    for end in range(position + 1, len(text)):
        if text[end] in closers:
            inside_word = text[end] in _SINGLE and text[end + 1 : end + 2].isalnum()
            if not inside_word:
                return end + 1
    return None
