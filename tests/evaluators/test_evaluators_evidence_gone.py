"""Evidence that is taken away makes a check missing, and never a pass."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, said, updated
from evaluator_samples import evaluator

from oloproof.paths import MISSING

WORDS: list[dict[str, Any]] = [
    {"type": "claims", "says": ["refunded"], "needs": {"call": "refund"}},
    {"type": "claims", "says": ["refunded"], "forbidden": True},
    {"type": "claims", "template": "Refunded {order}."},
    {"type": "needless_confirmation", "patterns": ["really"]},
    {"type": "asks_again", "of": "world", "known": {"order": ["which order"]}},
    {"type": "offered_options", "ids": ["amber"], "allowed": ["cedar"]},
]


@pytest.mark.parametrize("line", WORDS)
@pytest.mark.parametrize("reply", [{"reply": "I refunded it."}, ["I refunded it."], None, 7])
def test_a_message_whose_words_are_not_known_is_missing(line: Any, reply: Any) -> None:
    """Nobody knows what an object without a text, a list, or null says."""
    world: Any = {"order": "o1"}
    assert "m:no_text" == judged(line, conversation([], replies=[reply], worlds=[world])).code
    step = conversation([said({"told": reply})], replies=["It is done."], worlds=[world])
    assert judged(line, step).code in ("m:no_text", "f")


def test_what_steps_say_themselves_needs_no_words() -> None:
    """A null reply beside a message, a structured claim, and the step's own word decide."""
    quiet = conversation([said("All is well.")], replies=[None])
    told = {"asks_confirmation": False, "asks": []}
    own = conversation([{"kind": "decision", "metadata": told}], replies=[{"code": 1}])
    for line in (WORDS[0], WORDS[1], WORDS[3], WORDS[4]):
        assert "p" == judged(line, quiet).code
    for line in (WORDS[3], WORDS[4]):
        assert "p" == judged(line, own).code
    claim = [{"subject": "refund", "asserted": False}]
    structured = conversation([said(None, claims=claim)], replies=[{"code": 1}])
    assert "p" == judged(WORDS[0] | {"subject": "refund"}, structured).code


def test_a_claim_does_not_choose_its_own_evidence() -> None:
    """What the line needs stands, and claims of other subjects do not silence the words."""
    line = WORDS[0] | {"subject": "refund"}
    for claim in (
        {"subject": "refund", "path": "order", "value": "o1"},
        {"subject": "weather"},
        {"subject": "weather", "path": "order", "value": "o1"},
    ):
        steps = [said("I have refunded it.", claims=[claim])]
        context = conversation(steps, replies=[None], worlds=[{"order": "o1"}])
        assert "f" == judged(line, context).code


GUARDED = {"type": "guarded_effects", "tools": ["refund"]}
GIVEN: Any = {"revision": 1, "permissions": {"refund": True}, "size": 12}
TAKEN: Any = {"revision": 2, "permissions": {"refund": False}, "size": 6}
EFFECT = called("refund", {"size": 12}, {"ok": True}, state_revision=1)


@pytest.mark.parametrize(
    "line",
    [
        GUARDED,
        GUARDED | {"revision": None},
        GUARDED | {"permission": None},
        {"type": "superseded_absent", "of": "active", "paths": ["size"]},
        {
            "type": "dependency_recomputed",
            "result_of": "search",
            "depends_on": ["size"],
            "used_by": ["refund"],
        },
    ],
)
@pytest.mark.parametrize("steps", [[], [updated(2, size=6, permissions__refund=False)]])
def test_a_working_state_that_could_not_be_recorded_is_missing(line: Any, steps: Any) -> None:
    """It is not judged by the state of the turn before: what fails with it never passes without."""
    search = called("search", {"size": 12}, [1])
    turns = [[search], [], [*steps, EFFECT]]
    assert "f" == judged(line, conversation(*turns, active=[GIVEN, GIVEN, TAKEN])).code[0]
    for active in (
        [GIVEN, GIVEN, MISSING],
        [GIVEN, MISSING, MISSING],
        [MISSING, GIVEN, MISSING],
        [MISSING, MISSING, TAKEN],
    ):
        assert judged(line, conversation(*turns, active=active)).code[0] in "mf"
    broken = conversation(*turns)
    evidence = broken.evidence._replace(active_problem="active_state() raised")
    code = evaluator(**line).evaluate(broken._replace(evidence=evidence)).code
    assert code[0] == "m" or (steps and code[0] == "f")


@pytest.mark.parametrize(
    "line",
    [
        {"type": "superseded_absent", "of": "active", "paths": ["size"]},
        {"type": "calls", "forbidden": ["refund"], "arguments": {"size": 12}},
        {"type": "calls", "required": {"refund": {"max": 0}}, "arguments": {"size": 12}},
        {"type": "call_arguments", "tool": "refund", "closed": True, "known": ["order"]},
        {"type": "call_arguments", "tool": "refund", "argument": "size", "equals": 6},
    ],
)
def test_arguments_that_are_not_recorded_are_missing(line: Any) -> None:
    """A step without them may have had any."""
    active = [GIVEN, TAKEN]
    assert "f" == judged(line, conversation([], [EFFECT], active=active)).code[0]
    bare = conversation([], [EFFECT | {"arguments": None}], active=active)
    assert "m:no_recorded_arguments" == judged(line, bare).code
