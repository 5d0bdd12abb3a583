"""`oloproof gate`: decides a stored run again, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oloproof.errors import GateError
from oloproof.workflows.project import load_policy_of, refuse_unknown_metrics
from oloproof.workflows.reports import build_report
from oloproof.workflows.stored import find_run, open_store, read_run

if TYPE_CHECKING:
    from oloproof.records.report import RunReport


def gate(folder: Path, *, run: str = "latest", policy: Path | None = None) -> RunReport:
    """The report of a stored run, decided under the policy and the labels as they are now."""
    with open_store(folder) as (root, store):
        located = load_policy_of(root, policy)
        record = read_run(store, find_run(store, run))
        if record.summary["tallies"]:
            refuse_unknown_metrics(located, record.summary["tallies"])
        return build_report(record, store=store, policy=located, root=root)


def assert_gate(
    folder: str | Path = ".", *, run: str = "latest", policy: str | Path | None = None
) -> None:
    """Raise `GateError` (an `AssertionError`) unless the gate lets a stored run through.

    For use in a test suite: the message names the rules that block, one a line.
    """
    report = gate(Path(folder), run=run, policy=None if policy is None else Path(policy))
    assert report.gate is not None
    if report.gate.exit_code != 0:
        blocking = [d for d in report.gate.decisions if d.status != "PASS"]
        raise GateError(
            f"the gate says {report.gate.verdict} for run {report.run}",
            where="; ".join(f"{d.rule}: {d.status} ({d.detail})" for d in blocking) or None,
            mend=f"see `oloproof gate {report.run}` and `oloproof inspect {report.run} --failures`",
        )
