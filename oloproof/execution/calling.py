"""Calls a user's code and turns however it ends into a value."""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, Outcome
from oloproof.systems.exceptions import describe, place

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from pathlib import Path

Phase: TypeAlias = Literal["reset", "call", "snapshot"]

LEFTOVERS_S: Final = 0.25
"""How long tasks that a call left behind may take to end once they are cancelled."""

_NEVER_AWAITED: Final = frozenset({type(None), bool, int, float, str, list, dict, tuple})


class Called(NamedTuple):
    """What a call gave (`MISSING` when it did not return) and how it ended."""

    value: Any
    outcome: Outcome
    error: BaseException | None = None


class Caller:
    """Calls sync and async code alike, on one event loop that is kept for the worker's life.

    The loop runs only while something is awaited, so that sync code may start one of its own.
    `clean` takes secrets out of what exceptions say, `root` is the project whose lines they
    name, and `before_call` hears that another call begins.
    """

    def __init__(
        self,
        timeout_s: float | None,
        *,
        clean: Callable[[str], str] = str,
        root: Path | None = None,
        before_call: Callable[[], None] = lambda: None,
    ) -> None:
        self._timeout_s = timeout_s
        self._clean = clean
        self._root = root
        self._before_call = before_call
        self._loop: asyncio.AbstractEventLoop | None = None

    def close(self) -> None:
        """Close the loop, if one was ever needed."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def call(self, phase: Phase, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Called:
        """`function(*args, **kwargs)`, awaited where it gives an awaitable.

        Whatever it raises, `SystemExit` included, becomes the outcome. An awaitable that
        takes longer than the deadline is cancelled; sync code that does is the parent's to end.
        """
        self._before_call()
        began = time.monotonic()
        try:
            value = function(*args, **kwargs)
            if type(value) not in _NEVER_AWAITED and inspect.isawaitable(value):
                value = self._await(value)
        except _DeadlinePassedError:
            return self._late(phase)
        except BaseException as error:
            return Called(MISSING, self.outcome_of(error, phase), error)
        if self._timeout_s is not None and time.monotonic() - began > self._timeout_s:
            return self._late(phase)  # it came back before its process was ended, and yet too late
        return Called(value, COMPLETED)

    def _late(self, phase: Phase) -> Called:
        late = f"no answer within {self._timeout_s:g} s"
        return Called(MISSING, Outcome("timed_out", late, phase=phase))

    def outcome_of(self, error: BaseException, phase: Phase) -> Outcome:
        """The outcome that an exception out of a user's code stands for."""
        status: Literal["exited", "raised"] = (
            "exited" if isinstance(error, SystemExit) else "raised"
        )
        where = place(error, self._root)
        return Outcome(status, describe(error, self._clean), where and self._clean(where), phase)

    def _await(self, awaitable: Any) -> Any:
        import asyncio  # a system that is not async must not pay for it

        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        loop = self._loop
        try:
            return self._within_deadline(loop, asyncio.ensure_future(awaitable, loop=loop))
        finally:
            if not loop.is_closed() and not _end_leftovers(loop):
                # A task that will not end must never run again: its loop is given up.
                self.close()

    def _within_deadline(self, loop: asyncio.AbstractEventLoop, task: asyncio.Future[Any]) -> Any:
        """What the task gives; when the deadline passes it is cancelled, and not waited for."""
        late: list[bool] = []

        def stop() -> None:
            late.append(True)
            loop.stop()

        task.add_done_callback(_look_at)
        clock = None if self._timeout_s is None else loop.call_later(self._timeout_s, stop)
        try:
            return loop.run_until_complete(task)
        except RuntimeError:
            if not late or task.done():
                raise
            task.cancel()
            raise _DeadlinePassedError from None
        finally:
            if clock is not None:
                clock.cancel()


class _DeadlinePassedError(Exception):
    pass


def _end_leftovers(loop: asyncio.AbstractEventLoop) -> bool:
    """End the tasks a call left behind, so that they cannot touch the next one's sandbox.

    False where some did not end in time.
    """
    import asyncio

    until = time.monotonic() + LEFTOVERS_S
    while leftovers := asyncio.all_tasks(loop):
        left_s = until - time.monotonic()
        if left_s <= 0:
            return False
        for task in leftovers:
            task.cancel()
        loop.run_until_complete(asyncio.wait(leftovers, timeout=left_s))
        for task in leftovers:
            if task.done():
                _look_at(task)
    return True


def _look_at(task: asyncio.Future[Any]) -> None:
    """Take note of what a task raised, so that nothing complains of it when it is forgotten."""
    if not task.cancelled():
        task.exception()
