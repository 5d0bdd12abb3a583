"""Each rule of a policy decided on what was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.evaluation.judging import NEVER_DUE
from oloproof.gating.bounds import Bar, decide_bar
from oloproof.gating.findings import Finding, insufficient
from oloproof.gating.validity import kept_needed, pairs_needed
from oloproof.gating.wording import (
    counted,
    exact,
    shown,
    tell_missing,
    tell_rate,
    tell_reasons,
)
from oloproof.records.case import IDENTITY
from oloproof.records.report import DecisionReport
from oloproof.statistics.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.records.report import ValidityReport
    from oloproof.suites.policy import Policy, Rule


def decide(
    policy: Policy,
    tallies: Mapping[str, Tally],
    transforms_of: Mapping[str, str | None],
    validity: Mapping[str, ValidityReport],
) -> list[DecisionReport]:
    """One decision for each rule, in the order of the policy.

    `tallies` are by metric (one that is absent counted nothing), `transforms_of` names the
    transform whose pairs a metric judges, `validity` what people said of each transform.
    """
    decisions = []
    for rule in policy.rules:
        found = _find(
            rule,
            policy,
            tallies.get(rule.metric) or Tally(),
            transforms_of.get(rule.metric),
            validity,
        )
        decisions.append(
            DecisionReport(
                rule=rule.id,
                metric=rule.metric,
                requirement=requirement(rule),
                status=found.status,
                reason=found.reason,
                detail=found.detail,
            )
        )
    return decisions


def requirement(rule: Rule) -> str:
    """What a rule asks for, in words."""
    parts = []
    if rule.min is not None:
        parts.append(f"a pass rate of at least {exact(rule.min)}")
    if rule.max is not None:
        parts.append(f"a pass rate of at most {exact(rule.max)}")
    if rule.max_failures is not None:
        allowed = counted(rule.max_failures, "failure") if rule.max_failures else "no failure"
        parts.append(f"at most {allowed}" if rule.max_failures else allowed)
    if rule.max_missing_fraction is not None:
        parts.append(f"at most {exact(rule.max_missing_fraction)} of it missing")
    if rule.max_excluded_fraction is not None:
        parts.append(f"at most {exact(rule.max_excluded_fraction)} excluded")
    if rule.requires_manual_review:
        parts.append("a person's review")
    return ", ".join(parts)


def _find(
    rule: Rule,
    policy: Policy,
    tally: Tally,
    transform: str | None,
    validity: Mapping[str, ValidityReport],
) -> Finding:
    """The finding on one rule, by the first of these that holds.

    Nothing is said, not even FAIL, of a transform that is not shown valid: a failure may be
    the fault of the copies. A FAIL that stands whatever is missing outranks that too much is.
    """
    if transform is not None and transform != IDENTITY:
        report = validity.get(transform)
        if report is None or not report.valid:
            return _not_checked(transform, report)
    if tally.observed == 0:
        return _nothing_observed(tally)
    found = _decide_numbers(rule, policy, tally)
    if found.status == "FAIL":
        return found
    if excess := _too_much_missing(rule, tally) or _too_much_excluded(rule, tally):
        return excess
    if found.status == "PASS" and rule.requires_manual_review:
        return Finding(
            "MANUAL_REVIEW", "manual_review_required", f"{found.detail} A person must review it."
        )
    return found


def _decide_numbers(rule: Rule, policy: Policy, tally: Tally) -> Finding:
    if rule.min is not None:
        return decide_bar(Bar(rule.min), tally, policy)
    if rule.max is not None:
        return decide_bar(Bar(rule.max, upper=True), tally, policy)
    if rule.max_failures is not None:
        return _decide_count(rule.max_failures, tally)
    return Finding("PASS", "requirement_met", f"{tell_rate(tally)}.")


def _decide_count(allowed: int, tally: Tally) -> Finding:
    """An observed count, without an interval: it says nothing of cases that were not run."""
    failed = tally.failed
    told = f"{counted(failed, 'failure')}{tell_reasons(tally.failures_by_label())}"
    told += f" among {tally.observed:,} observed"
    limit = f"{allowed:,} allowed"
    if failed > allowed:
        return Finding("FAIL", "requirement_missed", f"{told}, {limit}.")
    if failed + tally.missing > allowed:
        return insufficient(
            "missing_could_fail",
            f"{told}, {limit}; {tell_missing(tally)}, which could be failures.",
        )
    return Finding("PASS", "requirement_met", f"{told}, {limit}.")


def _too_much_missing(rule: Rule, tally: Tally) -> Finding | None:
    limit = rule.max_missing_fraction
    fraction = tally.missing / (tally.observed + tally.missing)
    if limit is None or fraction <= limit:
        return None
    return insufficient(
        "too_much_missing",
        f"{tell_rate(tally)}: {shown(fraction, limit)} of it is missing, "
        f"at most {exact(limit)} is allowed.",
    )


def _too_much_excluded(rule: Rule, tally: Tally) -> Finding | None:
    """What the suite itself gives to other checks does not count: it was never due."""
    limit = rule.max_excluded_fraction
    reasons = {
        reason: number
        for reason, number in tally.excluded_by_reason().items()
        if reason not in NEVER_DUE
    }
    excluded = sum(reasons.values())
    fraction = excluded / (tally.observed + tally.missing + excluded)
    if limit is None or fraction <= limit:
        return None
    return insufficient(
        "too_much_excluded",
        f"{tell_rate(tally)}, {excluded:,} excluded{tell_reasons(reasons)}: "
        f"{shown(fraction, limit)} is excluded, at most {exact(limit)} is allowed.",
    )


def _nothing_observed(tally: Tally) -> Finding:
    known = []
    if tally.missing:
        known.append(tell_missing(tally))
    if tally.excluded:
        known.append(f"{tally.excluded:,} excluded{tell_reasons(tally.excluded_by_reason())}")
    told = ", ".join(known) or "no case has a verdict"
    return insufficient("nothing_observed", f"Nothing was observed: {told}.")


def _not_checked(transform: str, report: ValidityReport | None) -> Finding:
    told = f"No labels show yet that `{transform}` keeps what a request means"
    if report is None or not report.pairs:
        return insufficient("transform_not_checked", f"{told}: it has no pairs.")
    told += (
        f": of {counted(report.pairs, 'pair')}, {report.labelled:,} labelled, {report.kept:,} kept"
    )
    needed = kept_needed(report.pairs, report.minimum)
    if needed is not None:
        return insufficient(
            "transform_not_checked",
            f"{told}, {needed:,} kept needed for a lower bound of {exact(report.minimum)}.",
        )
    pairs = pairs_needed(report.minimum)
    enough = (
        f"{'more than ' if pairs.beyond else ''}{pairs.cases:,} are needed"
        if pairs
        else "no number would do"
    )
    return insufficient(
        "transform_not_checked",
        f"{told}; with all kept, so few do not reach a lower bound of {exact(report.minimum)}: "
        f"{enough}.",
    )
