"""The event loop of one sandbox, and the tasks in which its async calls are made.

What a case leaves running lives until the case has ended, and no longer. What was begun
outside of every case belongs to the sandbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from oloproof.contract import case_in
from oloproof.execution.deadline import DeadlinePassedError
from oloproof.execution.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.records.evidence import Phase

LINGER_S: Final = 0.5
"""How long a case that has ended is listened to: work that goes on may call a tool soon."""

LEFTOVERS_S: Final = 0.25
"""How long tasks that a case left behind may take to end once they are cancelled."""

_MOMENT_S: Final = 0.001

_ASK_AGAIN_S: Final = 0.02
"""A task that cleans up behind a shield has to be cancelled more than once."""


class SandboxLoop(asyncio.SelectorEventLoop):
    """A loop that knows which of its tasks belong to a case, and hands contexts on to threads."""

    def __init__(self) -> None:
        super().__init__()
        self.lasting: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._timers: WeakSet[asyncio.TimerHandle] = WeakSet()

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        """A task; one that is begun outside of every case is to last."""
        task: asyncio.Task[Any] = super().create_task(coro, **options)
        if case_in(options.get("context")) is None:
            self.lasting.add(task)
        return task

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, **options: Any
    ) -> asyncio.TimerHandle:
        """Call later; what a case asks for is remembered, be it a sleep of its tasks."""
        timer = super().call_at(when, callback, *args, **options)
        if case_in(options.get("context")) is not None:
            self._timers.add(timer)
        return timer

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        """Call in a thread, which knows the case that it works for."""
        if executor is None or isinstance(executor, ThreadPoolExecutor):
            func = functools.partial(copy_context().run, func)
        return super().run_in_executor(executor, func, *args)

    @property
    def leftovers(self) -> set[asyncio.Task[Any]]:
        """The tasks that a case has left running."""
        return asyncio.all_tasks(self) - set(self.lasting)

    def due_within(self, seconds: float) -> float | None:
        """In how many seconds the last has come of what a case asked for to come by then."""
        now = self.time()
        waits = [timer.when() - now for timer in self._timers if not timer.cancelled()]
        return max((wait for wait in waits if 0 < wait <= seconds), default=None)


class AsyncCalls:
    """Makes the async calls of one sandbox; the loop runs only while one of them is awaited.

    The calls of a case are made in one task, and an async `reset` in that of the case before:
    what is entered in one call may be left in another, such as a session that the next `reset`
    closes. A snapshot has a task of its own, for it must succeed whatever the agent is in.
    """

    def __init__(self) -> None:
        self._loop = SandboxLoop()
        self._keeper = self._made()
        self._runner = self._made()
        self._begun = False

    @property
    def is_lost(self) -> bool:
        """Whether the loop was closed: by the system, or because a task in it would not end."""
        return self._loop.is_closed()

    def make(self, phase: Phase, awaitable: Any, limit_s: float | None) -> Any:
        """What a call gives; `DeadlinePassedError` where it took longer than `limit_s`."""
        if phase == "snapshot":
            context = self._runner.context.copy()
            context.run(self._runner.adopt, copy_context())
            task = self._loop.create_task(_awaited(awaitable), context=context)
            return self._within(limit_s, task, task)
        if not self._begun and phase != "reset":
            self._renew()
        self._begun = True
        done = self._runner.begin(awaitable, resets=phase == "reset")
        value, error = self._within(limit_s, done, self._runner.task)
        if error is not None:
            raise error
        return value

    def keep(self, awaitable: Any) -> Any:
        """What is entered, or left, outside of all cases: in one task, so that scopes hold."""
        value, error = self._within(
            None, self._keeper.begin(awaitable, resets=False), self._keeper.task
        )
        self._renew()  # the calls see what was set in its context
        if error is not None:
            raise error
        return value

    def shed(self) -> bool:
        """Whether what an earlier case entered and never left spoiled a `reset`.

        It is rid of that now, and may be made again.
        """
        if self.is_lost or not self._runner.is_spoiled:
            return False
        self._renew()
        self._end_leftovers()
        return True

    def end_case(self, *, lingers: bool = False) -> None:
        """End the tasks that the case left running, so that they cannot touch the next one.

        Where it `lingers`, what sleeps shortly wakes up once more: so it is seen to go on.
        """
        wait_s = self._loop.due_within(LINGER_S) if lingers and not self.is_lost else None
        if wait_s is not None:
            with contextlib.suppress(BaseException):
                self._loop.run_until_complete(asyncio.sleep(wait_s + _MOMENT_S))
        if not self.is_lost:
            self._end_leftovers()
        self._begun = False

    def close(self) -> None:
        """End the tasks and close the loop."""
        if not self.is_lost:
            self._runner.leave()
            self._keeper.leave()
            self._end(lambda: {task: task for task in asyncio.all_tasks(self._loop)})
            self._loop.close()

    def _made(self, context: Context | None = None) -> Runner:
        runner = Runner(self._loop, Context() if context is None else context)
        self._loop.lasting.add(runner.task)
        return runner

    def _renew(self) -> None:
        self._runner.leave()
        self._runner = self._made(self._keeper.context.copy())

    def _end_leftovers(self) -> None:
        if not self._end(lambda: {task: task for task in self._loop.leftovers}):
            self._give_up()

    def _give_up(self) -> None:
        """Close the loop: a task that will not end must never run again."""
        self._runner.leave()
        self._keeper.leave()
        self._loop.close()

    def _within(
        self, limit_s: float | None, done: asyncio.Future[Any], task: asyncio.Task[Any]
    ) -> Any:
        """What `done` gives, which `task` works at; at the deadline the task is cancelled."""
        late: list[bool] = []

        def stop() -> None:
            late.append(True)
            self._loop.stop()

        clock = None if limit_s is None else self._loop.call_later(limit_s, stop)
        try:
            return self._loop.run_until_complete(done)
        except RuntimeError:
            if not late or done.done():
                raise
            raise DeadlinePassedError from None
        finally:
            if clock is not None:
                clock.cancel()
            unfinished = not self.is_lost and not done.done()
            if unfinished and not self._end(lambda: {} if done.done() else {done: task}):
                self._give_up()

    def _end(
        self, unfinished: Callable[[], Mapping[asyncio.Future[Any], asyncio.Task[Any]]]
    ) -> bool:
        """Cancel the tasks by which something is unfinished; False where that was in vain."""
        until = time.monotonic() + LEFTOVERS_S
        while waiting := unfinished():
            left_s = until - time.monotonic()
            if left_s <= 0:
                return False
            for task in waiting.values():
                task.cancel()
            # An exit in a task that is being ended does not end the worker.
            with contextlib.suppress(BaseException):
                wait = asyncio.wait(waiting, timeout=min(left_s, _ASK_AGAIN_S))
                self._loop.run_until_complete(wait)
            for future in filter(asyncio.Future.done, waiting):
                _look_at(future)
        return True


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


def _look_at(future: asyncio.Future[Any]) -> None:
    """Take note of what a task raised, so that nothing complains of it when it is forgotten."""
    if not future.cancelled():
        future.exception()
