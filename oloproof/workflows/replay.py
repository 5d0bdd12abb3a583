"""`oloproof replay`: one case under its control and a fault, beside its recording."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode
from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.contract import FaultDemand
from oloproof.evaluation.registry import bind_one
from oloproof.records.evidence import ReplayEvidence
from oloproof.worker import messages
from oloproof.workers.pool import Lost, Pool
from oloproof.workflows.contexts import context_of
from oloproof.workflows.engine import GRACE_S, worker_environment
from oloproof.workflows.groups import Group, Known, Site, Unit
from oloproof.workflows.identity import opening
from oloproof.workflows.panels import replay_report
from oloproof.workflows.project import SUITE_FILE, load_suite_of
from oloproof.workflows.rows import StoredRun
from oloproof.workflows.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.evaluation.contract import Evaluator
    from oloproof.records.report import ReplayReport
    from oloproof.suites.suite import Suite


def replay(
    folder: Path,
    case: str,
    *,
    run: str = "latest",
    tool: str | None = None,
    fault: str | None = None,
    occurrence: int = 1,
    warn: Warn = in_silence,
) -> list[ReplayReport]:
    """The replays of a case: every declared one, or the one that was asked for.

    A declared fault shows the evidence that the run stored and was judged by. Any other
    is replayed now, in a worker of its own, and is stored nowhere.
    """
    with open_store(folder, warn) as (root, store):
        stored = StoredRun.open(store, read_run(store, find_run(store, run)))
        unit = _source_unit(stored.restore(stored.row(case)), case)
        if unit.case.source is not None:
            raise ConfigurationError(
                f"`{case}` is a metamorphic copy, and faults are tried on sources alone",
                mend=f"replay its source: `oloproof replay {unit.case.source}`",
            )
        declared = {d: e for e in stored.bound.evaluators for d in e.demands()}
        if tool is None and fault is None:
            if not declared:
                raise ConfigurationError(
                    "the suite declares no fault", mend="name one: --tool TOOL --fault FAULT"
                )
            return [_stored(unit, demand, judge) for demand, judge in declared.items()]
        demand = _demand(unit, declared, tool, fault, occurrence)
        if demand in declared:
            return [_stored(unit, demand, declared[demand])]
        suite = load_suite_of(root)
        judge = _judge_of(demand, suite)
        return [_replayed_now(unit, demand, judge, suite)]


def _source_unit(group: Group, case: str) -> Unit:
    unit = next((u for u in group.units if u.case.id == case), None)
    if unit is None:
        raise ConfigurationError(
            f"there is no case `{case}` in this run",
            mend=suggest(case, {u.case.id for u in group.units}),
        )
    return unit


def _demand(
    unit: Unit,
    declared: dict[FaultDemand, Evaluator],
    tool: str | None,
    fault: str | None,
    occurrence: int,
) -> FaultDemand:
    """The fault that is meant: a tool alone gets an error, a fault alone the declared tool."""
    called = [str(s.get("tool_name")) for s in unit.steps if s["kind"] == "tool_call"]
    if not called:
        raise ConfigurationError(
            f"case `{unit.case.id}` recorded no tool call, so none can be made to fail",
            mend="report a trajectory: `current_case().agent_trajectory(...)`",
        )
    if tool is None:
        tools = {demand.tool for demand in declared}
        if len(tools) != 1:
            raise ConfigurationError(
                "it is not said which tool should fail",
                mend="name one with --tool: " + suggest("", called),
            )
        (tool,) = tools
    if tool not in called:
        raise ConfigurationError(
            f"case `{unit.case.id}` did not call `{tool}`", mend=suggest(tool, called)
        )
    if called.count(tool) < occurrence:
        raise ConfigurationError(
            f"case `{unit.case.id}` called `{tool}` {called.count(tool)} times, not {occurrence}",
            mend="name an earlier call with --occurrence",
        )
    return FaultDemand(tool, fault or "error", occurrence)


def _stored(unit: Unit, demand: FaultDemand, judge: Evaluator) -> ReplayReport:
    context = context_of(unit, None)
    return replay_report(
        case=unit.case.id,
        recording=context.evidence,
        demand=demand,
        replay=context.replays[demand],
        verdict=judge.evaluate(context),
        stored=True,
    )


def _judge_of(demand: FaultDemand, suite: Suite) -> Evaluator:
    """A check of this fault, with what the suite declares of other faults of the same tool."""
    options: dict[str, Any] = {}
    for raw in suite.evaluators:
        if raw.type == "fault_recovery" and raw.options.get("tool") == demand.tool:
            options = {k: v for k, v in raw.options.items() if k != "criterion"}
    options |= {
        "type": "fault_recovery",
        "tool": demand.tool,
        "fault": demand.fault,
        "occurrence": demand.occurrence,
    }
    return bind_one(options, suite)


def _replayed_now(unit: Unit, demand: FaultDemand, judge: Evaluator, suite: Suite) -> ReplayReport:
    site = Site(demand.tool, demand.occurrence, (demand.fault,))
    fresh = Unit(unit.case, unit.replicate, unit.key, (site,), evidence=unit.evidence)
    group = Group(unit.case, [fresh])
    with Pool(
        [sys.executable, "-P", "-m", "oloproof.worker"],
        size=1,
        opening=opening(suite),
        deadline_s=suite.system.timeout_s + GRACE_S,
        environment=worker_environment(),
        folder=str(suite.root),
    ) as pool:
        pool.submit(fresh, {"units": group.job()}, unit.case.state_json or b"")
        while pool.pending:
            for message in pool.poll():
                _take(fresh, message)
    context = context_of(fresh, None)
    return replay_report(
        case=unit.case.id,
        recording=context.evidence,
        demand=demand,
        replay=context.replays[demand],
        verdict=judge.evaluate(context),
        stored=False,
    )


def _take(unit: Unit, message: Any) -> None:
    if isinstance(message, Lost):
        if not message.opened:
            raise ConfigurationError(
                "the worker ended before the system was loaded",
                where=SUITE_FILE,
                mend="see what importing the system's module does",
            )
        _, step_index, fault = next(unit.absent_replays())
        lost = ReplayEvidence(
            kind="inject_fault" if fault else "resume",
            step_index=step_index,
            method="manual",
            fault=fault,
            case=None,
            reason=f"replay_{message.cause}",
        )
        unit.replays[step_index, fault] = Known(b"", lost.to_json(None))
        return
    frame = message.frame
    if frame.kind == messages.REFUSED:
        raise ConfigurationError(
            frame.header["what"], where=frame.header["where"], mend=frame.header["mend"]
        )
    if frame.kind == messages.REPLAY:
        place = frame.header["step_index"], frame.header["fault"]
        unit.replays[place] = Known(b"", decode(frame.body))
