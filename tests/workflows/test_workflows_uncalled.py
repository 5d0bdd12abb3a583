"""Tools that checks name and no case called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oloproof.engine.tool_notices import Uncalled, is_one_slip
from oloproof.evaluation.registry import bind_all, lines_of

ORDER = {"type": "call_order", "order": ["look", "pay"]}


def notices(line: dict[str, Any], *called: str) -> list[str]:
    found = Uncalled(bind_all(lines_of([line], Path("given")), []))
    found.see({"kind": "tool_call", "tool_name": tool} for tool in called)
    return found.notices()


def test_a_tool_of_an_order_that_no_case_called_is_noted() -> None:
    """Whatever it is called: its order was not checked."""
    assert [] == notices(ORDER, "pay", "look")
    told = "lists `{}`, which no case called: its order was not checked"
    assert [f"`call_order` {told.format('pay')}"] == notices(ORDER, "look")
    assert 2 == len(notices(ORDER))
    assert 2 == len(notices(ORDER | {"cases": ["a*"]}))
    alone = {"type": "call_order", "order": ["message"], "before_message": "each_turn"}
    assert [f"`call_order` {told.format('message')}"] == notices(alone, "look")


@pytest.mark.parametrize("line", [ORDER, {"type": "calls", "forbidden": ["pay"]}])
def test_a_name_that_is_spelt_like_a_called_one_is_noted_with_it(line: dict[str, Any]) -> None:
    """That a forbidden tool is never called is no mistake in itself."""
    assert "did you mean `pays`?" in notices(line, "look", "pays")[0]
    if line is not ORDER:
        assert [] == notices(line, "look")


@pytest.mark.parametrize(
    ("named", "known", "alike"),
    [
        ("cancle", "cancel", True),
        ("bok", "book", True),
        ("boook", "book", True),
        ("cook", "book", True),
        ("booke", "book", True),
        ("book", "book", False),
        ("pay", "pat", True),
        ("ab", "ba", False),
        ("look", "pays", False),
        ("cnacle", "cancel", False),
    ],
)
def test_one_slip_of_the_pen_is_a_name_misspelt(named: str, known: str, alike: bool) -> None:
    """A letter more, less or another, or two that are swapped."""
    assert alike is is_one_slip(named, known) is is_one_slip(known, named)


def test_a_ban_on_a_declared_tool_is_right_whatever_is_called() -> None:
    """A declared tool need not be called; one that is spelt like a declared one is noted."""
    ban = bind_all(lines_of([{"type": "calls", "forbidden": ["cancle"]}], Path("given")), [])
    assert "did you mean `cancel`?" in Uncalled(ban, {"cancel": False}).notices()[0]
    assert [] == Uncalled(ban, {"cancel": False, "cancle": False}).notices()
