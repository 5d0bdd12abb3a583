"""What is kept of a value that is no JSON, and of an exception, which is made again of it."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from oloproof.canonical import MAX_DEPTH, decode, encode, encode_foreign
from oloproof.errors import OloproofError

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


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception by its class, and as JSON text what the class was called with.

    `arguments` is None where the exception cannot be made again from JSON; `state` holds
    what else its attributes hold.
    """

    module: str
    name: str
    message: str
    arguments: str | None = None
    state: str | None = None

    @property
    def line(self) -> str:
        """The exception in one line, as a trajectory shows it."""
        kind = self.name.rpartition(".")[2]
        return f"{kind}: {self.message}" if self.message else kind

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form, without what is unknown."""
        out: dict[str, JsonValue] = {
            "module": self.module,
            "name": self.name,
            "message": self.message,
        }
        if self.arguments is not None:
            out["arguments"] = self.arguments
        if self.state is not None:
            out["state"] = self.state
        return out

    @classmethod
    def from_json(cls, data: Any) -> Failure:
        """The failure of its JSON form."""
        return cls(**data)


def describe_failure(error: BaseException) -> Failure:
    """What is kept of an exception."""
    kind = type(error)
    arguments = state = None
    try:
        reduced = error.__reduce__()
        if isinstance(reduced, tuple) and reduced[0] is kind:
            arguments = _text(list(reduced[1]))
            state = _text(reduced[2]) if len(reduced) > 2 and reduced[2] else None
    except Exception:
        arguments = None  # not JSON, or its own methods raised
    return Failure(kind.__module__, kind.__qualname__, message_of(error), arguments, state)


def rebuild(failure: Failure) -> BaseException | None:
    """The exception made again, or None where that does not give an equal one."""
    if failure.arguments is None:
        return None
    try:
        kind: Any = importlib.import_module(failure.module)
        for part in failure.name.split("."):
            kind = getattr(kind, part)
        arguments: Any = decode(failure.arguments.encode())
        error = kind(*arguments)
        if not isinstance(error, BaseException) or type(error) is not kind:
            return None
        if failure.state is not None:
            state: Any = decode(failure.state.encode())
            vars(error).update(state)
    except Exception:
        return None  # a class that is not there any more, or takes other arguments
    return error if message_of(error) == failure.message else None


def message_of(error: BaseException) -> str:
    """The text of an exception, as UTF-8 can hold it."""
    if isinstance(error, OloproofError):
        return error.what
    try:
        return str(error).encode("utf-8", "backslashreplace").decode()
    except Exception:
        return "(its text cannot be read)"


def _text(value: object) -> str:
    return encode_foreign(value, "an exception").data.decode()
