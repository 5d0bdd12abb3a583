"""What is declared of a tool or model function, and how its arguments are read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal

from oloproof.canonical import encode, encode_foreign, to_json
from oloproof.errors import NotJsonError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.canonical import JsonValue
    from oloproof.recording.events import EffectKind

_RECEIVERS = frozenset({"self", "cls"})
_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD


class Effect:
    """A function declared as tool or model: its name, its arguments, what is known of it."""

    __slots__ = (
        "_defaults",
        "_known",
        "_names",
        "_signature",
        "_skip",
        "call_id",
        "function",
        "kind",
        "name",
        "reads",
        "returns_faults",
    )

    def __init__(
        self,
        kind: EffectKind,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
        reads: bool = False,
        on_fault: Literal["raise", "return"] = "raise",
        receiver: bool | None = None,
    ) -> None:
        self.kind: EffectKind = kind
        self.function = function
        self.name = name or getattr(function, "__name__", None) or type(function).__name__
        self.call_id = call_id
        self.reads = reads
        self.returns_faults = on_fault == "return"
        signature = _signature(function)
        parameters = [] if signature is None else list(signature.parameters.values())
        skip = _has_receiver(function, parameters) if receiver is None else receiver
        self._skip = 1 if skip and parameters else 0
        parameters = parameters[self._skip :]
        self._signature = None if signature is None else signature.replace(parameters=parameters)
        plain = all(parameter.kind is _PLAIN for parameter in parameters)
        self._names = [parameter.name for parameter in parameters] if plain else None
        self._known = frozenset(self._names or ())
        self._defaults = {
            parameter.name: parameter.default
            for parameter in parameters
            if parameter.default is not inspect.Parameter.empty
        }

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, with defaults; those that do not fit, as they were given."""
        args = args[self._skip :]
        names = self._names
        # `Signature.bind` takes as long as all the rest of recording a call.
        if names is not None and len(args) <= len(names):
            bound = {**self._defaults, **dict(zip(names, args, strict=False)), **kwargs}
            passed_twice = not kwargs.keys().isdisjoint(names[: len(args)])
            if len(bound) == len(names) and not passed_twice and bound.keys() == self._known:
                return bound
        try:
            if self._signature is not None:
                found = self._signature.bind(*args, **kwargs)
                found.apply_defaults()
                return dict(found.arguments)
        except TypeError:
            pass  # the function itself raises it when it is called
        return {"args": args, "kwargs": kwargs}

    def read(self, bound: dict[str, Any]) -> tuple[str, NotJsonError | None]:
        """The arguments as JSON text with sorted keys, and what is wrong with one that is none.

        A default that is no JSON is a mark of "not given", and is left out.
        """
        what = f"an argument of {self.name}"
        try:
            return encode_foreign(bound, what).data.decode(), None
        except NotJsonError:
            pass
        kept: dict[str, JsonValue] = {}
        problem = None
        for name, value in bound.items():
            try:
                kept[name] = to_json({name: value}, what)[name]  # type: ignore[index,call-overload]
            except NotJsonError as error:
                if name not in self._defaults or value is not self._defaults[name]:
                    problem = problem or error
        return encode(kept).decode(), problem


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # some functions written in C tell none


def _has_receiver(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> bool:
    """Whether a function was written in the body of a class, and takes the object first."""
    owner = getattr(function, "__qualname__", "").rpartition(".")[0]
    in_class = bool(owner) and not owner.endswith("<locals>")
    bound = inspect.ismethod(function)
    return in_class and not bound and bool(parameters) and parameters[0].name in _RECEIVERS
