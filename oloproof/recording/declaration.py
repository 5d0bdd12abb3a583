"""What is declared of a tool or model function, and how its arguments are written down."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.canonical import encode, encode_foreign, to_json
from oloproof.errors import NotJsonError
from oloproof.recording.dumping import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

    from oloproof.canonical import JsonValue
    from oloproof.recording.delivery import OnFault
    from oloproof.records.faults import EffectKind

_RECEIVERS = frozenset({"self", "cls"})
_EMPTY = inspect.Parameter.empty


class Bound(NamedTuple):
    """The arguments of a call by name, and whether the function takes them."""

    arguments: dict[str, Any]
    fits: bool


class Parameters:
    """The parameters of one function, read once: `Signature.bind` costs more than recording.

    A function that tells no signature, as some written in C, takes what it is given.
    """

    __slots__ = ("_named", "_places", "_required", "_rest", "_skip", "_words", "defaults")

    def __init__(self, function: Callable[..., Any], *, receiver: bool | None = None) -> None:
        signature = _signature(function)
        found = [] if signature is None else list(signature.parameters.values())
        skip = _has_receiver(function, found) if receiver is None else receiver
        self._skip = 1 if skip and found else 0
        found = found[self._skip :]
        kinds = inspect.Parameter
        self._places = [
            p.name for p in found if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        ]
        self._named = frozenset(
            p.name for p in found if p.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
        )
        self._rest = _name_of(found, kinds.VAR_POSITIONAL)
        self._words = _name_of(found, kinds.VAR_KEYWORD)
        if signature is None:
            self._rest, self._words = "args", "kwargs"
        self.defaults = {p.name: p.default for p in found if p.default is not _EMPTY}
        self._required = self._named.union(self._places) - self.defaults.keys()

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bound:
        """The arguments by name, with defaults; those that do not fit, as they were given."""
        fits = not self._skip or bool(args)
        args = args[self._skip :]
        given = dict(zip(self._places, args, strict=False))
        words: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name not in self._named:
                words[name] = value
                continue
            if name in given:
                fits = False
                given[f"argument {self._places.index(name) + 1}"] = given[name]
            given[name] = value
        rest = args[len(self._places) :]
        fits = fits and (self._rest is not None or not rest)
        fits = fits and (self._words is not None or not words)
        if fits and self._required <= given.keys():
            return Bound(self._whole(given, rest, words), True)
        first = len(self._places) + 1
        surplus = {f"argument {number}": value for number, value in enumerate(rest, first)}
        return Bound(given | words | surplus, False)

    def _whole(
        self, given: dict[str, Any], rest: tuple[Any, ...], words: dict[str, Any]
    ) -> dict[str, Any]:
        out = self.defaults | given
        if self._rest is not None:
            out[self._rest] = rest
        if self._words is None or out.keys().isdisjoint(words):
            return out | words
        return out | {self._words: words}  # one is called as a parameter is


def has_run(function: Callable[..., Any], error: BaseException) -> bool:
    """Whether an exception came out of the body of a function, below whatever is around it."""
    code = _code_of(function)
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        left += [one.__cause__, one.__context__]
        trace = one.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code is code:
                return True
            trace = trace.tb_next
    return False


def _code_of(function: Any) -> CodeType | None:
    function = inspect.unwrap(function)
    while isinstance(function, functools.partial):
        function = inspect.unwrap(function.func)
    if not inspect.isroutine(function):
        function = function.__call__
    return getattr(function, "__code__", None)


def _name_of(found: list[inspect.Parameter], kind: Any) -> str | None:
    return next((parameter.name for parameter in found if parameter.kind is kind), None)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _has_receiver(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> bool:
    """Whether a function was written in the body of a class, and takes the object first."""
    owner = getattr(function, "__qualname__", "").rpartition(".")[0]
    in_class = bool(owner) and not owner.endswith("<locals>")
    bound = inspect.ismethod(function)
    return in_class and not bound and bool(parameters) and parameters[0].name in _RECEIVERS


TOOLS: Final[dict[str, bool]] = {}
"""Every tool that was declared in this process, by name: whether it only reads."""


class Effect:
    """A function declared as tool or model: its name, its arguments, what is known of it."""

    __slots__ = (
        "call_id",
        "function",
        "kind",
        "name",
        "on_fault",
        "parameters",
        "reads",
    )

    def __init__(
        self,
        kind: EffectKind,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
        reads: bool = False,
        on_fault: OnFault = "raise",
        receiver: bool | None = None,
    ) -> None:
        self.kind: EffectKind = kind
        self.function = function
        self.name = name or getattr(function, "__name__", None) or type(function).__name__
        self.call_id = call_id
        self.reads = reads
        self.on_fault = on_fault
        self.parameters = Parameters(function, receiver=receiver)
        if kind == "tool":
            TOOLS[self.name] = reads

    def read(self, bound: dict[str, Any]) -> tuple[str, NotJsonError | None]:
        """The arguments as JSON text with sorted keys, and what is wrong with one that is none.

        Such a one is dumped, which is enough to compare it.

        A default that is no JSON is a mark of "not given", and is left out.
        """
        what = f"an argument of {self.name}"
        try:
            return encode_foreign(bound, what).data.decode(), None
        except NotJsonError:
            pass
        kept: dict[str, JsonValue] = {}
        problem, defaults = None, self.parameters.defaults
        for name, value in bound.items():
            try:
                kept[name] = to_json({name: value}, what)[name]  # type: ignore[index,call-overload]
            except NotJsonError as error:
                if name not in defaults or value is not defaults[name]:
                    problem = problem or error
                    kept[name] = dump(value)
        return encode(kept).decode(), problem
