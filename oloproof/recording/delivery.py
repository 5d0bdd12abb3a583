"""How a fault reaches the agent at a call of a tool or a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from oloproof.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.paths import Absent
    from oloproof.records.faults import EffectKind
    from oloproof.records.trajectory import FaultKind


class ToolError(RuntimeError):
    """What a failing tool raises: which `fault`, and when to try again where it says so."""

    fault: FaultKind
    retry_after_s: float | None = None


class ToolTimeoutError(TimeoutError):
    """What a tool raises that gave no answer in time."""

    fault: FaultKind
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


def unaltered(basis: JsonValue) -> JsonValue:
    """The very thing, be it JSON or not."""
    return basis


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """A fault in plain data.

    The tool runs `runs` times. The agent then sees `error`, raised (with `timeout` as a
    `TimeoutError`) or returned as the tool's failures are; or, without an error, what
    `answer` makes of its `basis`, always returned:

    - `nothing`: null,
    - `result`: what the tool really gave,
    - `recorded`: what it gave when the case was recorded,
    - `earlier`: what the same call gave last, before the fault.

    `answer` gives `MISSING` where it can make nothing of that. Deliveries go to `calls` calls
    of the tool, the target first; None for all of them. `delay_s` is by how much the clock of
    `oloproof.now()` goes on; `visible` is whether the agent can tell that something failed.

    At a model the same holds, but that its recorded answer is its real one where there is one.
    `status_code` is what a provider's server would answer with.
    """

    fault: FaultKind
    runs: Literal[0, 1, 2] = 0
    error: str | None = None
    timeout: bool = False
    basis: Literal["nothing", "result", "recorded", "earlier"] = "recorded"
    answer: Callable[[JsonValue], JsonValue | Absent] = lambda _: MISSING
    retry_after_s: float | None = None
    status_code: int | None = None
    delay_s: float = 0.0
    visible: bool = True
    calls: int | None = 1

    @property
    def text(self) -> str:
        """What an exception of this fault says."""
        return self.error or self.fault

    def exception(self, kind: EffectKind = "tool") -> Exception:
        """The fault as an exception out of a tool or of a provider's client."""
        error = _EXCEPTIONS[kind, self.timeout](self.text)
        error.fault = self.fault
        error.retry_after_s = self.retry_after_s
        if isinstance(error, ModelError | ModelTimeoutError):
            error.status_code = self.status_code
        return error

    def returned(self) -> dict[str, JsonValue]:
        """The error of a tool that returns its failures."""
        out: dict[str, JsonValue] = {"error": self.text}
        if self.retry_after_s is not None:
            out["retry_after_s"] = self.retry_after_s
        return out
