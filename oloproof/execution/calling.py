"""Calls a user's code and turns however it ends into a value."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE: Final = str(Path(__file__).resolve().parent.parent)


@dataclass(frozen=True, slots=True)
class Called:
    """What a call gave (`MISSING` when it did not return) and how it ended."""

    value: Any
    outcome: Outcome
    error: BaseException | None = None


class Caller:
    """Calls sync and async code alike, on one event loop that is kept for the worker's life.

    The loop runs only while something is awaited, so that sync code may start one of its own.
    """

    def __init__(self, timeout_s: float | None) -> None:
        self._timeout_s = timeout_s
        self._loop: asyncio.AbstractEventLoop | None = None

    def close(self) -> None:
        """Close the loop, if one was ever needed."""
        if self._loop is not None:
            self._loop.close()

    def call(
        self,
        phase: Literal["reset", "call", "snapshot"],
        function: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> Called:
        """`function(*args, **kwargs)`, awaited where it gives an awaitable.

        Whatever it raises, `SystemExit` included, becomes the outcome. An awaitable that
        takes longer than the deadline is cancelled; sync code that does is the parent's to end.
        """
        try:
            value = function(*args, **kwargs)
            if inspect.isawaitable(value):
                value = self._await(value)
        except _DeadlinePassed:
            return Called(
                MISSING,
                Outcome("timed_out", f"no answer within {self._timeout_s:g} s", phase=phase),
            )
        except BaseException as error:
            return Called(MISSING, outcome_of(error, phase), error)
        return Called(value, COMPLETED)

    def _await(self, awaitable: Any) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        loop = self._loop
        try:
            return loop.run_until_complete(self._within_deadline(awaitable))
        finally:
            _cancel_leftovers(loop)

    async def _within_deadline(self, awaitable: Any) -> Any:
        task = asyncio.ensure_future(awaitable)
        done, _ = await asyncio.wait({task}, timeout=self._timeout_s)
        if not done:
            task.cancel()
            raise _DeadlinePassed
        return task.result()


class _DeadlinePassed(Exception):
    pass


def _cancel_leftovers(loop: asyncio.AbstractEventLoop) -> None:
    """End the tasks a case left behind, so that they cannot touch the next one's sandbox."""
    leftovers = asyncio.all_tasks(loop)
    if leftovers:
        for task in leftovers:
            task.cancel()
        loop.run_until_complete(asyncio.wait(leftovers, timeout=1.0))


def outcome_of(error: BaseException, phase: Literal["reset", "call", "snapshot"]) -> Outcome:
    """The outcome that an exception out of a user's code stands for."""
    where = last_line_outside(error)
    if isinstance(error, SystemExit):
        return Outcome("exited", f"SystemExit({error.code!r})", where, phase)
    return Outcome("raised", describe(error), where, phase)


def describe(error: BaseException) -> str:
    """An exception in one line, its type first."""
    try:
        text = " ".join(str(error).split())[:500]
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def last_line_outside(error: BaseException) -> str | None:
    """File, line and function of the innermost frame in the user's own code."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_PACKAGE)
    ]
    if not frames:
        return None
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name}"
