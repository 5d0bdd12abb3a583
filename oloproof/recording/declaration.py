"""What is declared of a tool or model function, and how its arguments are written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode, encode_foreign, to_json
from oloproof.errors import NotJsonError
from oloproof.recording.binding import Parameters
from oloproof.recording.dumping import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.canonical import JsonValue
    from oloproof.recording.on_fault import OnFault
    from oloproof.records.faults import EffectKind


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
