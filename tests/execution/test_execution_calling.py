"""Calls of users' code, sync and async, however they end."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import time
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.contract import CurrentCase, open_case
from oloproof.execution import looping
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
        monkeypatch.setattr(looping, "LEFTOVERS_S", 0.05)
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


class TestCases:
    """What lives as long as its case, and what as long as its sandbox."""

    def test_tasks_left_behind_are_ended_with_their_case(self, caller: Caller) -> None:
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

        with a_case(caller):
            assert "done" == caller.call("call", act).value
        caller.call("call", asyncio.sleep, 0.05)
        assert [] == touched
        assert 2 == len(tasks)
        assert all(task.cancelled() for task in tasks)

    def test_a_task_lives_from_its_reset_to_the_end_of_its_case(self, caller: Caller) -> None:
        """Through every call and every snapshot, while something is awaited."""
        beats: list[int] = []

        async def beat() -> None:
            while True:
                beats.append(0)
                await asyncio.sleep(0)

        async def begin() -> None:
            asyncio.get_running_loop().create_task(beat())

        with a_case(caller):
            caller.call("reset", begin)
            for phase in ("call", "snapshot", "call", "snapshot"):
                count = len(beats)
                caller.call(phase, asyncio.sleep, 0.001)  # type: ignore[arg-type]
                assert count < len(beats)
        count = len(beats)
        caller.call("call", asyncio.sleep, 0.001)
        assert count == len(beats)

    def test_what_was_begun_outside_of_every_case_lasts(self, caller: Caller) -> None:
        """Tasks that such a task starts, too; what a case starts in between does not."""
        beats = dict.fromkeys(["sandbox", "child", "case"], 0)

        async def beat(name: str) -> None:
            while True:
                beats[name] += 1
                if name == "sandbox" and beats[name] == 5:
                    children.append(asyncio.create_task(beat("child")))
                await asyncio.sleep(0)

        children: list[Any] = []

        async def begin(name: str) -> None:
            children.append(asyncio.create_task(beat(name)))
            await asyncio.sleep(0)

        caller.call("call", begin, "sandbox")
        with a_case(caller):
            caller.call("call", begin, "case")
            caller.call("call", asyncio.sleep, 0.01)
        counts = dict(beats)
        caller.call("call", asyncio.sleep, 0.01)
        grew = [name for name, count in beats.items() if count > counts[name]]
        assert ["sandbox", "child"] == grew

    def test_what_a_leftover_raises_reaches_nobody(self, caller: Caller) -> None:
        """An exit in a task that is being ended does not end the worker, nor the next case."""

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

        async def fine() -> str:
            return "fine"

        with a_case(caller):
            assert "done" == caller.call("call", act).value
        assert Called("fine", COMPLETED) == caller.call("call", fine)

    def test_one_that_cleans_up_behind_a_shield_is_ended_too(self, caller: Caller) -> None:
        """It is asked more than once; the loop, and what lasts in it, goes on."""
        ended: list[str] = []

        async def shielded() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                try:
                    await asyncio.sleep(60)
                finally:
                    ended.append("shielded")

        async def act() -> Any:
            tasks.append(asyncio.ensure_future(shielded()))
            await asyncio.sleep(0)
            return asyncio.get_running_loop()

        tasks: list[Any] = []
        with a_case(caller):
            loop = caller.call("call", act).value
        assert ["shielded"] == ended
        with a_case(caller):
            assert loop is caller.call("call", act).value

    def test_the_calls_of_a_case_and_the_next_reset_are_made_in_one_task(
        self, caller: Caller
    ) -> None:
        """What one enters the other may leave; a snapshot is beside it, for it only reads."""

        async def look() -> Any:
            return asyncio.current_task()

        tasks = []
        for _ in range(2):
            with a_case(caller):
                tasks += [caller.call(phase, look).value for phase in PHASES]
        assert 1 == len({tasks[n] for n in (0, 1, 3, 4)})
        assert tasks[2] not in tasks[:2]

    def test_without_an_async_reset_each_case_has_a_task_of_its_own(self, caller: Caller) -> None:
        """Nothing could leave in the next case what was entered in this one."""

        async def look() -> Any:
            return asyncio.current_task()

        tasks = []
        for _ in range(2):
            with a_case(caller):
                tasks += [caller.call("call", look).value for _ in range(2)]
        assert tasks[0] is tasks[1]
        assert tasks[1] is not tasks[2]

    def test_what_is_set_in_one_call_is_seen_in_the_next(self, caller: Caller) -> None:
        """A variable of the context, and a token with which the next reset undoes it."""
        variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
        tokens: list[Any] = []

        async def reset() -> str:
            if tokens:
                variable.reset(tokens.pop())
            found = variable.get()
            tokens.append(variable.set("set in reset"))
            return found

        async def look() -> str:
            return variable.get()

        for _ in range(2):
            with a_case(caller):
                assert "none" == caller.call("reset", reset).value
                assert "set in reset" == caller.call("call", look).value
                assert "set in reset" == caller.call("snapshot", look).value

    def test_a_timeout_that_was_entered_and_never_left_strikes_no_other_case(
        self, caller: Caller
    ) -> None:
        """The task is still in it; it cannot be cancelled by what outlived its case."""

        async def reset() -> None:
            await asyncio.timeout(0.02).__aenter__()

        async def act() -> str:
            await asyncio.sleep(0.05)
            return "acted"

        async def fix() -> None:
            pass

        with a_case(caller):
            assert "completed" == caller.call("reset", reset).outcome.status
        with a_case(caller):
            caller.call("reset", fix)
            assert "acted" == caller.call("call", act).value

    def test_a_timeout_that_spans_calls_strikes_its_own_case(self, caller: Caller) -> None:
        """As it does where the calls are made one after another by hand."""

        async def reset() -> None:
            await asyncio.timeout(0.02).__aenter__()

        with a_case(caller):
            caller.call("reset", reset)
            assert "raised" == caller.call("call", asyncio.sleep, 5).outcome.status
            assert "snapshot" == caller.call("snapshot", Immediately).value


PHASES: Any = ("reset", "call", "snapshot")


class Immediately:
    """What is awaited and waits for a turn of the loop."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return "snapshot"


@contextlib.contextmanager
def a_case(caller: Caller) -> Iterator[None]:
    """A case of a sandbox, from its reset to its end."""
    case = CurrentCase(id="c", input_json=b"null", report=lambda _: None)
    with open_case(case):
        yield
    caller.end_case()


class TestLoops:
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
