"""The exceptions by which a fault reaches the agent at a call of a tool or a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from oloproof.records.faults import EffectKind, FaultPlan


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
