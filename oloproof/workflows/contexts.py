"""Puts the evidence of a unit into the shape that evaluators look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.evaluation.contract import Context, FaultDemand
from oloproof.records.evidence import CaseEvidence, FaultReplay, ReplayEvidence

if TYPE_CHECKING:
    from oloproof.workflows.groups import Unit


def context_of(unit: Unit, source: Context | None) -> Context:
    """What an evaluator may see of a unit; `source` is the context of a copy's source."""
    assert unit.evidence is not None
    replays = {}
    if unit.sites:
        located = dict(unit.located())
        for site in unit.sites:
            for fault in site.faults:
                demand = FaultDemand(site.tool, fault, site.occurrence)
                replays[demand] = fault_replay(unit, fault, located.get(site))
    evidence = CaseEvidence.from_json(unit.evidence.value, unit.case.initial_state)
    return Context(unit.case, evidence, replays, source)


def fault_replay(unit: Unit, fault: str, step_index: int | None) -> FaultReplay:
    """One faulted replay with its control, or why there is none."""
    if step_index is None:
        reported = unit.evidence is not None and "agent_trajectory/v1" in unit.evidence.value
        return FaultReplay(unavailable="fault_target_not_called" if reported else "no_trajectory")
    control = unit.replays.get((step_index, None))
    faulted = unit.replays.get((step_index, fault))
    initial = unit.case.initial_state
    return FaultReplay(
        control=None if control is None else ReplayEvidence.from_json(control.value, initial),
        faulted=None if faulted is None else ReplayEvidence.from_json(faulted.value, initial),
    )
