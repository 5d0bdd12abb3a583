"""A draft instead of a letter that was sent."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, made, places, updated

from oloproof.errors import ConfigurationError

LINE = {"type": "artefact_not_effect", "effect": "send_email", "kind": "draft", "after": 1}
DRAFT, SEND = made("letter", "draft", "Dear …"), called("send_email")


def test_a_draft_without_the_effect_passes() -> None:
    """What was sent before the turns that matter does not count."""
    verdict = judged(LINE, conversation([SEND], [called("search"), DRAFT]))
    assert "p" == verdict.code
    assert [("calls.send_email", None, True), ("artefact", 2, True)] == places(verdict)


def test_a_right_draft_does_not_offset_a_sent_letter() -> None:
    """Nor one that waits in the queue to be sent."""
    for send in (SEND, called("send_email", status="queued")):
        verdict = judged(LINE, conversation([], [DRAFT, send]))
        assert "f" == verdict.code
        told = "send_email (step 2 of turn 2) has the effect that was not asked for"
        assert told in str(verdict.detail)
    blocked = conversation([], [DRAFT, called("send_email", status="blocked")])
    assert "p" == judged(LINE, blocked).code
    update = updated(2, permissions__send_email=False)
    assert "f:planning" == judged(LINE, conversation([], [update, DRAFT, SEND])).code


def test_without_the_artefact_it_fails() -> None:
    """Another kind, another name or another turn is not the one."""
    turns: list[Any]
    for turns in ([[], []], [[DRAFT], []], [[], [made("letter", "note")]]):
        verdict = judged(LINE, conversation(*turns))
        assert "there is no artefact `draft` (after turn 1)" == verdict.detail
    named = LINE | {"name": "letter"}
    assert "p" == judged(named, conversation([], [DRAFT])).code
    assert "f" == judged(named, conversation([], [made("memo", "draft")])).code


def test_the_artefact_has_to_be_named() -> None:
    """By its kind, its name or both."""
    with pytest.raises(ConfigurationError, match="nothing says which artefact"):
        judged({"type": "artefact_not_effect", "effect": "x"}, conversation([]))
