"""Declared functions of every shape, outside of a case and inside of one."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from recording_desk import Sandbox, record, replay, run

from oloproof.errors import OloproofError
from oloproof.recording.effects import model, tool

MARK = object()


@tool
def plain(a: int, b: int = 2, *, c: str = "c") -> list[Any]:
    """Doc."""
    return [a, b, c]


@tool(name="renamed", reads=True)
async def waited(a: int) -> int:
    await asyncio.sleep(0)
    return a


@tool
def counted(n: int) -> Iterator[int]:
    yield from range(n)
    return "end"  # type: ignore[return-value]


@tool
async def counted_async(n: int) -> AsyncIterator[int]:
    for number in range(n):
        await asyncio.sleep(0)
        yield number


@tool
def anything(*args: int, **kwargs: int) -> int:
    return len(args) + len(kwargs)


@tool
def marked(a: int, b: Any = MARK) -> int:
    return a


class Desk:
    @tool
    def method(self, a: int) -> int:
        return a

    @tool
    @staticmethod
    def outer_static(a: int) -> int:
        return a

    @staticmethod
    @tool
    def inner_static(a: int) -> int:
        return a

    @tool
    @classmethod
    def outer_class(cls, a: int) -> str:
        return f"{cls.__name__}{a}"

    @classmethod
    @tool
    def inner_class(cls, a: int) -> str:
        return f"{cls.__name__}{a}"

    def bare(self, a: int) -> int:
        return a

    def __call__(self, a: int) -> int:
        return a


bound = tool(name="bound")(Desk().bare)
callable_object = tool(Desk())
partial = tool(name="partial")(functools.partial(Desk().bare, a=1))


def calls(agent: Callable[[], Any]) -> list[tuple[str, Any, Any]]:
    """Name, arguments and result of each tool call."""
    steps: Any = record(Sandbox(), agent).recording.trajectory.value["steps"]
    made = [step for step in steps if step["kind"] == "tool_call"]
    gave = {step["call_id"]: step for step in steps if step["kind"] == "tool_result"}
    return [(s["tool_name"], s["arguments"], gave[s["call_id"]].get("result")) for s in made]


async def _use_all() -> list[Any]:
    return [
        plain(1),
        await waited(1),
        list(counted(2)),
        [n async for n in counted_async(2)],
    ]


def test_outside_of_a_case_a_declared_function_is_as_it_was() -> None:
    """Without a session each shape gives what it always gave."""
    assert [[1, 2, "c"], 1, [0, 1], [0, 1]] == run(_use_all)


def test_a_declared_function_keeps_name_signature_and_shape() -> None:
    """What asks a function for its shape sees no difference."""
    assert ("plain", "Doc.") == (plain.__name__, plain.__doc__)
    assert ["a", "b", "c"] == list(inspect.signature(plain).parameters)
    assert inspect.iscoroutinefunction(waited)
    assert inspect.isgeneratorfunction(counted)
    assert inspect.isasyncgenfunction(counted_async)


def test_every_shape_is_recorded_with_its_arguments_and_defaults() -> None:
    """A call is recorded by its name, its arguments by theirs, and its result."""
    assert [
        ("plain", {"a": 1, "b": 2, "c": "c"}, [1, 2, "c"]),
        ("renamed", {"a": 1}, 1),
        ("counted", {"n": 2}, [0, 1]),
        ("counted_async", {"n": 2}, [0, 1]),
    ] == calls(_use_all)


def test_the_object_of_a_method_is_no_argument() -> None:
    """Methods of every kind are recorded without the object or class they are of."""
    desk = Desk()

    def agent() -> list[Any]:
        return [
            desk.method(1),
            desk.outer_static(1),
            desk.inner_static(1),
            desk.outer_class(1),
            desk.inner_class(1),
            bound(1),
            callable_object(1),
            partial(),
        ]

    made = calls(agent)
    assert [{"a": 1}] * 8 == [arguments for _, arguments, _ in made]
    assert ["bound", "Desk", "partial"] == [name for name, _, _ in made][5:]


def test_a_default_that_marks_nothing_given_is_left_out() -> None:
    """A default that is no JSON is no argument, until something else is given for it."""
    recording = record(Sandbox(), lambda: [marked(1), marked(1, 2)]).recording
    assert ['{"a":1}', '{"a":1,"b":2}'] == [event.arguments for event in recording.events]
    assert recording.obstacle is None


def test_arguments_that_are_no_json_are_noted_with_their_path() -> None:
    """They are never served, so a dumped form is enough to compare them."""
    recorded = record(Sandbox(), lambda: marked(1, {"x": {1, 2}}))
    [note] = recorded.recording.notes
    assert "arguments_not_json" == note.kind
    assert "an argument of marked is not JSON" in note.detail
    assert "b.x" in note.detail
    assert replay(recorded, lambda: marked(1, {"x": {2, 1}})).difference is None
    again = replay(recorded, lambda: marked(1, {"x": {1, 3}}))
    assert again.divergence is not None
    assert "changed_args" == again.divergence.kind


def test_a_result_that_is_no_json_reaches_the_agent_unchanged() -> None:
    """The value is the agent's, and what it holds is recorded."""

    @tool
    def odd() -> dict[str, set[int]]:
        return {"ids": {1}}

    recorded = record(Sandbox(), lambda: 1 in odd()["ids"])
    assert True is recorded.ending.output
    [note] = recorded.recording.notes
    assert ("result_not_json", True) == (note.kind, "ids" in note.detail)
    assert '{"ids":[1]}' == recorded.recording.events[0].result


