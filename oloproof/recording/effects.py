"""`@tool` and `@model`: functions whose calls are effects of the agent, recorded and replayed."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, overload

from oloproof.errors import OloproofError
from oloproof.recording.calling import begin, call, call_async
from oloproof.recording.declaration import Effect
from oloproof.recording.delivery import check_on_fault
from oloproof.recording.lanes import is_idle
from oloproof.recording.streaming import drive, drive_async

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping

    from oloproof.recording.delivery import OnFault
    from oloproof.records.faults import EffectKind

_P = ParamSpec("_P")
_R = TypeVar("_R")

_CALLED_BY: Final = ("invoke", "on_invoke_tool", "acall", "forward")
"""Methods by which frameworks call the tools that they make of functions."""


class NoFunctionError(OloproofError, TypeError):
    """What is declared as a tool or model is no function."""


@overload
def tool(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
    reads: bool = False,
    on_fault: OnFault = "raise",
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
    reads: bool = False,
    on_fault: OnFault = "raise",
) -> Any:
    """Declare a function or method (sync or async, a generator too) as a tool of the agent.

    While a case runs, each call is recorded with its arguments, what it gave or raised, and
    its order among the others; in a replay it may be served from the recording instead.
    Outside of a case the function is as it was. Arguments and results are to be JSON.

    `name` is what the tool is called in trajectories, else the function's own name. `call_id`
    makes the identifier of a call from its arguments by name. A tool that `reads` never
    changes the sandbox. `on_fault` says how the tool's failures reach the agent: as an
    exception (`"raise"`, or one of its own: a class or an instance), returned as
    `{"error": text}` (`"return"`), or as what a function makes of the fault; or each kind of
    fault in its own way, in a mapping.
    """
    check_on_fault(on_fault)
    options = {"name": name, "call_id": call_id, "reads": reads, "on_fault": on_fault}
    if function is None:
        return lambda wrapped: _declare("tool", wrapped, options)
    return _declare("tool", function, options)


@overload
def model(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def model(
    *,
    name: str | None = None,
    call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
    on_fault: OnFault = "raise",
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def model(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    call_id: Callable[[Mapping[str, Any]], str | None] | None = None,
    on_fault: OnFault = "raise",
) -> Any:
    """Declare a function or method as a call of a language model.

    It is recorded as a tool is. In a replay it is served from the recording, and called again
    only behind a fault. A `usage` in its result (`input_tokens` or `prompt_tokens`,
    `output_tokens` or `completion_tokens`, `cost_usd`) is added up in the trajectory.
    `on_fault` is what the provider's client raises, as for a tool.
    """
    check_on_fault(on_fault)
    options = {"name": name, "call_id": call_id, "on_fault": on_fault}
    if function is None:
        return lambda wrapped: _declare("model", wrapped, options)
    return _declare("model", function, options)


def _declare(kind: EffectKind, function: Any, options: dict[str, Any]) -> Any:
    if isinstance(function, staticmethod):
        return staticmethod(_wrap(Effect(kind, function.__func__, receiver=False, **options)))
    if isinstance(function, classmethod):
        return classmethod(_wrap(Effect(kind, function.__func__, receiver=True, **options)))
    if not callable(function) or _is_made_by_a_framework(function):
        raise NoFunctionError(
            f"@oloproof.{kind} takes a function, not `{type(function).__name__}`",
            fix=f"put `@oloproof.{kind}` below the decorator that makes one of the function",
        )
    return _wrap(Effect(kind, function, **options))


def _wrap(effect: Effect) -> Callable[..., Any]:
    """The function that stands in for a declared one; of the same shape, for who asks."""
    stand_in = _stand_in(effect)
    stand_in.__oloproof_kind__ = effect.kind  # type: ignore[attr-defined]
    return stand_in


def _stand_in(effect: Effect) -> Callable[..., Any]:
    function = effect.function
    # A callable object has the shape of what it does when it is called.
    shape = function if inspect.isroutine(function) or _is_partial(function) else function.__call__  # type: ignore[operator]
    if inspect.isasyncgenfunction(shape):
        return _async_generator(effect)
    if inspect.isgeneratorfunction(shape):
        return _generator(effect)
    if inspect.iscoroutinefunction(shape):
        return _coroutine(effect)
    return _plain(effect)


def _is_made_by_a_framework(function: object) -> bool:
    """Whether something is a framework's tool, which is called by its methods."""
    plain = inspect.isroutine(function) or inspect.isclass(function) or _is_partial(function)
    return not plain and any(hasattr(type(function), name) for name in _CALLED_BY)


def _is_partial(function: object) -> bool:
    return isinstance(function, functools.partial)


def _plain(effect: Effect) -> Callable[..., Any]:
    function = effect.function

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_idle():
            return function(*args, **kwargs)
        return call(effect, args, kwargs)

    return wrapper


def _coroutine(effect: Effect) -> Callable[..., Any]:
    function = effect.function

    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_idle():
            return await function(*args, **kwargs)
        return await call_async(effect, args, kwargs)

    return wrapper


def _generator(effect: Effect) -> Callable[..., Any]:
    function = effect.function

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        begun = begin(effect, args, kwargs, streamed=True) if not is_idle() else None
        if begun is None:
            return (yield from function(*args, **kwargs))
        return (yield from drive(effect, begun, args, kwargs))

    return wrapper


def _async_generator(effect: Effect) -> Callable[..., Any]:
    function = effect.function

    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        # There is no `yield from` for these: both ways go through one delegation.
        begun = begin(effect, args, kwargs, streamed=True) if not is_idle() else None
        source = (
            function(*args, **kwargs) if begun is None else drive_async(effect, begun, args, kwargs)
        )
        value = None
        resume = source.asend
        try:
            while True:
                try:
                    item = await resume(value)
                except StopAsyncIteration:
                    return
                try:
                    value = yield item
                    resume = source.asend
                except GeneratorExit:
                    await source.aclose()
                    raise
                except BaseException as error:
                    value, resume = error, source.athrow
        finally:
            await source.aclose()

    return wrapper
