"""What was found of one rule, before it is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from oloproof.records.report import DecisionStatus

Reason = Literal[
    "requirement_met",
    "requirement_missed",
    "more_cases_needed",
    "no_number_of_cases",
    "missing_undecides",
    "nothing_observed",
    "too_much_missing",
    "too_much_excluded",
    "missing_could_fail",
    "transform_not_checked",
    "approximate_methods_not_allowed",
    "too_few_clusters",
    "manual_review_required",
]
"""The stable words that say why a rule is decided as it is."""


class Finding(NamedTuple):
    """A status, its stable reason, and the sentences that tell it with its numbers."""

    status: DecisionStatus
    reason: Reason
    detail: str


def insufficient(reason: Reason, detail: str) -> Finding:
    """There is not enough to say it passes, and nothing that says it fails."""
    return Finding("INSUFFICIENT_EVIDENCE", reason, detail)
