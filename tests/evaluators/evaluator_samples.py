"""Cases, evidence and replays as evaluators see them, and evaluators from their options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from oloproof.canonical import encode
from oloproof.evaluation.contract import Context, Evaluator, FaultDemand, Verdict
from oloproof.evaluation.registry import bind_all, lines_of
from oloproof.paths import MISSING
from oloproof.records.case import Case
from oloproof.records.evidence import (
    COMPLETED,
    CaseEvidence,
    FaultReplay,
    Moment,
    Outcome,
    ReplayEvidence,
)
from oloproof.suites.located import Document
from oloproof.suites.suite import read_transform

LOUD = read_transform(
    Document(
        Path("oloproof.yaml"),
        {"name": "loud", "field": "message", "template": "{value}!"},
        lines={},
        digest="",
    ),
    (),
)
RAISED = Outcome("raised", "ValueError: no such order", "app.py:7")


def evaluators(*lines: dict[str, Any]) -> list[Evaluator]:
    """What the lines of a suite make."""
    return bind_all(lines_of(lines, Path("suite")), [LOUD])


def evaluator(**options: Any) -> Evaluator:
    """The one evaluator of a line."""
    (made,) = evaluators(options)
    return made


def case(initial: Any = MISSING, **fields: Any) -> Case:
    """A case, with an initial state where one is given."""
    given = {} if initial is MISSING else {"initial_state": initial, "state_json": encode(initial)}
    return Case(**{"id": "c", "input": {"message": "refund"}, **given, **fields})


def evidence(
    *, output: Any = MISSING, state: Any = MISSING, outcome: Outcome = COMPLETED, **fields: Any
) -> CaseEvidence:
    """Evidence with at most one world, the one after the case."""
    worlds = () if state is MISSING else (Moment(state),)
    return CaseEvidence(outcome, output=output, worlds=worlds, **fields)


def trajectory(*steps: dict[str, Any], status: str = "unknown", **fields: Any) -> dict[str, Any]:
    """A trajectory whose steps are numbered from 1."""
    numbered = [{"index": index, **step} for index, step in enumerate(steps, start=1)]
    return {"steps": numbered, "terminal_status": status, **fields}


def call(tool: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_call", "tool_name": tool, **fields}


def result(tool: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "tool_name": tool, **fields}


def replayed(faulted: CaseEvidence | None, *, fault: str = "error", step: int = 1) -> FaultReplay:
    """A faulted replay behind a control that holds."""
    control = ReplayEvidence("resume", step, "manual", evidence())
    return FaultReplay(control, ReplayEvidence("inject_fault", step, "manual", faulted, fault))


def judge_replay(check: Evaluator, of: Case, replay: FaultReplay) -> Verdict:
    """The verdict where the check's one demand was met by `replay`."""
    (demand,) = check.demands()
    assert isinstance(demand, FaultDemand)
    return check.evaluate(Context(of, evidence(), {demand: replay}))
