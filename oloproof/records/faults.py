"""What the agent sees of a fault."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

EffectKind: TypeAlias = Literal["tool", "model"]
"""What an agent calls: a tool, or a language model."""

ModelPolicy: TypeAlias = Literal["live", "recorded"]
"""Where model calls behind a fault are answered: by the model, or from the recording alone."""

Duration: TypeAlias = Literal["once", "always"] | int
"""For how many calls a fault lasts; a number is at least 2, for one is `once`."""

FAULT_RESULTS: Final[dict[str, dict[str, str]]] = {
    "error": {"error": "internal error"},
    "timeout": {"error": "timeout"},
    "malformed": {"raw": '{"status": '},
}
"""What the agent sees of a fault whose result is fixed."""

APPLIED: Final = frozenset({"applied_error", "applied_timeout", "duplicate_delivery"})
"""The faults whose effect is there although it should not be, or the agent is told otherwise.

They cannot strike a model, which has no effect.
"""


def tool_or_model(kind: EffectKind, name: str) -> tuple[str | None, str | None]:
    """What is called, as the `tool` and the `model` of a report: one of them is None."""
    return (name, None) if kind == "tool" else (None, name)


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
