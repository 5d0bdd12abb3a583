"""Faulted replays of a refund desk as the check of fault recovery sees them."""

from __future__ import annotations

from typing import Any

from evaluator_samples import (
    call,
    case,
    evaluator,
    evidence,
    judge_replay,
    replayed,
    result,
    trajectory,
)

from oloproof.evaluation.contract import Verdict
from oloproof.paths import MISSING
from oloproof.records.evidence import CaseEvidence, FaultReplay, Outcome, ReplayEvidence, Struck

OPEN: Any = {"order": "open", "other": 1}
DONE: Any = {"order": "refunded", "other": 1}
EXPECTED: Any = {"answer": "refunded", "state": DONE}

REFUND = call("issue_refund", arguments={"order": "1"})
FAILED = result("issue_refund", result={"error": "internal error"})
WORKED = result("issue_refund", result={"refund": "r-1"})
ESCALATED = (call("escalate"), result("escalate", result={"ticket": 7}))


def check(**options: Any) -> Any:
    given = {"tool": "issue_refund", "fault": "error", "escalate_tools": ["escalate"], **options}
    return evaluator(type="fault_recovery", **given)


def after(
    *steps: dict[str, Any],
    state: Any = OPEN,
    output: Any = MISSING,
    outcome: Outcome | None = None,
    **fields: Any,
) -> CaseEvidence:
    """The joined evidence of a replay whose first call was struck by the fault."""
    ending = {} if outcome is None else {"outcome": outcome}
    joined = trajectory(REFUND, FAILED, *steps, **fields)
    return evidence(output=output, state=state, trajectory=joined, **ending)


def verdict(
    faulted: CaseEvidence, expected: Any = EXPECTED, initial: Any = OPEN, **options: Any
) -> Verdict:
    return judge_replay(check(**options), case(initial, expected=expected), replayed(faulted))


def delivered(fault: str = "error", *, applied: bool = False, **fields: Any) -> dict[str, Any]:
    """The result of a call of the tool with the fault that was delivered to it."""
    delivery = {"fault": fault, "as": "returned", "applied": applied, "visible": True}
    return result("issue_refund", **{"result": {"raw": "{"}, **fields}, fault=delivery)


def struck_by(fault: str, faulted: CaseEvidence) -> CaseEvidence:
    """The evidence with the delivery of a fault on its first result, unless one is there."""
    steps = faulted.steps
    if any("fault" in step for step in steps):
        return faulted
    applied = fault in ("applied_error", "applied_timeout", "duplicate_delivery")
    delivery: Any = {"fault": fault, "as": "returned", "applied": applied, "visible": True}
    marked: Any = [step | {"fault": delivery} if step["index"] == 2 else step for step in steps]
    return faulted._replace(trajectory={**(faulted.trajectory or {}), "steps": marked})


def recorded(
    faulted: CaseEvidence, *, fault: str = "error", struck: Struck | None = None
) -> FaultReplay:
    """A replay of recorded tools, behind a control that holds; `struck` is the world there."""
    control = ReplayEvidence("resume", 1, "recorded", evidence())
    made = ReplayEvidence("inject_fault", 1, "recorded", faulted, fault)
    return FaultReplay(control, made._replace(struck=struck or Struck()))
