"""The gate: what all decisions together mean for a release, and the exit code that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.errors import EXIT_UNEXECUTED
from oloproof.records.report import GateReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.records.report import DecisionReport, DecisionStatus, GateStatus
    from oloproof.suites.policy import Policy

_EXIT_CODES: Final[Mapping[DecisionStatus, int]] = {
    "FAIL": 1,
    "INSUFFICIENT_EVIDENCE": 3,
    "MANUAL_REVIEW": 4,
}
_PRECEDENCE: Final = (1, EXIT_UNEXECUTED, 4, 3)


def gate(
    decisions: Sequence[DecisionReport],
    policy: Policy,
    policy_name: str,
    *,
    run_complete: bool,
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> GateReport:
    """The gate on `decisions`; `notes` are what else must be said of the run.

    A run that ended with cases unexecuted is blocked whatever `block_on` says. ALLOW is said
    only where every rule passed and there are no `warnings`; what did not pass and does not
    block warns.
    """
    blocking = {
        _EXIT_CODES[decision.status]
        for decision in decisions
        if decision.status in _EXIT_CODES and decision.status in policy.block_on
    }
    said = [*warnings, *notes]
    if not run_complete:
        blocking.add(EXIT_UNEXECUTED)
        said.append("The run ended with cases unexecuted, so it cannot be allowed.")
    said.extend(_allowed_notes(decisions, policy))
    warned = bool(warnings) or any(decision.status != "PASS" for decision in decisions)
    verdict: GateStatus = "BLOCK" if blocking else "WARN" if warned else "ALLOW"
    return GateReport(
        verdict=verdict,
        exit_code=next((code for code in _PRECEDENCE if code in blocking), 0),
        policy=policy_name,
        decisions=list(decisions),
        notes=said,
    )


def _allowed_notes(decisions: Sequence[DecisionReport], policy: Policy) -> list[str]:
    """What is let through although it did not pass: never in silence."""
    return [
        f"`{decision.rule}` is {decision.status}, which the policy neither blocks nor warns on."
        for decision in decisions
        if decision.status != "PASS"
        and decision.status not in policy.block_on
        and decision.status not in policy.warn_on
    ]
