"""Declared retries of transient errors: counted, waited for, and recorded.

What the last attempt met, too, is an outage: it says nothing of the system.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.execution.calling import Called


class _Attempt(Protocol):
    """What came of one attempt."""

    @property
    def called(self) -> Called:
        """The call of the system."""

    def met_outage(self) -> None:
        """Take note that it ended for something that was down."""


_AttemptT = TypeVar("_AttemptT", bound=_Attempt)


class Retries(NamedTuple):
    """At most `attempts` calls, again only after the error classes named in `on`.

    A class is named alone or with its module. The wait doubles from `wait_s` seconds;
    `before_wait` is told how long it will be.
    """

    attempts: int = 1
    on: tuple[str, ...] = ("TransientError",)
    wait_s: float = 1.0
    before_wait: Callable[[float], None] = lambda _: None

    def run(
        self, attempt: Callable[[], _AttemptT]
    ) -> tuple[_AttemptT, list[dict[str, Any]], float]:
        """The last attempt, the outcomes of those before it, and the seconds spent waiting."""
        last, before, waited_s = self._run(attempt)
        if self.is_transient(last.called.error):
            last.met_outage()
        return last, before, waited_s

    def _run(
        self, attempt: Callable[[], _AttemptT]
    ) -> tuple[_AttemptT, list[dict[str, Any]], float]:
        if self.attempts == 1:
            return attempt(), [], 0.0
        from tenacity import Retrying, retry_if_result, stop_after_attempt, wait_exponential

        made: list[_AttemptT] = []
        waits: list[float] = []

        def once() -> _AttemptT:
            made.append(attempt())
            return made[-1]

        def wait(told: float) -> None:
            seconds = float(told)  # tenacity has a kind of number of its own
            self.before_wait(seconds)
            waits.append(seconds)
            time.sleep(seconds)

        Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=wait_exponential(multiplier=self.wait_s),
            retry=retry_if_result(lambda result: self.is_transient(result.called.error)),
            retry_error_callback=lambda _: None,
            sleep=wait,
        )(once)
        return made[-1], [one.called.outcome.to_json() for one in made[:-1]], sum(waits)

    def is_transient(self, error: BaseException | None) -> bool:
        """Whether an error is of a class named in `on`, or of one derived from it.

        A group is transient when everything in it is.
        """
        if isinstance(error, BaseExceptionGroup):
            return all(map(self.is_transient, error.exceptions))
        return error is not None and any(
            c.__name__ in self.on or f"{c.__module__}.{c.__qualname__}" in self.on
            for c in type(error).__mro__
        )
