"""`call_order`: tools are called in a declared order, and before the message of their turn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from oloproof.evaluation.calls import NameList
from oloproof.evaluation.conversations.calls import REJECTED, turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import agent_messages
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.messages import AgentMessage
    from oloproof.evaluation.setting import Setting


class Options(TurnOptions):
    """The tools in their order; `strict` lets nothing else come between two of them.

    `before_message` asks that the last of them comes before the message of its turn.
    """

    order: NameList
    strict: bool = False
    before_message: Literal["each_turn", "where_called"] | None = None

    @model_validator(mode="after")
    def _several(self) -> Options:
        if len(self.order) < 2 and self.before_message is None:
            raise refuse(
                "one tool alone has no order",
                fix="list at least two, or give `before_message`",
                at=("order",),
            )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        CallOrder(
            options.criterion_or_type,
            options.selector,
            options.order,
            options.strict,
            options.before_message,
        )
    ]


@dataclass(frozen=True, slots=True)
class CallOrder(TurnCheck):
    """Each call of a tool, behind a call of the tool before it in the order."""

    order: tuple[str, ...]
    strict: bool
    before_message: str | None

    @property
    def named_tools(self) -> frozenset[str]:
        """Those in the order."""
        return frozenset(self.order)

    @property
    def needed_tools(self) -> frozenset[str]:
        """The same: of what is never called no order shows."""
        return frozenset(self.order)

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where only the first of the tools was called, or none."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        called = [
            call for call in turn_calls(conversation) if call.made and call.settled_turn in turns
        ]
        called.sort(key=lambda call: call.place)
        seen = Sightings()
        for first, second in pairwise(self.order):
            self._see_pair(seen, called, first, second)
        for message in self._messages(conversation, turns, called):
            self._see_message(seen, called, message)
        return seen.verdict(context, turns, idle="no_ordered_call")

    def _see_pair(
        self, seen: Sightings, called: Sequence[TurnCall], first: str, second: str
    ) -> None:
        for position, call in enumerate(called):
            if call.tool != second:
                continue
            ran = [other.tool for other in called[:position] if other.status != REJECTED]
            word = "right before" if self.strict else "before"
            before = ran[-1:] if self.strict else ran
            path, wanted, turn = f"calls.{second}", f"{first} {word} it", call.settled_turn
            if first in before:
                seen.hold(path, wanted, wanted, turn=turn)
                continue
            actual = f"{before[-1]} before it" if before else "nothing before it"
            sentence = f"{call} has no call of {first} {word} it"
            seen.fail(path, wanted, actual, sentence=sentence, turn=turn)

    def _messages(
        self, conversation: Conversation, turns: range, called: Sequence[TurnCall]
    ) -> Iterator[AgentMessage]:
        """The message with which each turn ends, of the turns in which it has to wait."""
        if self.before_message is None:
            return
        with_call = {call.settled_turn for call in called if call.tool == self.order[-1]}
        for turn in turns:
            if self.before_message == "each_turn" or turn in with_call:
                yield from agent_messages(conversation, (turn,))[-1:]

    def _see_message(
        self, seen: Sightings, called: Sequence[TurnCall], message: AgentMessage
    ) -> None:
        tool, turn = self.order[-1], message.turn
        ran = [
            call.tool
            for call in called
            if call.settled_turn == turn and call.status != REJECTED and message.follows(call)
        ]
        word = "right before" if self.strict else "before"
        path, wanted = f"calls.{tool}", f"{word} {message}"
        if tool in (ran[-1:] if self.strict else ran):
            seen.hold(path, wanted, wanted, turn=turn)
            return
        late = next((c for c in called if c.tool == tool and c.settled_turn == turn), None)
        sentence = f"{message} has no call of {tool} {word} it"
        if late is not None and not message.follows(late):
            sentence += f": {late} came after it"
        actual = str(late) if late is not None else "no call in its turn"
        seen.fail(path, wanted, actual, sentence=sentence, turn=turn, seen=late is not None)
