"""Puts evidence and verdicts into the shapes that are reported, turn by turn in conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from oloproof.evaluation.comparing.differences import explain, spread
from oloproof.evaluation.comparing.lists import list_changes
from oloproof.evaluation.dimensions import HARD, Summary
from oloproof.evaluation.states.snapshots import reached
from oloproof.evaluation.turns import Conversation
from oloproof.paths import MISSING, Absent
from oloproof.records.case_report import (
    ComparedPath,
    ControlReport,
    DivergenceReport,
    OutcomeReport,
    ReplayReport,
    ReplaySide,
    ScoreReport,
    StateReport,
    TurnCheck,
    TurnReport,
    VerdictReport,
)
from oloproof.records.faults import tool_or_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison, Context, Evaluator, FaultDemand, Verdict
    from oloproof.evaluation.turns import Of
    from oloproof.records.evidence import CaseEvidence, FaultReplay, Outcome, ReplayEvidence
    from oloproof.records.report import Change


def outcome_report(outcome: Outcome) -> OutcomeReport:
    """How a call ended."""
    return OutcomeReport(
        status=outcome.status, error=outcome.error, where=outcome.where, phase=outcome.phase
    )


def state_report(state: JsonValue | Absent, problem: str | None = None) -> StateReport:
    """A world, or why there is none."""
    return StateReport(recorded=state is not MISSING, state=_or_none(state), problem=problem)


def verdict_report(metric: str, verdict: Verdict) -> VerdictReport:
    """One check's verdict with every place it compared."""
    return VerdictReport(
        metric=metric,
        status=verdict.status,
        reason=verdict.reason,
        label=verdict.label,
        detail=verdict.detail,
        compared=[compared_report(comparison) for comparison in spread(verdict.compared)],
    )


def compared_report(comparison: Comparison) -> ComparedPath:
    """One place that a check compared."""
    return ComparedPath(
        path=comparison.path,
        passed=comparison.passed,
        has_expected=comparison.expected is not MISSING,
        expected=_or_none(comparison.expected),
        has_actual=comparison.actual is not MISSING,
        actual=_or_none(comparison.actual),
        note=comparison.note,
        turn=comparison.turn,
    )


def side(case: CaseEvidence) -> ReplaySide:
    """One run of a case: what it did, said and left behind."""
    return ReplaySide(
        outcome=outcome_report(case.outcome),
        has_output=case.output is not MISSING,
        output=_or_none(case.output),
        steps=cast("list[JsonValue]", case.steps),
        terminal_status=case.terminal_status,
        final=state_report(case.state, case.world_problem),
    )


def control_report(control: ReplayEvidence) -> ControlReport:
    """A control, and where it diverged if it did."""
    found = control.divergence
    return ControlReport(
        trusted=control.trusted,
        reason=control.reason,
        detail=control.detail,
        divergence=None
        if found is None
        else DivergenceReport(
            kind=found.kind, where=found.where, expected=found.expected, actual=found.actual
        ),
        replay=None if control.case is None else side(control.case),
    )


def replay_report(
    *,
    case: str,
    recording: CaseEvidence,
    demand: FaultDemand,
    replay: FaultReplay,
    verdict: Verdict | None,
    stored: bool,
) -> ReplayReport:
    """One faulted replay beside its recording and its control."""
    control, faulted = replay.control, replay.faulted
    before = recording.state
    after = faulted.case.state if faulted is not None and faulted.case is not None else MISSING
    tool, model = tool_or_model(demand.kind, demand.name)
    return ReplayReport(
        case=case,
        tool=tool,
        model=model,
        fault=demand.fault,
        occurrence=demand.occurrence,
        turn=demand.turn,
        duration=demand.duration,
        method=None if control is None else control.method,
        step_index=None if control is None else control.step_index,
        unavailable=replay.unavailable,
        control=None if control is None else control_report(control),
        replay=None if faulted is None or faulted.case is None else side(faulted.case),
        recording=side(recording),
        state_changes=changes(before, after),
        verdict=None if verdict is None else verdict.status,
        label=None if verdict is None else verdict.label,
        reason=None if verdict is None else verdict.reason,
        detail=None if verdict is None else verdict.detail,
        replay_detail=None if faulted is None else faulted.detail,
        notes=list(dict.fromkeys(note for one in (control, faulted) if one for note in one.notes)),
        stored=stored,
    )


def changes(before: JsonValue | Absent, after: JsonValue | Absent) -> list[Change]:
    """What differs between two worlds; nothing where one of them is not there."""
    if isinstance(before, Absent) or isinstance(after, Absent):
        return []
    return explain(before, after, list_changes)


def _or_none(value: JsonValue | Absent) -> Any:
    return None if value is MISSING else value


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
