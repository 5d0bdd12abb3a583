"""What messages claim, against the calls before them and the state when they were sent."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import (
    asked,
    called,
    conversation,
    judged,
    places,
    said,
    updated,
)
from evaluator_samples import case, evaluator, evidence

from oloproof.evaluation.contract import Context
from oloproof.paths import MISSING

BOOKED = {"type": "claims", "says": ["booked", "reserved"], "needs": {"call": "reserve"}}
RESERVE = called("reserve", {"room": "amber"}, {"accepted": True})
CLAIM = said("I have booked the room.")


@pytest.mark.parametrize(
    ("turns", "code"),
    [
        ([[RESERVE, CLAIM]], "p"),
        ([[RESERVE], [CLAIM]], "p"),
        ([[CLAIM]], "f"),
        ([[CLAIM, RESERVE]], "f"),
        ([[CLAIM], [RESERVE]], "f"),
        ([[called("reserve", status="queued"), CLAIM]], "f"),
        ([[called("reserve", status="cancelled"), CLAIM]], "f"),
        ([[called("reserve", error="no room"), CLAIM]], "f"),
        ([[called("search", result=1), CLAIM]], "f"),
        ([[said("Nothing was booked.")]], "p"),
        ([[said("The hotel is fully booked.")]], "p"),
        ([[said("Shall it be booked?")]], "p"),
        ([[said("I have overbooked nothing.")]], "p"),
        ([[said("I think it is booked.")]], "m:claim_unclear"),
        ([[said("I think it is booked.")], [CLAIM]], "f"),
        ([[asked("You have booked it, have you not?"), said("No.")]], "p"),
        ([[said("I have booked it.", to_agent="clerk"), said("One moment.")]], "p"),
    ],
)
def test_a_claim_needs_a_call_before_its_message(turns: list[Any], code: str) -> None:
    """A denial, a question and other words need none; what is unclear is missing."""
    assert code == judged(BOOKED, conversation(*turns, replies=[None] * len(turns))).code


def test_a_claim_without_evidence_is_told_with_its_words() -> None:
    """Message, clause, and what is not there."""
    verdict = judged(BOOKED, conversation([CLAIM]))
    assert (
        "the message at step 1 of turn 1 claims “I have booked the room”, "
        "and no call of reserve was carried out before" == verdict.detail
    )
    assert ("calls.reserve", 1, False) in places(verdict)


def test_the_reply_is_a_message_unless_a_step_holds_it() -> None:
    """A system that records no messages is judged by its replies, as text or by their field."""
    for reply in ("It is booked.", {"answer": "It is booked."}, {"message": "It is booked."}):
        assert "f" == judged(BOOKED, conversation([], replies=[reply])).code
        assert "p" == judged(BOOKED, conversation([RESERVE], replies=[reply])).code
    both = conversation([RESERVE, CLAIM], replies=["I have booked the room."])
    assert 1 == len(judged(BOOKED, both).compared)
    assert "m:no_text" == judged(BOOKED, conversation([RESERVE], replies=[{"code": 1}])).code
    single = Context(case(), evidence(output={"answer": "It is booked."}))
    assert "m:no_recorded_trajectory" == evaluator(**BOOKED).evaluate(single).code


def test_a_call_counts_only_with_the_arguments_that_are_needed() -> None:
    """Another room is no evidence."""
    line = BOOKED | {"needs": {"call": ["reserve", "hold"], "arguments": {"room": "birch"}}}
    assert "f" == judged(line, conversation([RESERVE, CLAIM])).code
    birch = called("hold", {"room": "birch"}, {"accepted": True})
    assert "p" == judged(line, conversation([birch, CLAIM])).code


REFUNDED = {
    "type": "claims",
    "says": ["refunded"],
    "needs": {"state": "order.status", "equals": "refunded"},
}
PAID, BACK = {"order": {"status": "paid"}}, {"order": {"status": "refunded"}}


@pytest.mark.parametrize(
    ("steps", "worlds", "code"),
    [
        ([called("refund", result=1), said("It is refunded.")], [BACK], "p"),
        ([said("It is refunded.")], [PAID], "f"),
        ([said("It is refunded."), called("refund", result=1)], [BACK], "f"),
        ([said("It is not refunded.")], [PAID], "p"),
        ([said("It is refunded.")], [MISSING], "f"),
        (
            [called("refund", result=1), said("It is refunded."), called("mail", result=1)],
            [BACK],
            "m:no_recorded_state",
        ),
        ([called("refund", result=1), said("It is refunded.")], [MISSING], "m:no_recorded_state"),
    ],
)
def test_the_world_is_that_of_the_moment_when_the_message_was_sent(
    steps: list[Any], worlds: list[Any], code: str
) -> None:
    """An effect after the message bears nothing out; what cannot be told is missing."""
    context = conversation(steps, initial=PAID, worlds=worlds, replies=[None])
    assert code == judged(REFUNDED, context).code


def test_the_working_state_is_that_of_the_step() -> None:
    """What is committed after the message does not count."""
    line = REFUNDED | {"of": "active"}
    update = updated(2, order__status="refunded")
    active = [PAID, BACK]
    message = said("It is refunded.")
    assert "p" == judged(line, conversation([], [update, message], active=active)).code
    assert "f" == judged(line, conversation([], [message, update], active=active)).code


FORBIDDEN = {"type": "claims", "says": ["booked"], "forbidden": True}


def test_a_forbidden_claim_fails_whatever_was_done() -> None:
    """A denial and a question are none."""
    assert "f" == judged(FORBIDDEN, conversation([RESERVE, CLAIM])).code
    assert "p" == judged(FORBIDDEN, conversation([said("Nothing was booked.")])).code
    unclear = conversation([said("I think it is booked.")])
    assert "m:claim_unclear" == judged(FORBIDDEN, unclear).code


def test_a_prohibition_is_decided_from_the_log_of_calls() -> None:
    """However unclear, or wrong, the words are."""
    line = FORBIDDEN | {"needs": {"call": "reserve"}}
    for text in ("I think it is booked.", "Nothing was booked.", "Good morning."):
        verdict = judged(line, conversation([RESERVE, said(text)]))
        assert "f" == verdict.code
        assert "reserve (step 1 of turn 1) must not be called" == verdict.detail
    assert "p" == judged(line, conversation([said("Nothing was booked.")])).code


def claim(subject: str = "booking", **fields: Any) -> dict[str, Any]:
    return {"subject": subject, **fields}


def test_structured_claims_come_before_words() -> None:
    """Claims of other subjects say nothing of the line's, so the words are read."""
    line = BOOKED | {"subject": "booking"}
    told = said("Done.", claims=[claim()])
    assert "f" == judged(line, conversation([told])).code
    assert "p" == judged(line, conversation([RESERVE, told])).code
    denied = said("I have booked it.", claims=[claim(asserted=False)])
    assert "p" == judged(line, conversation([denied])).code
    other = said("I have booked it.", claims=[claim("price")])
    assert "f" == judged(line, conversation([other])).code
    assert "p" == judged({"type": "claims", "subject": "booking"}, conversation([other])).code
    assert "f" == judged(line, conversation([CLAIM])).code
    alone = conversation([said(None, claims=[claim()])], replies=["Done."])
    assert ["the reply of turn 1"] == [str(judged(line, alone).detail).partition(" claims")[0]]


