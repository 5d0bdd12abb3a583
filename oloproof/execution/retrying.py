"""Declared retries of transient errors: counted, waited for, and recorded."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.execution.running import Performance


@dataclass(frozen=True, slots=True)
class Retries:
    """At most `attempts` calls, again only after the error classes named in `on`.

    The wait doubles from `wait_s` seconds; `before_wait` is told how long it will be.
    """

    attempts: int = 1
    on: tuple[str, ...] = ("TransientError",)
    wait_s: float = 1.0
    before_wait: Callable[[float], None] = lambda _: None

    def run(self, attempt: Callable[[], Performance]) -> tuple[Performance, list[dict[str, Any]]]:
        """The last attempt, and the outcomes of those before it."""
        if self.attempts == 1:
            return attempt(), []
        from tenacity import Retrying, retry_if_result, stop_after_attempt, wait_exponential

        failed: list[dict[str, Any]] = []

        def once() -> Performance:
            performance = attempt()
            if self.is_transient(performance):
                failed.append(performance.called.outcome.to_json())
            return performance

        performance = Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=wait_exponential(multiplier=self.wait_s),
            retry=retry_if_result(self.is_transient),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
            sleep=self._sleep,
        )(once)
        if self.is_transient(performance):
            failed.pop()  # the last attempt is the outcome itself
        return performance, failed

    def is_transient(self, performance: Performance) -> bool:
        """Whether the call raised an error of a class named in `on`, or of one derived from it."""
        error = performance.called.error
        return error is not None and any(c.__name__ in self.on for c in type(error).__mro__)

    def _sleep(self, seconds: float) -> None:
        self.before_wait(seconds)
        time.sleep(seconds)
