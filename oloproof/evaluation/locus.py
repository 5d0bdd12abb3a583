"""Where a conversation went wrong: in reading the message, in keeping it, or in the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from oloproof.evaluation.calls import calls
from oloproof.paths import Absent, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation, Of

Locus: TypeAlias = Literal["interpretation", "memory", "planning", "execution"]
"""Which part of an agent a failure is laid to; `planning` is for checks of calls alone."""


def locus_of_effect(conversation: Conversation, since: int, turn: int) -> Locus | None:
    """Why the world is wrong after `turn` although it was right after the turn `since`.

    `execution` where a call was executed in between; None where the agent did nothing, which
    may be right or wrong, or where nobody recorded what it did.
    """
    steps: Iterable[dict[str, object]] = (
        step for _, step in conversation.steps_in(range(since + 1, turn + 1))
    )
    return "execution" if any(call.executed for call in calls(steps)) else None


def locus_of_loss(conversation: Conversation, of: Of, since: int, turn: int) -> Locus | None:
    """Why something is gone after `turn` that was there after the turn `since`."""
    if not conversation.context.case.turns:
        return None
    return "memory" if of == "active" else locus_of_effect(conversation, since, turn)


def value_at(path: str, value: JsonValue | Absent) -> JsonValue | Absent:
    """What is at the place with the text `path`; the empty text is the whole."""
    return parse(path).get(value) if path else value