def test_a_structured_claim_may_say_itself_where_its_evidence_is() -> None:
    """Its value is held against the state, and its denial, too."""
    line = {"type": "claims"}
    worlds = [{"order": {"status": "paid"}}]
    for value, asserted, code in (
        ("paid", True, "p"),
        ("sent", True, "f"),
        ("sent", False, "p"),
        ("paid", False, "f"),
    ):
        told = claim(path="order.status", value=value, asserted=asserted)
        context = conversation([said("…", claims=[told])], worlds=worlds)
        assert code == judged(line, context).code
    broken = conversation([said("…", claims=[claim(path="a..b", value=1)])], worlds=worlds)
    assert "n:no_structured_claim" == judged(line, broken).code
    assert "n:no_structured_claim" == judged(line, conversation([CLAIM])).code


TEMPLATE = {"type": "claims", "template": "Your order is {order.status}."}


def test_a_text_that_the_state_makes_bears_itself_out() -> None:
    """White space does not matter; without patterns every message has to be that text."""
    worlds = [{"order": {"status": "paid"}}]
    right = conversation([said("Your order  is paid.")], worlds=worlds, replies=[None])
    assert "p" == judged(TEMPLATE, right).code
    wrong = conversation([said("Your order is sent.")], worlds=worlds, replies=[None])
    verdict = judged(TEMPLATE, wrong)
    assert (
        'the message at step 1 of turn 1 is "Your order is sent.", not "Your order is paid."'
        == verdict.detail
    )
    empty = conversation([said("Your order is paid.")], worlds=[{}], replies=[None])
    assert "the world has nothing at `order.status`" in str(judged(TEMPLATE, empty).detail)
    unknown = conversation([said("Your order is paid.")], replies=[None])
    assert "m:no_recorded_state" == judged(TEMPLATE, unknown).code


def test_what_is_not_the_template_is_read_by_its_words() -> None:
    """Text equal to the template needs no other evidence."""
    line = REFUNDED | {"template": "Your order is {order.status}."}
    worlds = [BACK]
    for text, code in (("Your order is refunded.", "p"), ("It was refunded.", "p")):
        assert code == judged(line, conversation([said(text)], worlds=worlds)).code
    assert "f" == judged(line, conversation([said("It was refunded.")], worlds=[PAID])).code
