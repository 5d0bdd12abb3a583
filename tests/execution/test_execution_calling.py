"""Calls of users' code, sync and async, however they end."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import time
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.execution import calling
from oloproof.execution.calling import Called, Caller
from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def caller() -> Iterator[Caller]:
    caller = Caller(5.0)
    yield caller
    caller.close()


def raising(error: BaseException) -> Any:
    def sync() -> None:
        raise error

    async def later() -> None:
        await asyncio.sleep(0)
        raise error

    return sync, later


class Lazy:
    """An object that can be awaited, and calls that give one."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return "awaited"


class TestReturns:
    def test_sync_and_async_are_called_alike(self, caller: Caller) -> None:
        """Functions, methods, objects with an async call, and whatever else can be awaited."""

        async def later(value: int, *, more: int = 0) -> int:
            return value + more

        class Agent:
            async def __call__(self, value: int) -> int:
                return value

        assert 3 == caller.call("call", lambda x: x, 3).value
        assert 3 == caller.call("call", later, 1, more=2).value
        assert 3 == caller.call("call", Agent(), 3).value
        assert "awaited" == caller.call("call", Lazy).value

    def test_one_loop_is_kept(self, caller: Caller) -> None:
        """A client that belongs to the loop of the first call works in the next one."""
        loops = []

        async def look() -> None:
            loops.append(asyncio.get_running_loop())

        caller.call("call", look)
        caller.call("snapshot", look)
        assert loops[0] is loops[1]

    def test_sync_code_may_run_a_loop_of_its_own(self, caller: Caller) -> None:
        """`asyncio.run` in a sync system is fine, before and after async calls."""

        async def later() -> str:
            return "done"

        for _ in range(2):
            assert "done" == caller.call("call", lambda: asyncio.run(later())).value
            assert "done" == caller.call("call", later).value

    def test_async_code_sees_the_callers_context(self, caller: Caller) -> None:
        """What is current around the call is current inside of it."""
        variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")

        async def look() -> str:
            return variable.get()

        variable.set("here")
        assert "here" == caller.call("call", look).value

    def test_it_is_told_before_every_call(self) -> None:
        """Whoever watches may start a clock."""
        told: list[str] = []
        caller = Caller(5.0, before_call=lambda: told.append("begins"))
        caller.call("reset", lambda: told.append("called"))
        assert ["begins", "called"] == told


class TestRaises:
    @pytest.mark.parametrize(
        ("error", "status", "text"),
        [
            (ValueError("no"), "raised", "ValueError: no"),
            (SystemExit(0), "exited", "SystemExit: 0"),
            (SystemExit(), "exited", "SystemExit"),
            (KeyboardInterrupt(), "raised", "KeyboardInterrupt"),
            (GeneratorExit(), "raised", "GeneratorExit"),
            (asyncio.CancelledError(), "raised", "CancelledError"),
            (BaseExceptionGroup("two", [KeyboardInterrupt()]), "raised", "BaseExceptionGroup: two"),
            (MemoryError(), "raised", "MemoryError"),
            (StopAsyncIteration("x"), "raised", "StopAsyncIteration: x"),
            (TimeoutError("mine"), "raised", "TimeoutError: mine"),
        ],
    )
    def test_whatever_is_raised_is_an_outcome(
        self, caller: Caller, error: BaseException, status: str, text: str
    ) -> None:
        """Nothing comes through, and the next call works."""
        for function in raising(error):
            called = caller.call("call", function)
            assert (MISSING, status) == (called.value, called.outcome.status)
            assert (called.outcome.error or "").startswith(text)
            assert "test_execution_calling.py:" in (called.outcome.where or "")
            assert error is called.error
            assert "next" == caller.call("call", lambda: "next").value

    def test_the_phase_is_kept(self, caller: Caller) -> None:
        """It says during which call it happened."""
        sync, _ = raising(ValueError())
        assert "snapshot" == caller.call("snapshot", sync).outcome.phase

    def test_a_recursion_without_end_is_an_outcome(self, caller: Caller) -> None:
        """Its thousand frames are not told."""

        def deeper() -> None:
            deeper()

        assert "RecursionError" in (caller.call("call", deeper).outcome.error or "")

    def test_no_secret_is_told(self) -> None:
        """Neither in the text nor in the name of a function."""
        caller = Caller(5.0, clean=lambda text: text.replace("hush", "*"))

        def hush() -> None:
            raise ValueError("hush hush")

        outcome = caller.call("call", hush).outcome
        assert "ValueError: * *" == outcome.error
        assert (outcome.where or "").endswith(" in *")

    def test_nothing_is_left_to_complain_of(
        self, caller: Caller, caplog: pytest.LogCaptureFixture
    ) -> None:
        """What ended a task is told once, as the outcome."""
        for error in (SystemExit(1), KeyboardInterrupt(), ValueError("no")):
            _, later = raising(error)
            caller.call("call", later)
            del later
        caller.close()
        gc.collect()
        assert [] == caplog.records


