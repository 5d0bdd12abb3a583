"""Calls that must not be made: each one that was, decided from the log of calls alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.evaluation.permissions import refuses
from oloproof.evaluation.sources import ACTIVE
from oloproof.evaluation.turn_calls import turn_calls
from oloproof.evaluation.turn_checks import PLANNING

if TYPE_CHECKING:
    from collections.abc import Collection

    from oloproof.evaluation.turn_calls import TurnCall
    from oloproof.evaluation.turn_checks import Sightings
    from oloproof.evaluation.turns import Conversation


def see_banned(seen: Sightings, conversation: Conversation, call: TurnCall, why: str) -> None:
    """A call that must not be; a fault of planning where the working state refuses it plainly."""
    state = ACTIVE.before(conversation, call.turn, call.call.index)
    seen.fail(
        f"calls.{call.tool}",
        "no call",
        call.status,
        sentence=f"{call} {why}",
        turn=call.settled_turn,
        locus=PLANNING if refuses(state, call.tool) else None,
    )


def see_ban(
    seen: Sightings,
    conversation: Conversation,
    turns: Collection[int],
    tools: Collection[str],
    why: str,
) -> None:
    """Whether any of some tools was called, or is waiting to be, in some turns."""
    called = [
        call
        for call in turn_calls(conversation)
        if call.tool in tools and call.made and call.stands_in(turns)
    ]
    for call in called:
        see_banned(seen, conversation, call, why)
    for tool in tools:
        if not any(call.tool == tool for call in called):
            seen.hold(f"calls.{tool}", "no call", "no call")
