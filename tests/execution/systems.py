"""Systems of the kinds that users write, for the tests of their execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode, encode_in_order
from oloproof.execution.calling import Caller
from oloproof.execution.redaction import Redaction
from oloproof.execution.retrying import Retries
from oloproof.execution.running import Execution, Request
from oloproof.systems.python import PythonSystem

if TYPE_CHECKING:
    from collections.abc import Callable


class Sandbox:
    """A world with a function for an agent: `act(self, request)`."""

    def __init__(self, act: Callable[[Sandbox, Any], Any]) -> None:
        self.act = act
        self.world: Any = None

    def reset(self, state: Any) -> None:
        self.world = state

    def snapshot(self) -> Any:
        return self.world

    def __call__(self, request: Any) -> Any:
        return self.act(self, request)


def execution(
    target: Any,
    *,
    timeout_s: float = 5.0,
    redaction: Redaction | None = None,
    retries: Retries | None = None,
    on_report: Callable[[bytes], None] = lambda _: None,
) -> Execution:
    """The execution of cases on a system."""
    redaction = Redaction(()) if redaction is None else redaction
    return Execution(
        PythonSystem.of(target),
        Caller(timeout_s, clean=redaction.of_text),
        redaction,
        retries or Retries(),
        on_report,
    )


def request(given: Any = None, state: Any = None) -> Request:
    """A case; without a state an empty world."""
    return Request("c-1", encode_in_order(given), encode_in_order({} if state is None else state))


def evidence(running: Execution, given: Any = None, state: Any = None) -> dict[str, Any]:
    """The evidence of one case."""
    return dict(decode(running.run(request(given, state)).evidence_json))  # type: ignore[arg-type]
