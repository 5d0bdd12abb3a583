"""Puts the evidence of a unit into the shape that evaluators look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import decode, encode_in_order
from oloproof.evaluation.contract import Context, FaultDemand
from oloproof.records.case import IDENTITY
from oloproof.records.evidence import CaseEvidence, FaultReplay, ReplayEvidence
from oloproof.records.faults import read_fault_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.engine.groups import Unit
    from oloproof.execution.redaction import Redaction
    from oloproof.records.case import Case


def context_of(
    unit: Unit,
    source: Context | None,
    bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    redaction: Redaction | None = None,
) -> Context:
    """What an evaluator may see of a unit; `source` is the context of a copy's source.

    Evidence is redacted, so with a `redaction` the case is compared in that form too.
    """
    case = unit.case if not redaction else redacted(unit.case, redaction)
    assert unit.evidence is not None
    replays = {}
    if unit.sites:
        located = dict(unit.located())
        for site in unit.sites:
            for fault in site.faults:
                kind, duration = read_fault_label(fault)
                demand = FaultDemand(
                    site.name, kind, site.occurrence, duration, site.turn, site.kind
                )
                replays[demand] = fault_replay(unit, fault, located.get(site), case.initial_state)
    evidence = CaseEvidence.from_json(unit.evidence.value, case.initial_state)
    return Context(case, evidence, replays, source, bookkeeping)


def contexts_of(
    units: Sequence[Unit], bookkeeping: Bookkeeping, redaction: Redaction | None = None
) -> Iterator[Context]:
    """What may be seen of the units of a group, in their order.

    A source stands before its copies, and its unchanged repeat before the changed ones.
    """
    sources: dict[int, Context] = {}
    baselines: dict[int, Context] = {}
    for unit in units:
        case, replicate = unit.case, unit.replicate
        context = context_of(unit, sources.get(replicate), bookkeeping, redaction)
        if case.source is None:
            sources[replicate] = context
        elif case.transform == IDENTITY:
            baselines[replicate] = context
        else:
            context = context._replace(baseline=baselines.get(replicate))
        yield context


def redacted(case: Case, redaction: Redaction) -> Case:
    """A case as its stored evidence knows it."""

    def clean(value: Any) -> Any:
        return decode(redaction.of_json(encode_in_order(value)))

    return case.with_input(clean(case.input))._replace(
        initial_state=clean(case.initial_state),
        expected=clean(case.expected),
    )


def fault_replay(unit: Unit, fault: str, step_index: int | None, initial: JsonValue) -> FaultReplay:
    """One faulted replay with its control, or why there is none."""
    if step_index is None:
        reported = unit.evidence is not None and "agent_trajectory/v1" in unit.evidence.value
        return FaultReplay(unavailable="fault_target_not_called" if reported else "no_trajectory")
    control = unit.replays.get((step_index, None))
    faulted = unit.replays.get((step_index, fault))
    return FaultReplay(
        control=None if control is None else ReplayEvidence.from_json(control.value, initial),
        faulted=None if faulted is None else ReplayEvidence.from_json(faulted.value, initial),
    )
