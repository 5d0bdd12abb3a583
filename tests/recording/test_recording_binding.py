"""Arguments stand under the names of the parameters, also those that do not fit."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from recording_desk import Recorded, Sandbox, record, replay

from oloproof.recording.declaration import Parameters
from oloproof.recording.effects import tool

RAN: list[str] = []


@tool
def plain(a: int, b: int = 2, *, c: str = "c") -> list[Any]:
    RAN.append("plain")
    return [a, b, c]


@tool
async def waited(a: int, b: int = 2, *, c: str = "c") -> list[Any]:
    RAN.append("waited")
    return [a, b, c]


@tool
def streamed(a: int, b: int = 2, *, c: str = "c") -> Iterator[Any]:
    RAN.append("streamed")
    yield [a, b, c]


@tool
async def streamed_async(a: int, b: int = 2, *, c: str = "c") -> AsyncIterator[Any]:
    RAN.append("streamed_async")
    yield [a, b, c]


class Desk:
    @tool
    def method(self, a: int, b: int = 2, *, c: str = "c") -> list[Any]:
        RAN.append("method")
        return [a, b, c]


@functools.wraps(plain)
def _as_value(*args: Any, **kwargs: Any) -> Any:
    try:
        return plain.__wrapped__(*args, **kwargs)
    except TypeError as error:
        return {"error": str(error)}


@functools.wraps(plain)
def _as_other_error(*args: Any, **kwargs: Any) -> Any:
    try:
        return plain.__wrapped__(*args, **kwargs)
    except TypeError as error:
        raise RuntimeError("bad call") from error


@functools.wraps(plain)
def _mended(*args: Any, **kwargs: Any) -> Any:
    return plain.__wrapped__(1)


def _failing(a: int) -> int:
    raise ValueError(a)


@functools.wraps(_failing)
def _mended_and_failing(*args: Any, **kwargs: Any) -> Any:
    return _failing(1)


def _run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Recorded:
    async def agent() -> Any:
        try:
            made = function(*args, **kwargs)
            if inspect.iscoroutine(made):
                return await made
            if isinstance(made, Iterator):
                return list(made)
            if isinstance(made, AsyncIterator):
                return [item async for item in made]
        except (TypeError, RuntimeError, ValueError) as error:
            return str(error)
        return made

    RAN.clear()
    recorded = record(Sandbox(), agent)
    assert replay(recorded, agent).difference is None
    return recorded


def _steps(recorded: Recorded) -> list[dict[str, Any]]:
    steps: Any = recorded.recording.trajectory.value["steps"]
    return list(steps)


SHAPES = [plain, waited, streamed, streamed_async, Desk().method]


@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("args", "kwargs", "recorded"),
    [
        ((), {}, {}),
        ((), {"b": 1}, {"b": 1}),
        ((1,), {"z": 2}, {"a": 1, "z": 2}),
        ((), {"A": 1, "c": "d"}, {"A": 1, "c": "d"}),
        ((1, 2, 3), {}, {"a": 1, "b": 2, "argument 3": 3}),
        ((1,), {"a": 2}, {"a": 2, "argument 1": 1}),
    ],
)
def test_arguments_that_do_not_fit_are_recorded_as_given_and_rejected(
    function: Callable[..., Any], args: tuple[int, ...], kwargs: dict[str, Any], recorded: Any
) -> None:
    """A call that its function refuses bears what was given, no defaults, and did not run."""
    steps = _steps(_run(function, *args, **kwargs))
    assert recorded == steps[0]["arguments"]
    assert ["rejected", "rejected"] == [step["status"] for step in steps[:2]]
    assert steps[1]["error"].startswith("TypeError: ")
    assert [] == RAN


@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
def test_arguments_that_fit_are_executed(function: Callable[..., Any]) -> None:
    """A call that its function takes bears every parameter, and ran."""
    steps = _steps(_run(function, 1, c="d"))
    assert {"a": 1, "b": 2, "c": "d"} == steps[0]["arguments"]
    assert ["executed", "executed"] == [step["status"] for step in steps[:2]]


@pytest.mark.parametrize(
    ("function", "status"),
    [
        (_as_value, "rejected"),
        (_as_other_error, "rejected"),
        (_mended, "executed"),
        (_mended_and_failing, "executed"),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_what_is_around_the_body_decides_nothing(function: Callable[..., Any], status: str) -> None:
    """A decorator below ours may turn the refusal into something else, or fix the arguments."""
    steps = _steps(_run(tool(name="wrapped")(function), z=1))
    assert ({"z": 1}, status) == (steps[0]["arguments"], steps[0]["status"])


def _all_kinds(a: int, /, b: int, *rest: int, c: int = 3, **words: int) -> None:
    """Nothing."""


@pytest.mark.parametrize(
    ("args", "kwargs", "bound"),
    [
        ((1, 2), {}, {"a": 1, "b": 2, "rest": (), "c": 3}),
        ((1, 2, 5), {"d": 4}, {"a": 1, "b": 2, "rest": (5,), "c": 3, "d": 4}),
        ((1,), {"b": 2, "c": 4}, {"a": 1, "b": 2, "rest": (), "c": 4}),
        ((1, 2), {"a": 9}, {"a": 1, "b": 2, "rest": (), "c": 3, "words": {"a": 9}}),
        ((1, 2), {"rest": 9}, {"a": 1, "b": 2, "rest": (), "c": 3, "words": {"rest": 9}}),
    ],
)
def test_every_kind_of_parameter_is_named(
    args: tuple[int, ...], kwargs: dict[str, int], bound: dict[str, Any]
) -> None:
    """Free words stand beside the parameters, unless one is called as a parameter is."""
    _all_kinds(*args, **kwargs)  # Python takes it
    assert (bound, True) == Parameters(_all_kinds).bind(args, kwargs)


@pytest.mark.parametrize(("args", "kwargs"), [((1,), {}), ((), {"a": 1, "b": 2}), ((), {})])
def test_what_python_refuses_does_not_fit(args: tuple[int, ...], kwargs: dict[str, int]) -> None:
    """The binding refuses what the function refuses."""
    with pytest.raises(TypeError):
        _all_kinds(*args, **kwargs)
    assert False is Parameters(_all_kinds).bind(args, kwargs).fits


def test_free_words_are_recorded_by_their_keys() -> None:
    """A tool that takes anything has the arguments that it is given."""
    call = tool(name="call")(lambda **arguments: len(arguments))
    anything = tool(name="anything")(lambda *args, **kwargs: len(args) + len(kwargs))
    steps = _steps(record(Sandbox(), lambda: [call(a=1, b=2), anything(1, 2, b=3)]))
    made = [step["arguments"] for step in steps if step["kind"] == "tool_call"]
    assert [{"a": 1, "b": 2}, {"args": [1, 2], "b": 3}] == made


def test_a_method_without_its_object_does_not_fit() -> None:
    """`Desk.method(a=1)` never comes to the body."""
    steps = _steps(_run(Desk.method, a=1))
    assert ({"a": 1}, "rejected") == (steps[0]["arguments"], steps[0]["status"])


def test_a_call_id_that_was_not_given_breaks_nothing() -> None:
    """The agent gets what the function raises, not what `call_id` does without the argument."""
    named = tool(name="named", call_id=lambda given: given["a"])(lambda a: a)
    recorded = _run(named, z=1)
    assert "unexpected keyword argument" in recorded.ending.output
    assert "rejected" == _steps(recorded)[0]["status"]
