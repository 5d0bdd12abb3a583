"""Options that the agent offers, against those that it may offer."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, made, places, said

LINE = {"type": "offered_options", "path": "rooms[*].id", "allowed": ["birch", "cedar"]}


def reply(*ids: str) -> dict[str, Any]:
    return {"rooms": [{"id": name} for name in ids]}


def test_every_option_of_a_list_must_be_allowed() -> None:
    """The list of the reply at a path, or that of an artefact of a kind."""
    assert "p" == judged(LINE, conversation([], replies=[reply("cedar", "birch")])).code
    verdict = judged(LINE, conversation([], replies=[reply("birch", "amber")]))
    assert [("options", 1, True), ("options", 1, False)] == places(verdict)
    told = 'the reply of turn 1 offers "amber": it is none of ["birch","cedar"]'
    assert told == verdict.detail
    line = LINE | {"path": "ids", "artefact": "comparison"}
    for ids, code in ((["birch"], "p"), (["birch", "amber"], "f")):
        context = conversation([made("rooms", "comparison", {"ids": ids})])
        assert code == judged(line, context).code
    other = conversation([made("rooms", "note", {"ids": ["amber"]})])
    assert "n:nothing_offered" == judged(line, other).code


def test_what_is_allowed_may_stand_in_the_state() -> None:
    """That of the moment; of what is not known nothing can be said."""
    line = {"type": "offered_options", "path": "rooms[*].id", "allowed_at": "fitting"}
    active = [{"fitting": ["birch"]}]
    assert "p" == judged(line, conversation([], replies=[reply("birch")], active=active)).code
    assert "f" == judged(line, conversation([], replies=[reply("amber")], active=active)).code
    unknown = conversation([], replies=[reply("amber")])
    assert "m:no_recorded_state" == judged(line, unknown).code


WORLD = {"type": "offered_options", "path": "rooms[*].id", "allowed_at": "free", "of": "world"}
BOOK = called("book", {"room": "birch"}, {"ok": True})
FREE, LEFT = {"free": ["birch", "cedar"]}, {"free": ["cedar"]}


@pytest.mark.parametrize(
    ("steps", "replies", "code"),
    [
        ([BOOK], [reply("cedar")], "p"),
        ([BOOK], [reply("birch")], "f"),
        ([], [reply("birch")], "f"),
        ([BOOK, said("Free: birch.")], [None], "f"),
        ([BOOK, said("Free: cedar.")], [None], "p"),
        ([said("Free: birch."), BOOK], [None], "p"),
        ([BOOK, said("Free: birch."), BOOK], [None], "m:no_recorded_state"),
        ([BOOK, made("list", "offer", {"rooms": [{"id": "birch"}]})], [None], "f"),
        ([made("list", "offer", {"rooms": [{"id": "birch"}]}), BOOK], [None], "p"),
        ([called("book", status="queued"), said("Free: birch.")], [None], "f"),
    ],
)
def test_an_offer_is_held_against_the_world_after_the_calls_before_it(
    steps: Any, replies: Any, code: str
) -> None:
    """A reply comes after all of its turn; what the agent has just taken is not free."""
    line = WORLD | {"ids": ["birch", "cedar"]}
    line |= {"artefact": "offer"} if any("artefact" in step for step in steps) else {}
    context = conversation(steps, replies=replies, initial=FREE, worlds=[LEFT])
    assert code == judged(line, context).code
    second = conversation([], steps, replies=["…", *replies], initial={}, worlds=[FREE, LEFT])
    assert code == judged(line | {"turn": 2}, second).code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Birch and cedar fit.", "p"),
        ("You could take amber.", "f"),
        ("1. AMBER: 1800\n2. birch: 2200", "f"),
        ("Amber-2 and birch fit.", "p"),
        ("Empfehlen kann ich birch; amber passt nicht.", "p"),
        ("Amber does not fit, it has no video link; birch does.", "m:offer_unclear"),
        ("You said “amber”. I suggest birch.", "p"),
        ("Which day?", "n:nothing_offered"),
    ],
)
def test_ids_are_looked_for_in_the_text_as_whole_words(text: str, code: str) -> None:
    """What is denied or quoted is not offered; what is unclear is missing."""
    line = {"type": "offered_options", "ids": ["amber", "birch", "cedar"], "forbidden": ["amber"]}
    assert code == judged(line, conversation([said(text)], replies=[None])).code
