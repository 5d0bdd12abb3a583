"""Calls a user's code and turns however it ends into a value."""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from oloproof.execution.deadline import DeadlinePassedError
from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, Outcome
from oloproof.systems.exceptions import describe, place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.execution.looping import AsyncCalls
    from oloproof.records.evidence import Phase

_NEVER_AWAITED: Final = frozenset({type(None), bool, int, float, str, list, dict, tuple})


class Called(NamedTuple):
    """What a call gave (`MISSING` when it did not return) and how it ended."""

    value: Any
    outcome: Outcome
    error: BaseException | None = None


class Caller:
    """Calls sync and async code alike, on one event loop that is kept for the sandbox's life.

    The loop runs only while something is awaited, so that sync code may start one of its own.
    Tasks that a call leaves running live on until `end_case`.
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
        self._async: AsyncCalls | None = None
        self._lost = 0

    def close(self) -> None:
        """Close the loop, if one was ever needed."""
        if self._async is not None:
            self._async.close()
            self._async = None

    @property
    def lost_loops(self) -> int:
        """How many event loops were closed because a task in them would not end."""
        return self._lost + (self._async is not None and self._async.is_lost)

    def keep(self, function: Callable[[], Any]) -> Called:
        """A call outside of all cases, which begins or ends what lives as long as the sandbox.

        It has no deadline. What is awaited is so in one task, apart from that of the cases.
        """
        try:
            value = function()
            if inspect.isawaitable(value):
                value = self._loop().keep(value)
        except BaseException as error:
            return Called(MISSING, self.outcome_of(error, "reset"), error)
        return Called(value, COMPLETED)

    def end_case(self, *, lingers: bool = False) -> None:
        """End the tasks that the calls since the last end left running.

        Where it `lingers`, what they wait for now may come first, if it comes soon.
        """
        if self._async is not None:
            self._async.end_case(lingers=lingers)

    def shed(self) -> bool:
        """Whether a `reset` may be made again: an earlier case spoiled it, which is over now."""
        return self._async is not None and self._async.shed()

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
                value = self._await(phase, value)
        except DeadlinePassedError:
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

    def _await(self, phase: Phase, awaitable: Any) -> Any:
        return self._loop().make(phase, awaitable, self._timeout_s)

    def _loop(self) -> AsyncCalls:
        from oloproof.execution.looping import AsyncCalls  # only an async system pays for it

        if self._async is None or self._async.is_lost:
            self._lost = self.lost_loops
            self._async = AsyncCalls()
        return self._async
