"""What the agent said to the user: the messages of a conversation, each with its moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.evaluation.conversations.sources import WORLD
from oloproof.paths import MISSING, Absent, same

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.turns import Conversation

_SPEAKING: Final = ("message", "final")
_USER: Final = "user"
_TEXTS: Final = ("answer", "message")


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of the agent's; without a `step` it is the reply with which its turn ends.

    Its `text` is None where something was said and its words are not known.
    """

    turn: int
    text: str | None
    step: int | None = None
    claims: tuple[dict[str, Any], ...] = ()

    def follows(self, call: TurnCall) -> bool:
        """Whether a call was settled before the message was sent."""
        if call.settled_turn != self.turn or self.step is None:
            return call.settled_turn <= self.turn
        return call.place < self.step

    def __str__(self) -> str:
        if self.step is None:
            return f"the reply of turn {self.turn}"
        return f"the message at step {self.step} of turn {self.turn}"


def text_of(value: JsonValue | Absent) -> str | None:
    """The text of a reply: itself, or its field `answer` or `message`."""
    told = [value.get(key) for key in _TEXTS] if isinstance(value, dict) else [value]
    return next((text for text in told if isinstance(text, str)), None)


def agent_messages(conversation: Conversation, turns: Collection[int]) -> list[AgentMessage]:
    """What was said to the user in some turns, in order.

    The reply of a turn is one of them unless a step holds the same; claims that were recorded
    without a text are its own. A reply of null says nothing where steps tell what was said.
    """
    found: list[AgentMessage] = []
    by_steps = any(_speaks(step) for _, step in conversation.steps)
    for turn in turns:
        steps = [step for _, step in conversation.steps_in((turn,)) if _speaks(step)]
        reply = conversation.reply(turn)
        silent_reply = isinstance(reply, Absent) or (reply is None and by_steps)
        if silent_reply or _is_told(reply, steps):
            found += [_message(turn, step) for step in steps]
            continue
        own = [step for step in steps if step.get("result") is None]
        claims = tuple(claim for step in own for claim in step["claims"])
        found += [_message(turn, step) for step in steps if step not in own]
        found.append(AgentMessage(turn, text_of(reply), claims=claims))
    return found


def _is_told(reply: JsonValue | Absent, steps: Sequence[dict[str, Any]]) -> bool:
    """Whether the speaking steps of a turn tell all that its reply says."""
    text = text_of(reply)
    told = [step.get("result") for step in steps]
    return any(same(reply, one) or text == text_of(one) is not None for one in told)


def _speaks(step: dict[str, Any]) -> bool:
    if step.get("agent") == _USER or step.get("to_agent") not in (None, _USER):
        return False
    return bool(step.get("claims")) or (
        step["kind"] in _SPEAKING and step.get("result") is not None
    )


def is_to_agent(step: dict[str, Any]) -> bool:
    """Whether a step hands something over to another agent, in words or by its arguments."""
    if step.get("agent") == _USER or step["kind"] in ("tool_call", "tool_result"):
        return False
    return step["kind"] == "handoff" or step.get("to_agent") not in (None, _USER)


def _message(turn: int, step: dict[str, Any]) -> AgentMessage:
    return AgentMessage(
        turn,
        text_of(step.get("result")),
        step["index"],
        tuple(step.get("claims", ())),
    )


def state_at(
    conversation: Conversation, source: Source, message: AgentMessage, calls: Sequence[TurnCall]
) -> JsonValue | Absent:
    """The state when a message was sent, or `MISSING` where that is not known.

    Of the world it is the snapshot after the turn, unless something was executed between the
    message and that snapshot; then it is the one before the turn, unless something was
    executed between that and the message, too.
    """
    if source.of != "world":
        return source.before(conversation, message.turn, message.step)
    within = [call for call in calls if call.settled_turn == message.turn and call.executed]
    after = conversation.state("world", message.turn)
    if all(message.follows(call) for call in within) and not isinstance(after, Absent):
        return after
    if any(message.follows(call) for call in within):
        return MISSING
    return WORLD.before(conversation, message.turn, message.step)


ASKS: Final = "asks"
CONFIRMS: Final = "asks_confirmation"


def asked_for(conversation: Conversation, turn: int) -> list[tuple[int, list[JsonValue]]]:
    """The steps of a turn that say themselves what is asked for: a list at `asks` of `metadata`."""
    told = []
    for _, step in conversation.steps_in((turn,)):
        asked = step.get("metadata", {}).get(ASKS)
        if isinstance(asked, list) and step.get("agent") != _USER:
            told.append((step["index"], asked))
    return told


def asks_confirmation(conversation: Conversation, turn: int) -> tuple[int, bool] | None:
    """The last step of a turn that says whether it asks for confirmation, and what it says.

    It is `asks_confirmation` of `metadata`, true or false; None where no step has it.
    """
    told: tuple[int, bool] | None = None
    for _, step in conversation.steps_in((turn,)):
        asks = step.get("metadata", {}).get(CONFIRMS)
        if isinstance(asks, bool) and step.get("agent") != _USER:
            told = step["index"], asks or (told is not None and told[1])
    return told
