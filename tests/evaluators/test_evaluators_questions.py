"""Asking again for what is known, and asking for a confirmation that nobody needs."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, said, updated

from oloproof.errors import ConfigurationError

AGAIN = {
    "type": "asks_again",
    "known": {"attendees": ["how many people", "сколько человек"], "starts_at": ["which day"]},
}
KNOWN = [{"attendees": 6, "starts_at": None}]


STORE = called("store", {"attendees": 6}, {"ok": True})
ASKED = said("How many?")


def spoken(text: str, **fields: Any) -> Any:
    return conversation([said(text)], replies=[None], **fields)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("For how many people?", "f"),
        ("Ясно. На сколько ЧЕЛОВЕК?", "f"),  # noqa: RUF001
        ("For which day?", "p"),
        ("You told me how many people: six.", "p"),
        ("You asked: “how many people?” There is room for all.", "p"),
        ("How many rooms?", "p"),
    ],
)
def test_a_question_for_a_known_value_fails(text: str, code: str) -> None:
    """Null is not known; a statement or a quotation asks nothing."""
    assert code == judged(AGAIN, spoken(text, active=KNOWN)).code


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([], "p"),
        ([STORE, ASKED], "f"),
        ([ASKED, STORE], "p"),
        ([STORE, ASKED, STORE], "m:no_recorded_state"),
        ([STORE], "f"),
    ],
)
def test_a_question_is_held_against_the_world_after_the_calls_before_it(
    steps: Any, code: str
) -> None:
    """What the agent has just written down is known; the reply comes after all of its turn."""
    line = {"type": "asks_again", "known": {"attendees": ["how many"]}, "of": "world"}
    reply = None if ASKED in steps else "How many?" if steps else "Good."
    after = {"attendees": 6} if steps else {}
    context = conversation(steps, replies=[reply], initial={}, worlds=[after])
    assert code == judged(line, context).code


def test_the_question_is_told_with_the_known_value() -> None:
    """And with the message it stands in."""
    verdict = judged(AGAIN, spoken("Fine. For how many people?", active=KNOWN))
    assert (
        "the message at step 1 of turn 1 asks for `attendees`, which is 6: "
        "“For how many people?”" == verdict.detail
    )


def test_what_is_known_is_known_at_the_moment_of_the_question() -> None:
    """Asked before the update was committed, it was not known yet."""
    question, update = said("For how many people?"), updated(1, attendees=6)
    assert "p" == judged(AGAIN, conversation([], [question, update], active=[{}, KNOWN[0]])).code
    assert "f" == judged(AGAIN, conversation([], [update, question], active=[{}, KNOWN[0]])).code
    assert "m:no_recorded_state" == judged(AGAIN, spoken("For how many people?")).code
    assert "p" == judged(AGAIN, spoken("Good morning.")).code
    assert "m:no_text" == judged(AGAIN, conversation([], replies=[None])).code
    expected = {"turns": {"1": {"state": {"attendees": 6}}}}
    asked = spoken("For how many people?", expected=expected)
    assert "f" == judged(AGAIN | {"of": "expected"}, asked).code


def test_a_system_may_say_itself_what_it_asks_for() -> None:
    """Then its words are not looked at."""
    step = {"kind": "decision", "metadata": {"asks": ["attendees"]}}
    context = conversation([step, said("And?")], replies=[None], active=KNOWN)
    assert "step 1 of turn 1 asks for `attendees`" in str(judged(AGAIN, context).detail)
    nothing = {"kind": "decision", "metadata": {"asks": []}}
    silent = conversation([nothing, said("For how many people?")], replies=[None], active=KNOWN)
    assert "p" == judged(AGAIN, silent).code


CONFIRM = {"type": "needless_confirmation", "patterns": ["are you sure", "really replace"]}


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("Should I really replace 12 by 6?", {}, "f"),
        ("I am not asking whether you are sure.", {}, "p"),
        ("Replaced. Anything else?", {}, "p"),
        ("Are you sure?", {"conflict_turns": [1]}, "n:no_message"),
    ],
)
def test_a_confirmation_is_asked_for_only_in_a_conflict(
    text: str, options: dict[str, Any], code: str
) -> None:
    """A plain correction needs none."""
    assert code == judged(CONFIRM | options, spoken(text)).code


def test_a_case_may_say_which_turn_is_a_conflict_and_a_step_what_it_asks() -> None:
    """The step's own word comes before the patterns."""
    conflict = {"turns": {"1": {"conflict": True}}}
    assert "n:no_message" == judged(CONFIRM, spoken("Are you sure?", expected=conflict)).code
    for asks, code in ((True, "f"), (False, "p")):
        step = {"kind": "decision", "metadata": {"asks_confirmation": asks}}
        context = conversation([step, said("Are you sure?")], replies=[None])
        assert code == judged(CONFIRM, context).code


def test_a_pattern_without_words_is_refused() -> None:
    """Nothing could be looked for."""
    with pytest.raises(ConfigurationError, match="the pattern `\\?` has no words"):
        judged(CONFIRM | {"patterns": ["?"]}, spoken("…"))
