"""Where a conversation went wrong: in reading the message, in keeping it, or in the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from oloproof.canonical import equal
from oloproof.evaluation.calls import calls
from oloproof.paths import Absent, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation, Of

Locus: TypeAlias = Literal["interpretation", "memory", "planning", "execution"]
"""Which part of an agent a failure is laid to; `planning` is for checks of calls alone."""


class Expectation(NamedTuple):
    """The states that are accepted after a turn, and the recorded one."""

    turn: int
    accepted: tuple[JsonValue, ...]
    actual: JsonValue


def locus_of(path: str, expectations: Sequence[Expectation]) -> Locus:
    """Why the working state is wrong at `path` after the last turn of `expectations`.

    Of the last only the first accepted state counts, which is the one it was compared with.

    `memory`: the same value was expected after an earlier turn, was there then, and no change
    of it was expected since. Else `interpretation`: since the value was to be there it never
    was, so the update of the turn that asked for it was wrong.
    """
    *earlier, failing = expectations
    wanted = value_at(path, failing.accepted[0])
    if isinstance(wanted, Absent):
        return "interpretation"  # a value that nobody asked for was put there, none was lost
    for expectation in reversed(earlier):
        if not any(same(value_at(path, state), wanted) for state in expectation.accepted):
            break
        if same(value_at(path, expectation.actual), wanted):
            return "memory"
    return "interpretation"


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


def same(left: JsonValue | Absent, right: JsonValue | Absent) -> bool:
    """Equality by JSON value, where nothing equals nothing."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return left is right
    return equal(left, right)
