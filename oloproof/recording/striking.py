"""Delivers a fault at the calls that it strikes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from oloproof.canonical import JsonValue, decode, to_json
from oloproof.errors import NotJsonError
from oloproof.paths import Absent
from oloproof.recording.delivery import exception_of, outcome_of, way_to_fail
from oloproof.recording.dumping import describe_failure
from oloproof.recording.lanes import undisturbed
from oloproof.records.faults import unaltered
from oloproof.records.shapes import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.recording.delivery import Failing
    from oloproof.recording.events import Event
    from oloproof.recording.positions import ReplayedCase, Runs
    from oloproof.records.faults import FaultPlan


class Around(NamedTuple):
    """The sandbox before a struck call and, where its body ran, right after; None if not known."""

    before: bytes | None = None
    after: bytes | None = None
    ran: bool = False


class Striking:
    """One fault in one replay, and how often it was delivered; `snapshot` reads the sandbox."""

    def __init__(
        self,
        plan: FaultPlan,
        target: Event,
        session: ReplayedCase,
        snapshot: Callable[[], bytes] | None = None,
    ) -> None:
        self.plan = plan
        self._target = target
        self._session = session
        self._struck = 0
        self._raised: list[BaseException] = []
        self._snapshot = snapshot
        self.around: Around | None = None

    def look_before(self) -> None:
        """Read the sandbox before the first call that is struck."""
        if self.around is None:
            self.around = Around(self._look())

    def _look_after(self) -> None:
        """Read it once that call's body ran, and before anybody sees what came of it."""
        if self.around is not None and not self.around.ran:
            self.around = self.around._replace(after=self._look(), ran=True)

    def _look(self) -> bytes | None:
        if self._snapshot is None:
            return None
        try:
            with undisturbed():
                return self._snapshot()
        except Exception:
            return None  # it cannot be had in the middle of a case

    def let_through(self, error: BaseException | None) -> bool:
        """Whether what the agent raised is a fault that reached it, or was raised from one.

        What it raised while it handled one may well be of another cause.
        """
        if isinstance(error, BaseExceptionGroup):
            return any(map(self.let_through, error.exceptions))
        while error is not None:
            if any(error is raised for raised in self._raised):
                return True
            error = error.__cause__
        return False

    def strikes_again(self, event: Event) -> bool:
        """Whether a call behind the first delivery is struck too; it is then counted."""
        if (event.kind, event.name) != (self._target.kind, self._target.name):
            return False
        if self.plan.calls is not None and self._struck >= self.plan.calls:
            return False
        self._struck += 1
        return True

    def first(self, event: Event) -> None:
        """The target is struck."""
        if event.kind == "model" and self.plan.applied:
            self._session.stop("fault_not_for_models", f"{self.plan.fault} at {event.name}")
        self._struck = 1

    def runs(self, event: Event) -> int:
        """How often the struck function runs: a model whose answer is recorded does not."""
        return 0 if self._session.is_recorded(event) else self.plan.runs

    def deliver(self, event: Event, runs: Runs) -> Any:
        """What the agent sees: a value, or the exception raised."""
        plan = self.plan
        if runs:
            self._look_after()
        way = way_to_fail(event.on_fault, plan.fault, fails=plan.error is not None)
        outcome = self._answer(event, runs) if way is None else self._failure(event, way)
        self._session.virtual_s += plan.delay_s + (plan.retry_after_s or 0.0)
        event.fault = {
            "fault": plan.fault,
            "as": "raised" if isinstance(outcome, BaseException) else "returned",
            "applied": any(error is None for _, error in runs),
        }
        if way is None and not plan.visible:
            event.fault["visible"] = False
        if isinstance(outcome, BaseException):
            self._raised.append(outcome)
            raise outcome
        return outcome

    def _failure(self, event: Event, way: Failing) -> object:
        """What comes out of a failing call, to be raised where it is an exception."""
        if way == "return":
            return self.plan.returned()
        try:
            return outcome_of(way, exception_of(self.plan, event.kind))
        except Exception as error:
            self._session.stop("on_fault_raised", f"{event.name}: {describe_failure(error).line}")

    def _answer(self, event: Event, runs: Runs) -> JsonValue:
        match self.plan.basis:
            case "nothing":
                basis = None
            case "result":
                basis = self._result(event, runs)
            case "recorded":
                basis = self._recorded(self._target)
            case "earlier":
                basis = self._earlier(event)
        answer = self.plan.answer(basis)
        if isinstance(answer, Absent):
            self._session.stop("nothing_to_alter", event.name)
        return answer

    def _result(self, event: Event, runs: Runs) -> JsonValue:
        if self._session.is_recorded(event):
            assert event.source is not None
            if event.source.ending == "raised":
                self._session.stop("nothing_to_alter", event.name)
            return self._recorded(event.source)
        value, error = runs[0]
        if error is not None:
            self._session.stop("nothing_to_alter", event.name)
        if self.plan.answer is unaltered:
            return cast("JsonValue", value)  # the agent gets its own, whatever it is
        try:
            return to_json(value, f"the result of {event.name}")
        except NotJsonError as problem:
            self._session.stop("result_not_json", f"{event.name}: {problem.what}")

    def _recorded(self, source: Event) -> JsonValue:
        """What a call gave when it was recorded; null where it raised."""
        text = source.result
        if text is None:
            return None
        if REDACTED in text:
            self._session.stop("redacted_value_needed", source.name)
        if source.dumped is not None:
            self._session.stop("result_not_json", f"{source.name}: {source.dumped}")
        return decode(text.encode())

    def _earlier(self, event: Event) -> JsonValue:
        """What the last call with equal arguments before this one gave."""
        key = (event.kind, event.name, event.arguments)
        found = next(
            (
                other
                for other in reversed(self._session.events[: event.index])
                if (other.kind, other.name, other.arguments) == key
                and other.result is not None
                and other.ending == "returned"
                and not other.fault
            ),
            None,
        )
        if found is None or found.result is None:
            self._session.stop("no_earlier_answer", event.name)
        if found.dumped is not None:
            self._session.stop("result_not_json", f"{found.name}: {found.dumped}")
        return decode(found.result.encode())
