"""What comes out of a declared function that a fault strikes is its user's to say."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from recording_desk import Again, Sandbox, record, replay

from oloproof.recording.effects import model, tool
from oloproof.replaying.plans import fault_plan

Declared = Callable[[], Any]


class RateLimitError(Exception):
    """As a client of some service raises it."""


class TimedOutError(Exception):
    """One that takes nothing and says the same each time."""

    def __init__(self) -> None:
        super().__init__("no answer in time")


class RefusedError(Exception):
    """One that cannot be made of a text."""

    def __init__(self, *, response: dict[str, int]) -> None:
        super().__init__("refused")
        self.response = response


def raises(fault: Exception) -> object:
    raise RateLimitError(str(fault))


def plain(on_fault: Any, declare: Any = tool) -> Declared:
    """An agent with a plain tool."""
    pay = declare(name="pay", on_fault=on_fault)(lambda: {"paid": 1})
    return lambda: caught(pay)


def caught(call: Declared) -> Any:
    try:
        return call()
    except Exception as error:
        return error


def struck(agent: Any, kind: Any = "error") -> tuple[Any, Again]:
    """What the agent's first call gave under a fault, or the exception it raised."""
    recorded = record(Sandbox(), agent)
    assert {"paid": 1} == recorded.ending.output or [1] == recorded.ending.output
    made = replay(recorded, agent, 0, fault_plan(kind))
    return made.ending.output, made


@pytest.mark.parametrize(
    ("on_fault", "kind", "text"),
    [
        (RateLimitError, RateLimitError, "internal error"),
        (TimedOutError, TimedOutError, "no answer in time"),
        (RefusedError(response={"status": 429}), RefusedError, "refused"),
        (lambda fault: RateLimitError(f"told: {fault}"), RateLimitError, "told: internal error"),
        (lambda fault: fault, RuntimeError, "internal error"),
        ({"error": RateLimitError, "timeout": TimedOutError}, RateLimitError, "internal error"),
        ({"timeout": TimedOutError}, RuntimeError, "internal error"),
    ],
)
def test_a_fault_is_raised_as_its_user_says(on_fault: Any, kind: Any, text: str) -> None:
    """A class, an instance or a function, for all faults or by their kind."""
    got, made = struck(plain(on_fault))
    assert isinstance(got, kind)
    assert (True, text) == (made.trusted, str(got))
    step: Any = made.trajectory.value["steps"][1]
    assert ("raised", type(got).__name__) == (step["fault"]["as"], step["error"].partition(":")[0])


@pytest.mark.parametrize(
    ("on_fault", "given"),
    [
        (lambda fault: {"failed": str(fault)}, {"failed": "internal error"}),
        (lambda fault: f"Error: {fault}", "Error: internal error"),
        ({"error": "return"}, {"error": "internal error"}),
        (lambda fault: [fault.fault, fault.retry_after_s], ["error", None]),
    ],
)
def test_what_is_no_exception_is_returned(on_fault: Any, given: Any) -> None:
    """A function may make the answer of a tool that tells of its failures."""
    got, made = struck(plain(on_fault))
    assert (True, given) == (made.trusted, got)
    step: Any = made.trajectory.value["steps"][1]
    assert ("returned", given) == (step["fault"]["as"], step["result"])


def test_an_answer_that_is_no_failure_is_raised_only_where_its_kind_is_named() -> None:
    """A client that reads what comes back raises at what it cannot read."""
    unread = json.JSONDecodeError("Expecting value", "", 0)
    got, _ = struck(
        plain({"malformed": unread, "empty": lambda _: RateLimitError("nothing")}), "malformed"
    )
    assert unread is got
    got, made = struck(plain({"empty": RateLimitError}), "empty")
    assert ("empty", RateLimitError) == (str(got), type(got))
    step: Any = made.trajectory.value["steps"][1]
    assert "visible" not in step["fault"]
    for on_fault in (RateLimitError, "return", {"error": RateLimitError}, {"malformed": "return"}):
        assert {"raw": '{"status": '} == struck(plain(on_fault), "malformed")[0]


def test_a_function_that_raises_says_nothing_of_the_agent() -> None:
    """The replay is missing: nobody knows whether it meant to."""
    _, made = struck(plain(raises))
    assert ("on_fault_raised", "pay: RateLimitError: internal error") == (made.reason, made.detail)


@pytest.mark.parametrize("declare", [tool, model])
@pytest.mark.parametrize("shape", ["async", "generator", "async generator", "method"])
def test_every_shape_of_function_fails_in_the_way_of_its_user(declare: Any, shape: str) -> None:
    """Sync and async, streams and methods, tools and models."""
    made = declare(name="pay", on_fault=RateLimitError)

    @made
    async def pay_async() -> Any:
        return {"paid": 1}

    @made
    def pay_stream() -> Iterator[int]:
        yield 1

    @made
    async def pay_async_stream() -> AsyncIterator[int]:
        yield 1

    class Desk:
        @made
        def pay(self) -> Any:
            return {"paid": 1}

    async def wait() -> Any:
        try:
            if shape == "async":
                return await pay_async()
            return [item async for item in pay_async_stream()]
        except Exception as error:
            return error

    agents: dict[str, Any] = {
        "async": wait,
        "async generator": wait,
        "generator": lambda: caught(lambda: list(pay_stream())),
        "method": lambda: caught(Desk().pay),
    }
    got, again = struck(agents[shape])
    assert (True, RateLimitError) == (again.trusted, type(got))


@pytest.mark.parametrize(
    ("on_fault", "told"),
    [
        (RefusedError, "RefusedError cannot be made of a text alone"),
        (KeyboardInterrupt, "which KeyboardInterrupt is not"),
        ({"eror": RateLimitError}, "did you mean `error`"),
        ({"error": "rise"}, "on_fault for error is 'raise'"),
        (7, "not 7"),
        (SystemExit(1), "not SystemExit"),
    ],
)
@pytest.mark.parametrize("declare", [tool, model])
def test_what_is_no_way_to_fail_is_refused_where_it_is_declared(
    on_fault: Any, told: str, declare: Any
) -> None:
    """Nobody wants to learn of it in the middle of a replay."""
    with pytest.raises(ValueError, match=told):
        declare(on_fault=on_fault)


def test_a_coroutine_function_makes_no_exception() -> None:
    """A plain function could not wait for it."""

    async def late(fault: Exception) -> Exception:
        return fault

    with pytest.raises(ValueError, match="plain function"):
        tool(on_fault=late)
