"""Tools that are called in a declared order."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import asked, called, came_back, conversation, judged, said

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


SAID, ASKED = said("Done."), asked("And?")
QUEUED = called("search", status="queued", call_id="q")


@pytest.mark.parametrize(
    ("steps", "each_turn", "where_called"),
    [
        ([S, SAID], "p", "p"),
        ([SAID, S], "f", "f"),
        ([said("One moment."), S, SAID], "p", "p"),
        ([S, SAID, S], "p", "p"),
        ([SAID], "f", "n:no_ordered_call"),
        ([X, SAID], "f", "n:no_ordered_call"),
        ([S, X, SAID], "p", "p"),
        ([S, ASKED, SAID], "p", "p"),
        ([called("search", status="blocked"), SAID], "f", "n:no_ordered_call"),
        ([called("search", status="rejected"), SAID], "f", "f"),
        ([called("search", result=1), SAID], "p", "p"),
        ([QUEUED, SAID, came_back("search", 1, call_id="q")], "f", "f"),
    ],
)
def test_a_call_may_have_to_come_before_the_message_of_its_turn(
    steps: Any, each_turn: str, where_called: str
) -> None:
    """In each turn with a message, or where it is called at all."""
    for before, code in (("each_turn", each_turn), ("where_called", where_called)):
        line = {"type": "call_order", "order": ["search"], "before_message": before}
        assert code == judged(line, conversation(steps, replies=[None])).code
        second = conversation([S, SAID], steps, replies=[None, None])
        assert code == judged(line | {"turn": 2}, second).code
        both = judged(line, second).code
        assert both == ("f" if code == "f" else "p")


def test_the_reply_of_a_turn_comes_after_all_of_its_calls() -> None:
    """And one of an earlier turn is not enough."""
    line = {"type": "call_order", "order": ["search", "check"], "before_message": "each_turn"}
    assert "p" == judged(line, conversation([S, C], replies=["Done."])).code
    found = judged(line, conversation([S, C], [], replies=["Done.", "Done."]))
    assert "f" == found.code
    assert "the reply of turn 2 has no call of check before it" == found.detail
    late = judged(line, conversation([S, SAID, C], replies=[None]))
    assert (
        "the message at step 2 of turn 1 has no call of check before it: "
        "check (step 3 of turn 1) came after it" == late.detail
    )
    strict = line | {"strict": True}
    assert "f" == judged(strict, conversation([S, C, X], replies=["Done."])).code
    assert "p" == judged(strict, conversation([X, S, C], replies=["Done."])).code
    assert "f" == judged(line, conversation([C], replies=["Done."])).code


def test_a_message_whose_steps_are_not_known_is_missing() -> None:
    """That no call is there is known only where nothing was left out."""
    line = {"type": "call_order", "order": ["search"], "before_message": "each_turn"}
    cut = conversation([SAID], replies=[None], trajectory={"truncated": True})
    assert "m:trajectory_truncated" == judged(line, cut).code
