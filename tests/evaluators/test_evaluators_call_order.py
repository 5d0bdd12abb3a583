"""Tools that are called in a declared order."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, came_back, conversation, judged

from oloproof.errors import ConfigurationError

LINE = {"type": "call_order", "order": ["search", "check", "reserve"]}
S, C, R, X = (called(tool) for tool in ("search", "check", "reserve", "log"))


@pytest.mark.parametrize(
    ("turns", "options", "code"),
    [
        ([[S, C, R]], {}, "p"),
        ([[S, X, C, X, R, R]], {}, "p"),
        ([[S], [C], [R]], {}, "p"),
        ([[S, C]], {}, "p"),
        ([[C, S, R]], {}, "f"),
        ([[S, R]], {}, "f"),
        ([[R, S, C]], {}, "f"),
        ([[S, X]], {}, "n:no_ordered_call"),
        ([[S], [C, R]], {"turn": 2}, "f"),
        ([[S, C, R]], {"strict": True}, "p"),
        ([[X, S, C, R, X]], {"strict": True}, "p"),
        ([[S, X, C, R]], {"strict": True}, "f"),
        ([[S, called("log", status="blocked"), C, R]], {"strict": True}, "p"),
        ([[S, called("check", status="cancelled"), R]], {}, "f"),
        ([[S, called("check", status="rejected"), R]], {}, "f"),
        ([[S, called("check", status="rejected"), C, R]], {"strict": True}, "p"),
        ([[S, called("reserve", status="rejected"), C]], {}, "f"),
    ],
)
def test_each_call_has_one_of_the_tool_before_it(turns: Any, options: Any, code: str) -> None:
    """Anywhere before it, or with `strict` right before it."""
    assert code == judged(LINE | options, conversation(*turns)).code


def test_a_queued_call_stands_where_it_was_executed() -> None:
    """It may be made before what has to come first."""
    queued = called("reserve", status="queued", call_id="q")
    done = came_back("reserve", 1, status="executed", call_id="q")
    assert "p" == judged(LINE, conversation([queued, S, C, done])).code


def test_the_call_and_what_is_not_before_it_are_named() -> None:
    """With turn and step."""
    verdict = judged(LINE, conversation([S], [R, C]))
    assert "reserve (step 2 of turn 2) has no call of check before it" == verdict.detail


def test_one_tool_has_no_order() -> None:
    """At least two are needed."""
    with pytest.raises(ConfigurationError, match="one tool alone has no order"):
        judged(LINE | {"order": ["search"]}, conversation([]))
