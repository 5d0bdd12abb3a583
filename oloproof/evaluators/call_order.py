"""`call_order`: tools are called in a declared order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from oloproof.evaluation.call_options import NameList
from oloproof.evaluation.turn_calls import REJECTED, turn_calls
from oloproof.evaluation.turn_checks import Sightings, TurnCheck
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.evaluation.contract import Context, Evaluator, Setting, Verdict
    from oloproof.evaluation.turn_calls import TurnCall


def _several(given: tuple[str, ...]) -> tuple[str, ...]:
    if len(given) < 2:
        raise refuse("one tool alone has no order", mend="list at least two")
    return given


class Options(TurnOptions):
    """The tools in their order; `strict` lets nothing else come between two of them."""

    order: Annotated[NameList, AfterValidator(_several)]
    strict: bool = False


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [CallOrder(options.criterion_or_type, options.selector, options.order, options.strict)]


@dataclass(frozen=True, slots=True)
class CallOrder(TurnCheck):
    """Each call of a tool, behind a call of the tool before it in the order."""

    order: tuple[str, ...]
    strict: bool

    @property
    def named_tools(self) -> frozenset[str]:
        """Those in the order."""
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