def test_a_tuple_is_recorded_as_a_list() -> None:
    """JSON knows no tuples."""
    pair = tool(name="pair")(lambda a: (a, a))
    assert [("pair", {"a": [1, 2]}, [[1, 2], [1, 2]])] == calls(lambda: pair((1, 2)))


def test_what_is_changed_after_the_call_does_not_change_the_recording() -> None:
    """Arguments and results are kept as they were when they passed."""

    @tool
    def give(items: list[int]) -> list[int]:
        return items

    def agent() -> None:
        items = [1]
        give(items).append(2)

    assert [("give", {"items": [1]}, [1])] == calls(agent)


def test_values_can_be_sent_into_a_generator() -> None:
    """A generator that is talked with works; its case cannot be replayed."""

    @tool
    def echo() -> Iterator[Any]:
        got = None
        while True:
            try:
                got = yield got
            except KeyError:
                got = "caught"

    @tool
    async def echo_async() -> AsyncIterator[Any]:
        got = None
        while True:
            try:
                got = yield got
            except KeyError:
                got = "caught"

    async def agent() -> list[Any]:
        one: Any = echo()
        two: Any = echo_async()
        out = [next(one), one.send(1), one.throw(KeyError()), await anext(two)]
        out += [await two.asend(2), await two.athrow(KeyError())]
        one.close()
        await two.aclose()
        return out

    assert [None, 1, "caught", None, 2, "caught"] == run(agent)
    recorded = record(Sandbox(), agent)
    assert [None, 1, "caught", None, 2, "caught"] == recorded.ending.output
    obstacle = recorded.recording.obstacle
    assert obstacle is not None
    assert "stream_was_sent_values" == obstacle.kind


def test_a_generator_keeps_what_it_returns() -> None:
    """`yield from` gets a generator's value, recorded and served."""

    def agent() -> Any:
        def reader() -> Iterator[int]:
            return (yield from counted(2))

        reading = reader()
        while True:
            try:
                next(reading)
            except StopIteration as stop:
                return stop.value

    recorded = record(Sandbox(), agent)
    assert "end" == recorded.ending.output
    assert replay(recorded, agent).difference is None


def test_options_are_checked_where_they_are_given() -> None:
    """A wrong option or something that is no function is refused at once."""
    with pytest.raises(ValueError, match="on_fault"):
        tool(on_fault="ignore")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"@oloproof\.model takes a function, not `int`"):
        model(3)  # type: ignore[call-overload]


class MadeByAFramework:
    """A tool as frameworks make them of a function: some can be called, too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def invoke(self, arguments: dict[str, Any]) -> Any:
        return self.function(**arguments)

    def __call__(self, **arguments: Any) -> Any:
        return self.function(**arguments)


def test_a_frameworks_tool_is_declared_below_its_decorator() -> None:
    """Above it, the framework would call what is not recorded; below it every call is."""
    with pytest.raises(OloproofError, match="takes a function, not `MadeByAFramework`") as refused:
        tool(MadeByAFramework(lambda a: a))
    assert "put `@oloproof.tool` below the decorator" in str(refused.value)
    made = MadeByAFramework(tool(name="below")(lambda a: a))
    assert [("below", {"a": 1}, 1)] == calls(lambda: made.invoke({"a": 1}))


def test_a_call_id_is_made_of_the_arguments() -> None:
    """`call_id` names the calls in the trajectory."""
    named = tool(name="named", call_id=lambda arguments: f"id-{arguments['a']}")(lambda a: a)
    steps: Any = record(Sandbox(), lambda: named(7)).recording.trajectory.value["steps"]
    assert ["id-7", "id-7"] == [step["call_id"] for step in steps[:2]]
