"""Strict JSON read fast: orjson where that is proven to be the same, else place by place."""

from __future__ import annotations

import re
from typing import Final

import orjson

from oloproof.canonical import MAX_DEPTH, JsonValue
from oloproof.suites.json_lines import parse_located

_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"0" * 9)
_LONG_RUN: Final = b"0" * 19
# An integer literal of 19 digits or more: only such can leave the range of 64 bits.
_LONG_INTEGER: Final = re.compile(rb"(?:^|[\s:,\[-])([0-9]{19,})(?=[\s,\]}]|$)")


def parse(data: bytes) -> JsonValue:
    """The value of strict JSON in UTF-8; `MalformedError` or `UnicodeDecodeError` otherwise.

    orjson reads it where that is proven to be the same; `parse_located` reads what is left.
    """
    try:
        value: JsonValue = orjson.loads(data)
    except orjson.JSONDecodeError:
        return parse_located(data.decode("utf-8"))[0]
    if _may_hide_a_key(data, value) or _may_hold_a_long_integer(data):
        return parse_located(data.decode("utf-8"))[0]
    return value


def _may_hide_a_key(data: bytes, value: JsonValue) -> bool:
    """Whether a key may be given twice (orjson keeps the last), or the nesting is too deep.

    As many colons as came out went in, so no key was dropped: only the escape of a colon in
    a text could make up for the one that was dropped with it.
    """
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        if _SPARE_LEVELS is None and depth_of(value) > MAX_DEPTH:
            return True
        for _ in range(_SPARE_LEVELS or 0):
            value = [value]
    try:
        written = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return True
    return data.count(b":") != written.count(b":") or (
        b"\\" in data and (b"\\u003a" in data or b"\\u003A" in data)
    )


def _may_hold_a_long_integer(data: bytes) -> bool:
    """Whether an integer may be beyond 64 bits, which orjson makes a float."""
    return _LONG_RUN in data.translate(_DIGITS_TO_ZERO) and any(
        int(digits) >= 2**63 for digits in _LONG_INTEGER.findall(data)
    )


def _spare_levels() -> int | None:
    """How many lists around a value make orjson refuse it when it is deeper than `MAX_DEPTH`.

    Its own limit (254) finds deep values faster than a walk in Python, which takes longer than
    reading them. It is measured, as a detail of orjson's; None if there is no such limit.
    """
    nested: JsonValue = 0
    for _ in range(MAX_DEPTH + 1):
        nested = [nested]
    for levels in range(MAX_DEPTH):
        try:
            orjson.dumps(nested)
        except orjson.JSONEncodeError:
            return levels
        nested = [nested]
    return None


_SPARE_LEVELS: Final = _spare_levels()


def depth_of(value: JsonValue) -> int:
    """How many containers are inside one another: 0 for a scalar, 1 for `[]`."""
    depth = 0
    level = [value] if isinstance(value, dict | list) else []
    while level:
        depth += 1
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if type(child) is dict or type(child) is list
        ]
    return depth
