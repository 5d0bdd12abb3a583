"""One task that makes calls one after another: what one of them enters, another may leave."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sys
from contextvars import Context, ContextVar, Token, copy_context
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.contract import case_in
from oloproof.recording.leftover_threads import OURS

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

_NAME: Final = f"{OURS}calls"


class _Work(NamedTuple):
    """A call to be made: `done` gets what it gave and what it raised."""

    awaitable: Any
    context: Context
    done: Future[tuple[Any, BaseException | None]]
    resets: bool


class _Task(asyncio.Task[None]):
    """The task of the calls, which nothing can cancel that outlived its own case."""

    runner: Runner

    def cancel(self, msg: Any = None) -> bool:
        """Cancel the call that is being made, if there is one."""
        return self.runner.heeds(case_in()) and super().cancel(msg)


class Runner:
    """Makes calls in one task and one context.

    What is set in the context of who asks for a call is set in this one, too.
    """

    def __init__(self, loop: AbstractEventLoop, context: Context) -> None:
        self._loop = loop
        self._asked = loop.create_future()
        self._work: _Work | None = None
        self._busy: _Work | None = None
        self._is_over = False
        self._intruded = False
        self._copied: dict[ContextVar[Any], tuple[object, Token[Any]]] = {}
        self.is_spoiled = False
        """Whether the last call failed in what an earlier case entered and did not leave."""
        self.context = context
        self.task = _Task(self._serve(), loop=loop, name=_NAME, context=self.context)
        self.task.runner = self
        # Where a loop had to be given up, the outcome of its case says so.
        self.task._log_destroy_pending = False  # type: ignore[attr-defined]

    def begin(self, awaitable: Any, *, resets: bool) -> Future[tuple[Any, BaseException | None]]:
        """Have a call made when the loop runs; what comes of it, and what it raises."""
        done = self._loop.create_future()
        self._work = _Work(awaitable, copy_context(), done, resets)
        self._wake()
        return done

    def leave(self) -> None:
        """End the task when the loop runs next."""
        self._is_over = True
        self._wake()

    def heeds(self, case: object) -> bool:
        """Whether code of a case may cancel what is done here.

        While the sandbox is reset, what an earlier case entered may be in the middle of ending.
        """
        if self._busy is None:
            return False
        foreign = getattr(case, "is_over", False)
        self._intruded = self._intruded or foreign
        return self._busy.resets or not foreign

    def adopt(self, context: Context) -> None:
        """Set what is set in another context, unless it was taken from there already."""
        for variable, value in context.items():
            was = self._copied.get(variable)
            if was is None or was[0] is not value:
                token = variable.set(value)
                self._copied[variable] = (value, token if was is None else was[1])
        for variable in self._copied.keys() - set(context):
            variable.reset(self._copied.pop(variable)[1])

    def _wake(self) -> None:
        if not self._asked.done():
            self._asked.set_result(None)

    async def _serve(self) -> None:
        while not self._is_over:
            await self._asked
            self._asked = self._loop.create_future()
            if self._work is not None:
                self._busy, self._work = self._work, None
                await self._do(self._busy)

    async def _do(self, work: _Work) -> None:
        value = error = None
        self._intruded = False
        before = _deadline()
        try:
            self.adopt(work.context)
            value = await work.awaitable
        except BaseException as raised:
            if self._is_over:
                raise  # the loop was given up
            error = raised
        spoiled = before < math.inf and _deadline() <= before
        self.is_spoiled = work.resets and (spoiled or (self._intruded and error is not None))
        self._busy = None
        await self._forget_cancels()
        if not work.done.done():
            work.done.set_result((value, error))

    async def _forget_cancels(self) -> None:
        """Let no request to end reach the next call that was meant for the last."""
        if self.task.cancelling():
            while self.task.cancelling():
                self.task.uncancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)


def _deadline() -> float:
    """When the scopes of `anyio` end what is done here: minus infinity where they do already."""
    anyio = sys.modules.get("anyio")
    try:
        return math.inf if anyio is None else float(anyio.current_effective_deadline())
    except Exception:
        return math.inf
