"""`needless_confirmation`: the agent asks for confirmation only where there is a conflict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from oloproof.evaluation.claims.phrases import Patterns, find_phrase
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import agent_messages, asks_confirmation
from oloproof.evaluation.conversations.sources import expected_at
from oloproof.evaluation.turns import Conversation, TurnOptions

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting


class Options(TurnOptions):
    """By which words the agent asks for confirmation, and in which turns it may."""

    patterns: Patterns
    conflict_turns: tuple[Annotated[int, Field(ge=1)], ...] = ()


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        NeedlessConfirmation(
            metric=options.criterion_or_type,
            selector=options.selector,
            patterns=options.patterns,
            conflict_turns=frozenset(options.conflict_turns),
        )
    ]


@dataclass(frozen=True, slots=True)
class NeedlessConfirmation(TurnCheck):
    """The agent's questions in the selected turns that are no conflict."""

    patterns: tuple[str, ...]
    conflict_turns: frozenset[int]

    @property
    def expected_fields(self) -> frozenset[str]:
        """Whether a turn is a conflict."""
        return frozenset({"turns", "conflict"})

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where every selected turn is a conflict, or nothing was said."""
        conversation = Conversation(context)
        turns = [turn for turn in self.turns(conversation) if not self._is_conflict(context, turn)]
        seen = Sightings()
        for turn in turns:
            messages = agent_messages(conversation, (turn,))
            if not messages:
                continue
            asked = self._asked(conversation, turn)
            unread = [message for message in messages if message.text is None]
            if asked is None and unread and asks_confirmation(conversation, turn) is None:
                seen.lack_text(unread[0])
                continue
            if asked is None:
                seen.hold("message", "no confirmation", "no confirmation", turn=turn)
                continue
            where, words = asked
            seen.fail(
                "message",
                "no confirmation",
                words,
                sentence=f"{where} asks for confirmation, and turn {turn} is no conflict: {words}",
                turn=turn,
            )
        return seen.verdict(context, turns, idle="no_message", of_steps=False)

    def _is_conflict(self, context: Context, turn: int) -> bool:
        declared = expected_at(context.case, turn, "conflict")
        return turn in self.conflict_turns or declared is True

    def _asked(self, conversation: Conversation, turn: int) -> tuple[str, str] | None:
        """Where and by which words a turn asks; as its steps say, else by its messages."""
        told = asks_confirmation(conversation, turn)
        if told is not None:
            step, asks = told
            return (f"step {step} of turn {turn}", "it says so itself") if asks else None
        for message in agent_messages(conversation, (turn,)):
            for pattern in self.patterns:
                words = find_phrase(message.text or "", pattern, asking=True)
                if words is not None:
                    return str(message), f"“{words}”"
        return None
