"""What is compared of a value that is no JSON: the data that it holds, or what it is.

Of an object these are its public attributes, if all of them are data; of one that holds more,
such as a connection or a lock, only its class is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from oloproof.canonical import MAX_DEPTH, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue

_MOST_VALUES: Final = 100_000
"""Beyond this the class of a value is all that is kept of it."""

_NUMBERS: Final = range(-(2**63), 2**64)

_HIDDEN: Final = "**********"
"""What pydantic shows of a secret."""

_AS_TEXT: Final = (UUID, Decimal, Fraction, PurePath, complex)


class _NoDataError(Exception):
    """A value is more than data."""


def dump(value: object) -> JsonValue:
    """A JSON form of any value, the same for values that hold the same; never raises."""
    return _Dumping().of(value)


class _Dumping:
    """One value on its way into JSON."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES
        self._above: set[int] = set()

    def of(self, value: object) -> JsonValue:
        """A part of it: its data, or its class where it is more than that."""
        try:
            return self._data(value, self.of)
        except Exception:  # its own methods may raise anything
            named = value if isinstance(value, type | FunctionType) else type(value)
            return {"object": f"{named.__module__}.{named.__qualname__}"}

    def _strictly(self, value: object) -> JsonValue:
        return self._data(value, self._strictly)

    def _data(self, value: Any, inner: Callable[[object], JsonValue]) -> JsonValue:
        if value is None or value is True or value is False:
            return value
        if isinstance(value, Enum):
            return inner(value.value)
        if isinstance(value, str):
            return str.encode(value, "utf-8", "backslashreplace").decode()
        if isinstance(value, int):
            number = int.__index__(value)
            return number if number in _NUMBERS else str(number)
        if isinstance(value, float):
            return float.__float__(value) if math.isfinite(value) else str(value)
        return self._below(value, inner)

    def _below(self, value: Any, inner: Callable[[object], JsonValue]) -> JsonValue:
        """What is not simple: each value once on a way down, and not endlessly many."""
        self._left -= 1
        if self._left < 0 or id(value) in self._above or len(self._above) >= MAX_DEPTH:
            raise _NoDataError
        self._above.add(id(value))
        try:
            return self._compound(value, inner)
        finally:
            self._above.discard(id(value))

    def _compound(self, value: Any, inner: Callable[[object], JsonValue]) -> JsonValue:
        if isinstance(value, list | tuple):
            return [inner(item) for item in value]
        if isinstance(value, set | frozenset):
            return sorted((inner(item) for item in value), key=encode)
        if isinstance(value, Mapping):
            return {_key(key): inner(item) for key, item in value.items()}
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value).decode("utf-8", "backslashreplace")
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, timedelta):
            return value.total_seconds()
        if isinstance(value, _AS_TEXT):
            return str(value)
        if hasattr(type(value), "get_secret_value"):
            return _HIDDEN
        if hasattr(type(value), "model_dump"):
            return self._strictly(value.model_dump())
        # An object is data as a whole, or nothing of it is.
        return {name: self._strictly(part) for name, part in _attributes(value).items()}


def _attributes(value: Any) -> dict[str, Any]:
    if isinstance(value, type) or callable(value):
        raise _NoDataError
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    found |= getattr(value, "__dict__", {})
    public = {name: part for name, part in found.items() if not name.startswith("_")}
    if not public:
        raise _NoDataError
    return public


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _key(key: object) -> str:
    if isinstance(key, str):
        return str.encode(key, "utf-8", "backslashreplace").decode()
    return encode(dump(key)).decode()
