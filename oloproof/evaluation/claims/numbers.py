"""One form for a number, however a language parts its thousands and its decimals."""

from __future__ import annotations

import re
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
