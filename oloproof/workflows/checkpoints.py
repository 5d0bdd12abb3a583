"""The calls of a recorded case from which it can be replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from oloproof.records.calls import call_sites
from oloproof.records.case_report import CheckpointLine, CheckpointList
from oloproof.records.evidence import RECORDING
from oloproof.records.faults import tool_or_model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.engine.groups import Unit


def checkpoint_list(
    unit: Unit, run: int, declared: Iterable[tuple[int | None, str]]
) -> CheckpointList:
    """Each call of a tool or a model, in order, with the `declared` faults by their step.

    A call has its state kept where the run recorded the sandbox just before it; from any other
    a replay begins at an earlier state, and runs the tools from there on again.
    """
    assert unit.evidence is not None, "the run is over"
    recording = unit.evidence.value.get(RECORDING)
    kept = set() if recording is None else _steps_with_state(recording)
    faults: dict[int | None, list[str]] = {}
    for at, label in declared:
        faults.setdefault(at, []).append(label)
    method: Literal["manual", "recorded"] = "manual" if recording is None else "recorded"
    lines = []
    for site in call_sites(unit.steps):
        step = unit.steps[site.step - 1]
        tool, model = tool_or_model(site.kind, site.name)
        lines.append(
            CheckpointLine(
                step=site.step,
                tool=tool,
                model=model,
                occurrence=site.occurrence,
                turn=step.get("turn"),
                arguments=step.get("arguments"),
                state_kept=site.step in kept,
                faults=faults.get(site.step, []),
            )
        )
    return CheckpointList(run=run, case=unit.case.id, method=method, checkpoints=lines)


def _steps_with_state(stored: Any) -> set[int]:
    """The steps of the calls just before which the state of the sandbox was kept."""
    from oloproof.recording.recording import Recording

    recording = Recording.from_json(stored)
    kept = {recording.checkpoints[name].at for name in stored.get("states", ())}
    return {
        step
        for event, step in recording.trajectory.call_steps.items()
        if recording.events[event].started in kept
    }
