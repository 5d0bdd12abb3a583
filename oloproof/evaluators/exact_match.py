"""`exact_match`: a field of the output equals a field of what the case expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal
from oloproof.evaluation.comparing.differences import tell_difference
from oloproof.evaluation.completion import broken_off
from oloproof.evaluation.contract import Comparison, failed, not_applicable, passed
from oloproof.evaluation.conversations.checks import TurnCheck
from oloproof.evaluation.conversations.sources import expected_of
from oloproof.evaluation.outputs import NOTHING, Statement
from oloproof.evaluation.states.options import PlaceText
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.outputs import Since
    from oloproof.evaluation.setting import Setting

_NO_EXPECTED_ANSWER: Final = not_applicable("no_expected_answer")


class Options(TurnOptions):
    """Without `field` the output itself; `expected_field` is `field`, else `answer`."""

    field: PlaceText | None = None
    expected_field: PlaceText | None = None


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    expected_field = options.expected_field or options.field or "answer"
    return [
        ExactMatch(
            metric=options.criterion_or_type,
            selector=options.selector,
            field=parse(options.field) if options.field else None,
            expected_field=parse(expected_field),
            shown=options.field or "",
        )
    ]


@dataclass(frozen=True, slots=True)
class ExactMatch(TurnCheck):
    """Equality by JSON value of one place in the output with one place in `expected`.

    In a conversation it is the reply of each selected turn of which something is expected.
    """

    field: Path | None
    expected_field: Path
    shown: str

    @property
    def expected_fields(self) -> frozenset[str]:
        """The one field whose value, or a part of it, is the expected one."""
        return frozenset({"turns", str(self.expected_field.segments[0])})

    @property
    def of_output(self) -> bool:
        """True."""
        return True

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable without an expected value; a failure where there is no output."""
        conversation = Conversation(context)
        compared = self._compared(conversation)
        if not compared:
            return _NO_EXPECTED_ANSWER
        wrong = next((place for place in compared if not place.passed), None)
        if wrong is None:
            return passed(compared=tuple(compared))
        failure = _without_reply(context, conversation, wrong.turn or 1)
        if failure is not None:
            return failure._replace(compared=tuple(compared))
        detail = tell_difference([wrong], _whole(wrong.turn))
        return failed(detail=detail, compared=tuple(compared))

    def output_said(self, context: Context, since: Since) -> Statement:
        """The output is the expected one where every reply from then on is."""
        compared = self._compared(Conversation(context))
        held = [place.passed for place in compared if (place.turn or 1) >= since.turn]
        return Statement(all(held), all(held)) if held else NOTHING

    def _compared(self, conversation: Conversation) -> list[Comparison]:
        compared = []
        for turn in self.turns(conversation):
            expected = self.expected_field.get(expected_of(conversation.context.case, turn))
            if not isinstance(expected, Absent):
                compared.append(self._compare(conversation, turn, expected))
        return compared

    def _compare(self, conversation: Conversation, turn: int, expected: JsonValue) -> Comparison:
        output = conversation.reply(turn)
        actual = output if self.field is None else self.field.get(output)
        holds = not isinstance(actual, Absent) and equal(expected, actual)
        named = turn if conversation.context.case.turns else None
        return Comparison(self.shown, expected, actual, holds, turn=named)


def _without_reply(context: Context, conversation: Conversation, turn: int) -> Verdict | None:
    """The failure of a turn that got no reply at all, else None."""
    if conversation.reply(turn) is not MISSING:
        return None
    return broken_off(context) or failed(label="no_output", detail=_no_reply(context, turn))


def _no_reply(context: Context, turn: int) -> str:
    return f"turn {turn} got no reply" if context.case.turns else "the system gave no output"


def _whole(turn: int | None) -> str:
    return "the output" if turn is None else f"the reply of turn {turn}"
