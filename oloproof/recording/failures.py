"""Exceptions out of a tool or model: what is kept of them, and how they are made again."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode, encode_foreign
from oloproof.errors import OloproofError

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


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
