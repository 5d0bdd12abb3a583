"""Calls that must not be made: by a list, or where the working state does not permit them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator

from oloproof.errors import ConfigurationError
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import PLANNING
from oloproof.evaluation.conversations.sources import ACTIVE
from oloproof.paths import MISSING, Absent, Path, parse
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Collection

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.checks import Sightings
    from oloproof.evaluation.turns import Conversation

PERMISSION: Final = "permissions.{tool}"
"""Where the permission for a tool stands unless an option says otherwise."""


def _readable(text: str) -> str:
    try:
        path = permission_place(text, "tool")
    except ConfigurationError as error:
        raise refuse(error.what, fix=error.fix or "") from None
    if path.has_wildcard:
        raise refuse(f"`{text}` may name several places", fix="name one place, without `[*]`")
    return text


PermissionText = Annotated[str, AfterValidator(_readable)]
"""A path to one place, in which `{tool}` stands for the name of the tool."""


def permission_place(text: str, tool: str) -> Path:
    """The path of the permission for a tool."""
    segments = parse(text).segments
    return Path(tuple(s.replace("{tool}", tool) if isinstance(s, str) else s for s in segments))


def permission_in(
    state: JsonValue | Absent, tool: str, text: str = PERMISSION
) -> JsonValue | Absent:
    """What a state holds at the place of the permission for a tool."""
    return MISSING if isinstance(state, Absent) else permission_place(text, tool).get(state)


def refuses(state: JsonValue | Absent, tool: str) -> bool:
    """Whether a state says plainly that a tool may not be called."""
    return permission_in(state, tool) is False


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
