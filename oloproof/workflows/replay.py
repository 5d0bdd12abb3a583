"""`oloproof replay`: one case under its control and a fault, beside its recording."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.engine.contexts import context_of
from oloproof.engine.groups import Group, Site, Unit
from oloproof.engine.project import load_suite_of
from oloproof.engine.trials import Trials
from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.contract import FaultDemand
from oloproof.evaluation.faults.options import refused_at_model
from oloproof.evaluation.judging import judge_one
from oloproof.evaluation.registry import bind_one
from oloproof.records.calls import CallSite, call_sites, find_call
from oloproof.records.faults import fault_names, faults_at
from oloproof.reuse.identity import fingerprint_of
from oloproof.views.panels import replay_report
from oloproof.views.rows import StoredRun
from oloproof.views.stored import Warn, find_run, in_silence, open_store, read_run
from oloproof.workflows.checkpoints import checkpoint_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.evaluation.contract import Evaluator
    from oloproof.records.case_report import CheckpointList, ReplayReport
    from oloproof.records.faults import Duration, EffectKind
    from oloproof.suites.suite import Suite

EVERY_FAULT: Final = "all"


class _Wanted(NamedTuple):
    tool: str | None
    model: str | None
    fault: str | None
    occurrence: int
    step: int | None
    duration: Duration


def checkpoints(
    folder: Path, case: str, *, run: str = "latest", warn: Warn = in_silence
) -> CheckpointList:
    """The calls of a case from which it can be replayed."""
    with _opened(folder, case, run, warn) as opened:
        steps = [(_step_of(opened.unit, demand), demand.label) for demand in opened.declared]
        return checkpoint_list(opened.unit, opened.run, steps)


def replay(
    folder: Path,
    case: str,
    *,
    run: str = "latest",
    tool: str | None = None,
    model: str | None = None,
    fault: str | None = None,
    occurrence: int = 1,
    step: int | None = None,
    duration: Duration = "once",
    warn: Warn = in_silence,
) -> list[ReplayReport]:
    """The replays of a case: every declared one, or those of the call that is asked for.

    That is the `occurrence`-th call of `tool` or `model`, or the one at `step`. A call alone
    gets an error, a fault alone (`all` for every one) goes to the one tool or model of which
    the suite declares faults.

    A declared fault shows the evidence that the run stored and was judged by. Any other
    is replayed now, in a worker of its own, and is stored nowhere.
    """
    if fault is not None and fault not in (EVERY_FAULT, *fault_names()):
        raise ConfigurationError(
            f"there is no fault `{fault}`",
            where="--fault",
            fix=suggest(fault, (EVERY_FAULT, *fault_names())),
        )
    with _opened(folder, case, run, warn) as opened:
        unit, declared, kept = opened.unit, opened.declared, opened.bookkeeping
        if all(given is None for given in (tool, model, fault, step)):
            if not declared:
                raise ConfigurationError(
                    "the suite declares no fault",
                    fix="name a call and a fault: --step N --fault FAULT; --list shows the calls",
                )
            return [_stored(unit, demand, judge, kept) for demand, judge in declared.items()]
        wanted = _Wanted(tool, model, fault, occurrence, step, duration)
        demands = [_as_declared(unit, one, declared) for one in _demands(unit, declared, wanted)]
        fresh = [demand for demand in demands if demand not in declared]
        if fresh and opened.changed:
            warn(
                f"the code of the system changed since run {opened.run}: what is replayed now "
                "is held against a recording of the code before; `oloproof run` records it again"
            )
        made = _replayed_now(unit, fresh, load_suite_of(opened.root)) if fresh else {}
        return [
            made[demand] if demand in made else _stored(unit, demand, declared[demand], kept)
            for demand in demands
        ]


class _Opened(NamedTuple):
    """A recorded case, and the faults that its suite declares with who judges them."""

    root: Path
    run: int
    unit: Unit
    declared: dict[FaultDemand, Evaluator]
    bookkeeping: Bookkeeping
    changed: bool


@contextmanager
def _opened(folder: Path, case: str, run: str, warn: Warn) -> Iterator[_Opened]:
    with open_store(folder, warn) as (root, store):
        stored = StoredRun.open(store, read_run(store, find_run(store, run, where="--run")))
        system = stored.record.manifest["system"]
        if system.get("recorded") is not None:
            raise _recorded_elsewhere(system["name"], where=f"run {stored.record.number}")
        unit = _source_unit(stored.restore(stored.row(case)), case)
        if unit.case.source is not None:
            raise ConfigurationError(
                f"`{case}` is a metamorphic copy, and faults are tried on sources alone",
                fix=f"replay its source: `oloproof replay {unit.case.source}`",
            )
        declared = {d: e for e in stored.bound.evaluators for d in e.demands()}
        recorded = stored.record.manifest["system"]["source_digest"]
        changed = fingerprint_of(load_suite_of(root), store).source_digest != recorded
        yield _Opened(root, stored.record.number, unit, declared, stored.bound.bookkeeping, changed)


def _recorded_elsewhere(system: str, *, where: str) -> ConfigurationError:
    return ConfigurationError(
        f"`{system}` was recorded elsewhere: nothing of it can be replayed here",
        where=where,
        fix="to try faults, run the system itself: `callable: module:attr` in place of "
        "`recorded`; `oloproof inspect --case` shows the recording",
    )


def _source_unit(group: Group, case: str) -> Unit:
    unit = next((u for u in group.units if u.case.id == case), None)
    if unit is None:
        raise ConfigurationError(
            f"there is no case `{case}` in this run",
            fix=suggest(case, {u.case.id for u in group.units}),
        )
    return unit


# -- which replays are meant -----------------------------------------------------------------------


def _demands(
    unit: Unit, declared: dict[FaultDemand, Evaluator], wanted: _Wanted
) -> list[FaultDemand]:
    call = _call(unit, declared, wanted)
    refused = None if call.kind == "tool" else refused_at_model(wanted.fault)
    if refused is not None:
        raise ConfigurationError(refused.what, where="--fault", fix=refused.fix)
    faults = faults_at(call.kind) if wanted.fault == EVERY_FAULT else (wanted.fault or "error",)
    return [
        FaultDemand(call.name, fault, call.occurrence, wanted.duration, kind=call.kind)
        for fault in faults
    ]


def _call(unit: Unit, declared: dict[FaultDemand, Evaluator], wanted: _Wanted) -> CallSite:
    """The call that is meant."""
    calls = {call.step: call for call in call_sites(unit.steps)}
    if not calls:
        raise ConfigurationError(
            f"case `{unit.case.id}` recorded no call of a tool or a model, so none can be made "
            "to fail",
            fix="declare its tools with `@oloproof.tool`, or report a trajectory: "
            "`current_case().agent_trajectory(...)`",
        )
    if wanted.step is not None:
        if wanted.step not in calls:
            raise ConfigurationError(
                f"step {wanted.step} of case `{unit.case.id}` is no call of a tool or a model",
                where="--step",
                fix=f"name one of the steps {', '.join(map(str, calls))}",
            )
        return calls[wanted.step]
    called = [call.name for call in calls.values()]
    kind, name = _named(wanted) or _only_declared(declared, called)
    step = find_call(unit.steps, name, wanted.occurrence, kind=kind)
    if step is None and name not in called:
        raise ConfigurationError(
            f"case `{unit.case.id}` did not call `{name}`",
            where=f"--{kind}",
            fix=suggest(name, called),
        )
    if step is None:
        raise ConfigurationError(
            f"case `{unit.case.id}` called `{name}` {called.count(name)} times, "
            f"not {wanted.occurrence}",
            where="--occurrence",
            fix="name an earlier call with --occurrence",
        )
    return calls[step]


def _named(wanted: _Wanted) -> tuple[EffectKind, str] | None:
    if wanted.model is not None:
        return "model", wanted.model
    return None if wanted.tool is None else ("tool", wanted.tool)


def _only_declared(
    declared: dict[FaultDemand, Evaluator], called: Sequence[str]
) -> tuple[EffectKind, str]:
    targets = {(demand.kind, demand.name) for demand in declared}
    if len(targets) != 1:
        raise ConfigurationError(
            "it is not said which tool or model should fail",
            fix="name one with --tool or --model: " + suggest("", called),
        )
    return targets.pop()


def _step_of(unit: Unit, demand: FaultDemand) -> int | None:
    return find_call(unit.steps, demand.name, demand.occurrence, demand.turn, demand.kind)


def _as_declared(
    unit: Unit, demand: FaultDemand, declared: dict[FaultDemand, Evaluator]
) -> FaultDemand:
    """The declared demand that means the same call, such as by its turn; else the one given."""
    place = (_step_of(unit, demand), demand.label)
    return next((d for d in declared if (_step_of(unit, d), d.label) == place), demand)


# -- the replays -----------------------------------------------------------------------------------


def _stored(
    unit: Unit, demand: FaultDemand, judge: Evaluator, bookkeeping: Bookkeeping
) -> ReplayReport:
    context = context_of(unit, None, bookkeeping)
    return replay_report(
        case=unit.case.id,
        recording=context.evidence,
        demand=demand,
        replay=context.replays[demand],
        verdict=judge_one(judge, context),
        stored=True,
    )


_OF_THE_LINE: Final = ("criterion", "dimension", "cases", "tool", "model")
"""Options that say of a line what it is called, whom it is for and which call fails."""


def _judge_of(demand: FaultDemand, suite: Suite) -> Evaluator:
    """A check of this fault, with what the suite declares of other faults.

    That of the same tool goes before that of another: whom to escalate to is often the same.
    """
    declared = [raw.options for raw in suite.evaluators if raw.type == "fault_recovery"]
    declared.sort(key=lambda options: options.get(demand.kind) == demand.name)
    options: dict[str, Any] = {}
    for line in declared:
        options |= {name: value for name, value in line.items() if name not in _OF_THE_LINE}
    options |= {
        "type": "fault_recovery",
        demand.kind: demand.name,
        "fault": demand.fault,
        "occurrence": demand.occurrence,
        "duration": demand.duration,
        "turn": demand.turn,
    }
    return bind_one(options, suite)


def _replayed_now(
    unit: Unit, demands: Sequence[FaultDemand], suite: Suite
) -> dict[FaultDemand, ReplayReport]:
    """The faults of one call, behind one control, in a worker of their own."""
    judges = {demand: _judge_of(demand, suite) for demand in demands}
    if suite.recorded is not None:
        raise _recorded_elsewhere(suite.system.name, where=suite.where("system", "recorded"))
    first = demands[0]
    labels = tuple(demand.label for demand in demands)
    site = Site(first.name, first.occurrence, labels, first.turn, first.kind)
    fresh = Unit(unit.case, unit.replicate, unit.key, (site,), evidence=unit.evidence)
    Trials(suite).run([Group(unit.case, [fresh])])
    context = context_of(fresh, None, suite.system.bookkeeping)
    return {
        demand: replay_report(
            case=unit.case.id,
            recording=context.evidence,
            demand=demand,
            replay=context.replays[demand],
            verdict=judge_one(judge, context),
            stored=False,
        )
        for demand, judge in judges.items()
    }
