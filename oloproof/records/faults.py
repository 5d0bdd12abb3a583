"""What a fault is: one table of all kinds, each a module of `oloproof/replaying/faults`.

Whatever needs to know something of a fault asks for its plan here; the modules are loaded by
their names, so that a suite without a fault loads none of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from oloproof.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.paths import Absent

_FOLDER: Final = "oloproof.replaying.faults"

EffectKind: TypeAlias = Literal["tool", "model"]
"""What an agent calls: a tool, or a language model."""

ModelPolicy: TypeAlias = Literal["live", "recorded"]
"""Where model calls behind a fault are answered: by the model, or from the recording alone."""

Duration: TypeAlias = Literal["once", "always"] | int
"""For how many calls a fault lasts; a number is at least 2, for one is `once`."""


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
    `status_code` is what a provider's server would answer with. A replay `by_hand` delivers
    those that are the same for every tool; `instructs` is whether the agent is told what
    to do by nobody who may. In `order` they are tried where all are, and then by name.
    """

    fault: str
    order: int = 100
    runs: Literal[0, 1, 2] = 0
    error: str | None = None
    timeout: bool = False
    basis: Literal["nothing", "result", "recorded", "earlier"] = "recorded"
    answer: Callable[[JsonValue], JsonValue | Absent] = lambda _: MISSING
    retry_after_s: float | None = None
    status_code: int | None = None
    delay_s: float = 0.0
    visible: bool = True
    by_hand: bool = False
    instructs: bool = False
    calls: int | None = 1

    @property
    def text(self) -> str:
        """What an exception of this fault says."""
        return self.error or self.fault

    @property
    def applied(self) -> bool:
        """Whether an effect is there although it should not be, or the agent is told otherwise.

        It cannot strike a model, which has no effect.
        """
        return self.runs > 1 or (self.runs == 1 and self.error is not None)

    def returned(self) -> dict[str, JsonValue]:
        """The error of a tool that returns its failures."""
        out: dict[str, JsonValue] = {"error": self.text}
        if self.retry_after_s is not None:
            out["retry_after_s"] = self.retry_after_s
        return out


@cache
def fault_names() -> tuple[str, ...]:
    """The name of every kind of fault: one module each, sorted."""
    folder = importlib.import_module(_FOLDER).__path__
    return tuple(sorted(module.name for module in pkgutil.iter_modules(folder)))


@cache
def plan_of(fault: str) -> FaultPlan:
    """What a kind of fault is."""
    plan: FaultPlan = importlib.import_module(f"{_FOLDER}.{fault}").PLAN
    return plan


@cache
def faults_at(kind: EffectKind) -> tuple[str, ...]:
    """The faults that can strike a tool or a model, in the order in which `all` tries them."""
    plans = sorted(map(plan_of, fault_names()), key=lambda plan: plan.order)
    return tuple(plan.fault for plan in plans if kind == "tool" or not plan.applied)


def fixed_result(fault: str | None) -> Any:
    """What the agent sees of a fault whose result is the same for every tool; else None.

    With a duration it is none that a replay by hand could deliver.
    """
    plan = plan_of(fault) if fault in fault_names() else None
    if plan is None or not plan.by_hand:
        return None
    return plan.returned() if plan.error is not None else plan.answer(None)


def tool_or_model(kind: EffectKind, name: str) -> tuple[str | None, str | None]:
    """What is called, as the `tool` and the `model` of a report: one of them is None."""
    return (name, None) if kind == "tool" else (None, name)


def is_duration(given: object) -> bool:
    """Whether it says for how many calls a fault lasts: `once`, `always`, or a number of them."""
    number = isinstance(given, int) and not isinstance(given, bool) and given >= 1
    return number or given in ("once", "always")


def fault_label(fault: str, duration: Duration) -> str:
    """A kind of fault with its duration as one word or two: `error`, `error x3`, `error always`."""
    if duration == "once":
        return fault
    return f"{fault} {duration}" if duration == "always" else f"{fault} x{duration}"


def read_fault_label(label: str) -> tuple[Any, Duration]:
    """The kind of fault and the duration of a label."""
    fault, _, lasts = label.partition(" ")
    if not lasts:
        return fault, "once"
    return fault, "always" if lasts == "always" else int(lasts.removeprefix("x"))
