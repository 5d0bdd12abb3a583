"""What a conversation looked like turn by turn, and the scorecard of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.evaluation.dimensions import HARD, Summary
from oloproof.evaluation.snapshots import reached
from oloproof.evaluation.turns import Conversation
from oloproof.paths import MISSING, Absent
from oloproof.records.case_report import ScoreReport, TurnCheck, TurnReport
from oloproof.workflows.panels import changes, compared_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.turns import Of
    from oloproof.records.report import Change

_SCORES: Final = {"pass": 1, "fail": 0}


def turn_reports(
    context: Context, evaluators: Sequence[Evaluator], verdicts: Sequence[Verdict]
) -> list[TurnReport]:
    """Every turn that the user took; none of a single call."""
    if not context.case.turns:
        return []
    conversation = Conversation(context)
    return [
        _turn(conversation, number, turn, evaluators, verdicts)
        for number, turn in enumerate(context.case.turns, start=1)
    ]


def _turn(
    conversation: Conversation,
    number: int,
    turn: dict[str, Any],
    evaluators: Sequence[Evaluator],
    verdicts: Sequence[Verdict],
) -> TurnReport:
    reply = conversation.reply(number)
    return TurnReport(
        turn=number,
        message=str(turn["user"]),
        reached=number <= reached(conversation),
        has_reply=reply is not MISSING,
        reply=None if isinstance(reply, Absent) else reply,
        steps=[step for _, step in conversation.steps_in((number,))],
        world_changes=_changes(conversation, "world", number),
        active_changes=_changes(conversation, "active", number),
        checks=[
            TurnCheck(
                metric=evaluator.metric,
                passed=all(place.passed for place in places),
                compared=[compared_report(place) for place in places],
            )
            for evaluator, verdict in zip(evaluators, verdicts, strict=True)
            if (places := [place for place in verdict.compared if place.turn == number])
        ],
    )


def _changes(conversation: Conversation, of: Of, turn: int) -> list[Change]:
    """What a turn changed, against the last turn before it after which there was a state."""
    after = conversation.state(of, turn)
    before = next(
        (
            state
            for earlier in range(turn - 1, -1, -1)
            if not isinstance(state := conversation.state(of, earlier), Absent)
        ),
        {} if of == "active" else MISSING,
    )
    return changes(before, after)


def scorecard(evaluators: Sequence[Evaluator], verdicts: Sequence[Verdict]) -> list[ScoreReport]:
    """The dimensions of a case, each by itself."""
    return [
        ScoreReport(
            dimension=evaluator.metric,
            score=_SCORES.get(verdict.status),
            hard=evaluator.hard,
            locus=verdict.label if verdict.status == "fail" else None,
            detail=verdict.detail,
            reason=verdict.reason,
        )
        for evaluator, verdict in zip(evaluators, verdicts, strict=True)
        if isinstance(evaluator, Summary) and evaluator.metric != HARD
    ]
