"""`oloproof gate`: decides a stored run again, without running anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oloproof.engine.project import load_policy_of, load_suite_of, refuse_unknown_metrics
from oloproof.errors import ConfigurationError, GateError
from oloproof.reuse.fingerprint import Fingerprint
from oloproof.reuse.identity import fingerprint_of
from oloproof.reuse.inputs import present_inputs
from oloproof.views.reports import build_report
from oloproof.views.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from oloproof.records.report import RunReport
    from oloproof.store.database import RunRow, Store
    from oloproof.suites.policy import LocatedPolicy
    from oloproof.views.stored import RunRecord


def gate(
    folder: Path, *, run: str = "latest", policy: Path | None = None, warn: Warn = in_silence
) -> RunReport:
    """The report of a stored run, decided under the policy and the labels as they are now."""
    return _decide(folder, run, policy, warn).report


@dataclass(frozen=True, slots=True)
class _Decided:
    """A stored run decided now, by which policy, and in what it is no longer of today."""

    report: RunReport
    policy: LocatedPolicy
    stale: str | None


def _decide(folder: Path, run: str, policy: Path | None, warn: Warn) -> _Decided:
    with open_store(folder, warn) as (root, store):
        located = load_policy_of(root, policy)
        row = find_run(store, run)
        record = read_run(store, row)
        if record.summary["tallies"]:
            refuse_unknown_metrics(
                located, record.summary["tallies"], maker=f"run {row.id} was made without it"
            )
        stale = _stale(root, store, row, record)
        report = build_report(
            record,
            store=store,
            policy=located,
            root=root,
            notes=[stale] if stale else [],
            compare=True,
        )
        return _Decided(report, located, stale)


def _stale(root: Path, store: Store, row: RunRow, record: RunRecord) -> str | None:
    """In what the project is another one than when the run was made; None where it is not."""
    suite = load_suite_of(root)
    if record.manifest["project"] != suite.project:
        raise ConfigurationError(
            f"run {row.id} is one of the project `{record.manifest['project']}`, "
            f"and this is `{suite.project}`",
            where=str(store.path),
            fix="run this project: `oloproof run`",
        )
    now = fingerprint_of(suite, store)
    if present_inputs(suite, now, store) == row.inputs:
        return None
    then = Fingerprint.from_json(record.manifest.get("fingerprint", {}))
    if then is not None and then.differing(now) == ["judging"]:
        return (
            f"Run {row.id} was judged by another Oloproof than this one: `oloproof run` judges "
            "it again and executes nothing."
        )
    return (
        f"The suite, the dataset or the system has changed since run {row.id}: "
        "this decides what was run then."
    )


def assert_gate(
    folder: str | Path = ".", *, run: str | int = "latest", policy: str | Path | None = None
) -> None:
    """Raise `GateError` (an `AssertionError`) unless the gate lets a stored run through.

    For use in a test suite: the message names the rules that block, one a line. The latest
    run counts only while the project is as it was then.
    """
    decided = _decide(Path(folder), str(run), None if policy is None else Path(policy), in_silence)
    report = decided.report
    assert report.gate is not None
    lines = [
        f"{decision.rule}: {decision.status}: {decision.detail}"
        for decision in report.gate.decisions
        if decision.status in decided.policy.policy.block_on
    ]
    if decided.stale and run == "latest":
        lines.append(f"{decided.stale} Run it again, or name the run.")
    if report.gate.exit_code != 0 or lines:
        raise GateError(
            "\n".join([f"the gate says {report.gate.verdict} for run {report.run}", *lines]),
            fix=f"see `oloproof gate {report.run}` and `oloproof inspect {report.run} --failures`",
        )
