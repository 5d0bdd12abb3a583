"""How a fault reaches the agent at a call: what its function says comes out of it when it fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from oloproof.errors import suggest
from oloproof.records.faults import fault_names

if TYPE_CHECKING:
    from oloproof.records.faults import EffectKind, FaultPlan

Failing: TypeAlias = (
    Literal["raise", "return"] | Exception | type[Exception] | Callable[[Any], object]
)
"""One way to fail: a plain exception, `{"error": text}`, an exception of the user's, or what a
function makes of the fault, to be raised or returned."""

OnFault: TypeAlias = Failing | Mapping[str, Failing]
"""One way for all faults, or one by kind of fault; a kind that is not named raises."""


def check_on_fault(given: object) -> None:
    """Refuses what is no way to fail, with a `ValueError`, where it is declared."""
    if not isinstance(given, Mapping):
        _check(given, "on_fault")
        return
    kinds = fault_names()
    for kind, way in given.items():
        if kind not in kinds:
            raise ValueError(f"on_fault: `{kind}` is no fault: {suggest(str(kind), kinds)}")
        _check(way, f"on_fault for {kind}")


def way_to_fail(on_fault: OnFault, fault: str, *, fails: bool) -> Failing | None:
    """How a fault comes out; None for an altered answer, of which nothing else is said.

    `fails` is whether the fault is a failure by itself; an answer is one where its kind is named.
    """
    if not isinstance(on_fault, Mapping):
        return on_fault if fails else None
    way = on_fault.get(fault, "raise" if fails else "return")
    return way if fails or way != "return" else None


def outcome_of(way: Failing, fault: Exception) -> object:
    """What comes out of a failing function, to be raised where it is an exception.

    Raises what a function of the user's raises instead of giving something.
    """
    if way == "raise":
        return fault
    if isinstance(way, Exception):
        return way.with_traceback(None)
    if isinstance(way, type) and issubclass(way, Exception):
        return _made(way, str(fault))
    make: Any = way
    return make(fault)


def _check(way: object, name: str) -> None:
    if isinstance(way, str | BaseException) or not callable(way):
        if way in ("raise", "return") or isinstance(way, Exception):
            return
        raise ValueError(
            f"{name} is 'raise', 'return', an exception (a class or an instance) or a function "
            f"of the fault, not {way!r}"
        )
    if inspect.iscoroutinefunction(way):
        raise ValueError(f"{name} is a plain function: nobody could await what a coroutine gives")
    if isinstance(way, type) and issubclass(way, BaseException):
        if not issubclass(way, Exception):
            raise ValueError(f"{name} is an `Exception`, which {way.__name__} is not")
        _made(way, "internal error")


def _made(kind: type[Exception], text: str) -> Exception:
    """An exception of a text, or of nothing where its class takes none."""
    for args in ((text,), ()):
        try:
            return kind(*args)
        except Exception:  # noqa: S112  # the next way is tried
            continue
    raise ValueError(
        f"on_fault: {kind.__name__} cannot be made of a text alone: give an instance of it, or a "
        "function that makes one of the fault"
    )


class ToolError(RuntimeError):
    """What a failing tool raises: which `fault`, and when to try again where it says so."""

    fault: str
    retry_after_s: float | None = None


class ToolTimeoutError(TimeoutError):
    """What a tool raises that gave no answer in time."""

    fault: str
    retry_after_s: float | None = None


class ModelError(ToolError):
    """What the client of a model's provider raises; `status_code` as in the answer over HTTP."""

    status_code: int | None = None


class ModelTimeoutError(ToolTimeoutError):
    """What the client of a model's provider raises that got no answer in time."""

    status_code: int | None = None


_EXCEPTIONS: Final[dict[tuple[EffectKind, bool], type[ToolError | ToolTimeoutError]]] = {
    ("tool", False): ToolError,
    ("tool", True): ToolTimeoutError,
    ("model", False): ModelError,
    ("model", True): ModelTimeoutError,
}


def exception_of(plan: FaultPlan, kind: EffectKind = "tool") -> Exception:
    """A fault as an exception out of a tool or of a provider's client."""
    error = _EXCEPTIONS[kind, plan.timeout](plan.text)
    error.fault = plan.fault
    error.retry_after_s = plan.retry_after_s
    if isinstance(error, ModelError | ModelTimeoutError):
        error.status_code = plan.status_code
    return error
