"""Exceptions out of tools, recorded and made again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from recording_desk import Sandbox, record, replay

from oloproof.recording.effects import tool


class OrderError(Exception):
    def __init__(self, order: str, code: int) -> None:
        super().__init__(order, code)
        self.order = order


class StubbornError(Exception):
    def __init__(self, order: str) -> None:
        super().__init__(f"no order {order}", object())


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad"),
        KeyError("key"),
        OrderError("o1", 3),
        FileNotFoundError(2, "no such file", "name"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "why"),
        StubbornError("o1"),
        ValueError((1, 2)),
    ],
)
def test_a_served_exception_is_made_again_or_nothing_is_served(error: Exception) -> None:
    """Its type, arguments and attributes come from the recording; what JSON lacks stops it."""

    @tool
    def fail() -> None:
        raise error

    last = tool(name="last")(lambda: None)

    def agent() -> list[Any]:
        try:
            fail()
        except type(error) as caught:
            told = [str(caught), getattr(caught, "order", None), getattr(caught, "filename", None)]
        last()
        return told

    recorded = record(Sandbox(), agent)
    again = replay(recorded, agent, recorded.call("last"))
    if isinstance(error, StubbornError | UnicodeDecodeError) or error.args == ((1, 2),):
        assert "exception_not_rebuilt" == again.reason
        assert again.detail is not None
        assert again.detail.startswith("fail: ")
    else:
        assert again.difference is None
        assert recorded.ending.output == again.ending.output


def test_an_exception_that_differs_is_a_changed_result() -> None:
    """A tool that fails in another way did not reproduce."""
    errors = iter([ValueError("one"), ValueError("two")])

    @tool
    def fail() -> None:
        raise next(errors)

    def agent() -> None:
        with suppress(ValueError):
            fail()

    again = replay(record(Sandbox(), agent), agent)
    assert again.divergence is not None
    assert "changed_result" == again.divergence.kind
    assert [{"error": "ValueError: one"}, {"error": "ValueError: two"}] == [
        again.divergence.expected,
        again.divergence.actual,
    ]
