"""`oloproof inspect`: the case panel, and the list of cases."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oloproof.engine.contexts import contexts_of
from oloproof.errors import ConfigurationError
from oloproof.metamorphic.pairs import field_text
from oloproof.metamorphic.transforms import Transform
from oloproof.paths import MISSING
from oloproof.records.case_report import CaseLine, CaseList, CaseReport, PairReport, VerdictReport
from oloproof.views.pair_labels import read_pair_labels
from oloproof.views.panels import (
    changes,
    outcome_report,
    replay_report,
    scorecard,
    state_report,
    turn_reports,
    verdict_report,
)
from oloproof.views.rows import StoredRun
from oloproof.views.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oloproof.engine.groups import Group, Unit
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.records.case_report import ReplayReport


def list_cases(
    folder: Path, run: str = "latest", *, failures: bool = False, warn: Warn = in_silence
) -> CaseList:
    """The cases of a run, or only those with a failed or missing check or a bad outcome."""
    with _opened(folder, run, warn) as stored:
        metrics = [evaluator.metric for evaluator in stored.bound.evaluators]
        lines = [
            line
            for row in stored.rows()
            for unit in row["units"]
            if (line := _line(row["id"], unit, metrics)) and not (failures and _is_fine(line))
        ]
        return CaseList(run=stored.record.number, failures_only=failures, cases=lines)


def _line(source: str, unit: list[Any], metrics: Sequence[str]) -> CaseLine:
    transform, replicate, _, status, codes, *_ = unit
    failed: dict[str, str | None] = {}
    missing: dict[str, str | None] = {}
    for metric, code in zip(metrics, codes, strict=True):
        if code[0] in "fm":
            (failed if code[0] == "f" else missing)[metric] = code[2:] or None
    return CaseLine(
        case=source if transform is None else f"{source}~{transform}",
        replicate=replicate,
        outcome=status,
        failed=failed,
        missing=missing,
    )


def _is_fine(line: CaseLine) -> bool:
    return not line.failed and not line.missing and line.outcome == "completed"


def inspect_case(
    folder: Path, run: str, case: str, replicate: int = 1, *, warn: Warn = in_silence
) -> CaseReport:
    """Everything that a run knows of one case, judged again from its stored evidence."""
    with _opened(folder, run, warn) as stored:
        group = stored.restore(stored.row(case))
        unit = _unit(group, case, replicate)
        return _panel(stored, group, unit)


@contextmanager
def _opened(folder: Path, run: str, warn: Warn) -> Iterator[StoredRun]:
    """A stored run, as the labels that there are now leave it."""
    with open_store(folder, warn) as (root, store):
        record = read_run(store, find_run(store, run))
        yield StoredRun.open(store, record, read_pair_labels(record, store, root).not_kept)


def _unit(group: Group, case: str, replicate: int) -> Unit:
    ids = list(dict.fromkeys(unit.case.id for unit in group.units))
    if case not in ids:
        raise ConfigurationError(
            f"there is no case `{case}` in this run", fix=f"name one of: {', '.join(ids)}"
        )
    for unit in group.units:
        if unit.case.id == case and unit.replicate == replicate:
            return unit
    count = sum(unit.case.id == case for unit in group.units)
    raise ConfigurationError(
        f"case `{case}` has no replicate {replicate}",
        fix=f"name one of the replicates 1 to {count}",
    )


def _panel(stored: StoredRun, group: Group, unit: Unit) -> CaseReport:
    evaluators = stored.bound.evaluators
    seen = [
        (other, context)
        for other, context in zip(
            group.units, contexts_of(group.units, stored.bound.bookkeeping), strict=True
        )
        if other.replicate == unit.replicate
    ]
    context = next(context for other, context in seen if other is unit)
    verdicts = stored.judge(unit, context)
    case, evidence = unit.case, context.evidence
    initial = MISSING if case.state_json is None else case.initial_state
    return CaseReport(
        run=stored.record.number,
        case=case.id,
        cluster=case.cluster_id,
        replicate=unit.replicate,
        source=case.source,
        transform=case.transform,
        input=case.input,
        expected=case.expected,
        outcome=outcome_report(evidence.outcome),
        attempts=[outcome_report(attempt) for attempt in evidence.attempts],
        has_output=evidence.output is not MISSING,
        output=None if evidence.output is MISSING else evidence.output,
        initial=state_report(initial),
        final=state_report(evidence.state, evidence.world_problem),
        state_changes=changes(initial, evidence.state),
        steps=list(evidence.steps),
        trajectory_problem=evidence.trajectory_problem,
        terminal_status=evidence.terminal_status,
        constraints=list(evidence.constraints),
        verdicts=_reports(evaluators, verdicts),
        replays=_replays(evaluators, context, verdicts),
        pairs=_pairs(stored, seen, unit),
        turns=turn_reports(context, evaluators, verdicts),
        scorecard=scorecard(evaluators, verdicts),
    )


def _reports(evaluators: Sequence[Evaluator], verdicts: Sequence[Verdict]) -> list[VerdictReport]:
    return [verdict_report(e.metric, v) for e, v in zip(evaluators, verdicts, strict=True)]


def _replays(
    evaluators: Sequence[Evaluator], context: Context, verdicts: Sequence[Verdict]
) -> list[ReplayReport]:
    return [
        replay_report(
            case=context.case.id,
            recording=context.evidence,
            demand=demand,
            replay=context.replays[demand],
            verdict=verdict,
            stored=True,
        )
        for evaluator, verdict in zip(evaluators, verdicts, strict=True)
        for demand in evaluator.demands()
        if demand in context.replays
    ]


def _pairs(stored: StoredRun, seen: Sequence[tuple[Unit, Context]], unit: Unit) -> list[PairReport]:
    """For a source all its pairs; for a copy its own, whose verdicts stand among its checks.

    The repeat of a source changes no text, so it is shown by its verdicts alone.
    """
    transforms = {transform.name: transform for transform in stored.bound.transforms}
    reports = []
    for copy, context in seen:
        if context.source is None or (unit.case.source is not None and copy is not unit):
            continue
        source, transform = context.source.case, transforms[str(copy.case.transform)]
        changed = transform if isinstance(transform, Transform) else None
        judged = [] if copy is unit else stored.judge(copy, context)
        reports.append(
            PairReport(
                transform=transform.name,
                source=source.id,
                copy_id=copy.case.id,
                field=changed and changed.field,
                source_text=changed and field_text(changed, source),
                copy_text=changed and field_text(changed, copy.case),
                verdicts=[
                    verdict_report(evaluator.metric, verdict)
                    for evaluator, verdict in zip(
                        stored.bound.evaluators, judged, strict=bool(judged)
                    )
                    if evaluator.transform == transform.name
                ],
            )
        )
    return reports
