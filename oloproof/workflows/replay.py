"""`oloproof replay`: one case under its control and a fault, beside its recording."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.contract import FaultDemand
from oloproof.evaluation.registry import bind_one
from oloproof.workflows.contexts import context_of
from oloproof.workflows.engine import Engine
from oloproof.workflows.groups import Group, Site, Unit
from oloproof.workflows.identity import opening
from oloproof.workflows.panels import replay_report
from oloproof.workflows.project import load_suite_of
from oloproof.workflows.rows import StoredRun
from oloproof.workflows.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.evaluation.contract import Evaluator
    from oloproof.records.case_report import ReplayReport
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
    """A check of this fault, with what the suite declares of other faults.

    That of the same tool goes before that of another: whom to escalate to is often the same.
    """
    declared = [raw.options for raw in suite.evaluators if raw.type == "fault_recovery"]
    declared.sort(key=lambda options: options["tool"] == demand.tool)
    options: dict[str, Any] = {}
    for line in declared:
        options |= {name: value for name, value in line.items() if name != "criterion"}
    options |= {
        "type": "fault_recovery",
        "tool": demand.tool,
        "fault": demand.fault,
        "occurrence": demand.occurrence,
        "duration": demand.duration,
    }
    return bind_one(options, suite)


class _KeptNowhere:
    """What the engine needs of a store, for a replay that is only looked at."""

    patience_s: None = None

    def add_result(self, key: bytes, data: bytes, **_: object) -> bytes:  # noqa: ARG002
        """The digest of the evidence."""
        return sha256(data).digest()

    def commit_when_due(self) -> None:
        """Nothing waits."""

    def commit(self) -> None:
        """Nothing waits."""


def _replayed_now(unit: Unit, demand: FaultDemand, judge: Evaluator, suite: Suite) -> ReplayReport:
    site = Site(demand.tool, demand.occurrence, (demand.label,), demand.turn)
    models = suite.system.models
    fresh = Unit(unit.case, unit.replicate, unit.key, (site,), models, evidence=unit.evidence)
    engine = Engine(
        store=_KeptNowhere(),
        run=0,
        opening=opening(suite),
        declared_at=suite.where("system", "callable"),
        concurrency=1,
        timeout_s=suite.system.timeout_s,
        check_system=lambda _: None,
        journal=None,
    )
    for _ in engine.through([Group(unit.case, [fresh])]):
        pass
    context = context_of(fresh, None)
    return replay_report(
        case=unit.case.id,
        recording=context.evidence,
        demand=demand,
        replay=context.replays[demand],
        verdict=judge.evaluate(context),
        stored=False,
    )
