"""Builds the report of a run out of what was counted, and decides its gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.errors import ConfigurationError, StoreError
from oloproof.gating.decisions import decide
from oloproof.gating.drops import tell_drops
from oloproof.gating.gate import gate
from oloproof.gating.metrics import metric_report
from oloproof.records.report import (
    GateReport,
    ReuseReport,
    RunReport,
    SliceCell,
    SliceReport,
)
from oloproof.statistics.tally import Tally
from oloproof.views.pair_labels import counted_without, read_pair_labels
from oloproof.views.stored import RunRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from oloproof.store.database import Store
    from oloproof.suites.policy import LocatedPolicy


def build_report(
    record: RunRecord,
    *,
    store: Store,
    policy: LocatedPolicy | None,
    root: Path,
    notes: Sequence[str] = (),
    compare: bool = False,
) -> RunReport:
    """The report of a run under the policy and the labels as they are now.

    `notes` are what else the gate has to say of it. With `compare` it is said what metrics
    speak of less than in the run before.
    """
    manifest = record.manifest
    validity, not_kept = read_pair_labels(record, store, root)
    summary = counted_without(record, store, not_kept)
    tallies = _tallies(manifest, summary)
    drops = _drops(record, tallies, store, root) if compare else []
    level = policy.policy.confidence_level if policy else 0.95
    approximate = policy.policy.allow_approximate_methods if policy else False
    min_clusters = policy.policy.min_clusters if policy else 20
    decided: GateReport | None = None
    if policy is not None:
        decisions = decide(policy.policy, tallies, manifest["transforms_of"], validity)
        decided = gate(
            decisions,
            policy.policy,
            policy.path.name,
            # The count is held against the status: neither alone is to be believed.
            run_complete=record.status == "complete" and summary["cases"] == summary["asked"],
            warnings=_warnings(summary),
            notes=[*notes, *drops, *_notes(summary), *_unruled(tallies, policy)],
        )
    return RunReport(
        run=record.number,
        project=manifest["project"],
        system=manifest["system"]["name"],
        version=manifest["system"]["version"],
        status=record.status,
        started_at=record.started_at,
        duration_s=summary["duration_s"],
        cases=summary["cases"],
        asked=summary["asked"],
        copies=summary["copies"],
        executed=summary["executed"],
        replayed=summary["replayed"],
        reused=[ReuseReport(run=r, cases=c, replays=p) for r, c, p in summary["reused"]],
        outcomes=summary["outcomes"],
        metrics=[
            metric_report(
                metric,
                tally,
                level=level,
                allow_approximate=approximate,
                min_clusters=min_clusters,
            )
            for metric, tally in tallies.items()
        ],
        validity=list(validity.values()),
        slices=_slices(summary["slices"], manifest["min_slice_support"]),
        notices=[*summary["notices"], *([] if decided else drops)],
        gate=decided,
    )


def _tallies(manifest: dict[str, Any], summary: dict[str, Any]) -> dict[str, Tally]:
    counted = summary["tallies"]
    return {m: Tally.from_json(counted[m]) for m in manifest["metrics"] if m in counted}


def _drops(record: RunRecord, tallies: Mapping[str, Tally], store: Store, root: Path) -> list[str]:
    """What metrics speak of less than in the last complete run of the same system before.

    A run with other replicates is not compared, nor one of which something is damaged.
    """
    if record.status != "complete":
        return []
    alike = ("project", "replicates")
    for row in store.runs():
        if row.id >= record.number or row.status != "complete" or row.summary is None:
            continue
        manifest, summary = store.get_json(row.manifest), store.get_json(row.summary)
        if manifest is None or summary is None:
            continue
        if any(manifest[one] != record.manifest[one] for one in alike):
            continue
        if manifest["system"]["name"] != record.manifest["system"]["name"]:
            continue
        before = RunRecord(row.id, row.status, row.started_at, manifest, summary)
        try:
            not_kept = read_pair_labels(before, store, root).not_kept
            counted = counted_without(before, store, not_kept)
        except (StoreError, ConfigurationError):
            return []  # its evidence, or a file of labels that it alone names, is not whole
        return tell_drops(tallies, _tallies(manifest, counted), run=row.id)
    return []


def _unruled(tallies: Mapping[str, Tally], policy: LocatedPolicy) -> list[str]:
    """The metrics that failed somewhere and that no rule speaks of."""
    ruled = {rule.metric for rule in policy.policy.rules}
    return [
        f"No rule speaks of `{metric}`: {tally.passed:,} of {tally.observed:,} passed."
        for metric, tally in tallies.items()
        if metric not in ruled and tally.failed
    ]


def _warnings(summary: dict[str, Any]) -> list[str]:
    """What keeps a gate from saying ALLOW without more ado, although every rule may pass."""
    outcomes = summary["outcomes"]
    said = []
    if late := summary.get("late", 0):
        said.append(f"In {late:,} cases a tool was called after the end (effect_after_end).")
    bad = {status: number for status, number in outcomes.items() if status != "completed"}
    if not bad:
        return said
    told = ", ".join(f"{number:,} {status}" for status, number in sorted(bad.items()))
    return [*said, f"Of {sum(outcomes.values()):,} calls not all were completed: {told}."]


def _notes(summary: dict[str, Any]) -> list[str]:
    notes = []
    if summary["tried_again"]:
        runs = ", ".join(str(number) for number in summary["tried_again"])
        notes.append(f"Failed cases were tried again (--rerun-failed) in run {runs}.")
    if summary["retried"]:
        notes.append(f"{summary['retried']:,} calls were tried more than once (`retries`).")
    return notes


def _slices(slices: list[dict[str, Any]], support: int) -> list[SliceReport]:
    return [
        SliceReport(
            slice=one["slice"],
            range=place["range"],
            cases=place["cases"],
            supported=place["cases"] >= support,
            cells=[
                SliceCell(
                    metric=metric,
                    passed=passed,
                    observed=observed,
                    rate=passed / observed if observed else None,
                )
                for metric, (passed, observed) in place["cells"].items()
            ],
        )
        for one in slices
        for place in one["ranges"]
    ]