class TestDeadlines:
    def test_an_async_call_is_ended_at_its_deadline(self) -> None:
        """It is cancelled; the process lives on."""
        caller = Caller(0.05)
        ended: list[str] = []

        async def hang() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("cancelled")

        called = caller.call("call", hang)
        assert ("timed_out", "no answer within 0.05 s") == (
            called.outcome.status,
            called.outcome.error,
        )
        assert ["cancelled"] == ended

    def test_a_call_that_will_not_be_cancelled_never_runs_again(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its loop is given up: the next case's sandbox is safe from it."""
        monkeypatch.setattr(calling, "LEFTOVERS_S", 0.05)
        caller = Caller(0.05)
        beats: list[float] = []

        async def stubborn() -> None:
            while True:
                try:
                    await asyncio.sleep(0.001)
                except asyncio.CancelledError:
                    continue
                beats.append(time.monotonic())

        async def short() -> str:
            await asyncio.sleep(0.01)
            return "short"

        assert "timed_out" == caller.call("call", stubborn).outcome.status
        count = len(beats)
        assert count > 0
        assert "short" == caller.call("call", short).value
        assert count == len(beats)


class TestLeftovers:
    def test_tasks_left_behind_are_ended(self, caller: Caller) -> None:
        """Those that they start while they end, too."""
        touched: list[str] = []

        async def late(name: str) -> None:
            try:
                await asyncio.sleep(0.02)
                touched.append(name)
            except asyncio.CancelledError:
                if name == "parent":
                    tasks.append(asyncio.ensure_future(late("child")))
                raise

        tasks: list[Any] = []

        async def act() -> str:
            tasks.append(asyncio.ensure_future(late("parent")))
            await asyncio.sleep(0)
            return "done"

        async def linger() -> None:
            await asyncio.sleep(0.05)

        assert "done" == caller.call("call", act).value
        caller.call("call", linger)
        assert [] == touched
        assert 2 == len(tasks)
        assert all(task.cancelled() for task in tasks)

    def test_what_a_leftover_raises_is_its_own_cases_outcome(self, caller: Caller) -> None:
        """An exit in a task that is being ended does not end the worker."""

        async def late() -> None:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                raise SystemExit(1) from None

        tasks: list[Any] = []

        async def act() -> str:
            tasks.append(asyncio.ensure_future(late()))
            await asyncio.sleep(0)
            return "done"

        assert "exited" == caller.call("call", act).outcome.status

        async def fine() -> str:
            return "fine"

        assert Called("fine", COMPLETED) == caller.call("call", fine)

    def test_a_system_may_close_or_stop_the_loop(self, caller: Caller) -> None:
        """The next call gets another one."""
        loops: list[Any] = []

        async def stop() -> None:
            loops.append(asyncio.get_running_loop())
            loops[0].stop()
            await asyncio.sleep(60)

        async def fine() -> str:
            return "fine"

        assert "raised" == caller.call("call", stop).outcome.status
        loops[0].close()
        assert "fine" == caller.call("call", fine).value

    def test_a_system_may_cancel_every_task(self, caller: Caller) -> None:
        """Ours among them."""

        async def cancel_all() -> None:
            for task in asyncio.all_tasks():
                task.cancel()
            await asyncio.sleep(60)

        assert "raised" == caller.call("call", cancel_all).outcome.status
        assert "fine" == caller.call("call", lambda: "fine").value


def test_an_answer_that_comes_too_late_is_none() -> None:
    """Sync code cannot be stopped; what it gives after its deadline counts no more than nothing."""
    caller = Caller(0.05)
    late = caller.call("call", lambda: time.sleep(0.1) or "late")
    assert ("timed_out", "no answer within 0.05 s") == (late.outcome.status, late.outcome.error)
    assert MISSING is late.value
    assert "in time" == caller.call("call", lambda: "in time").value
