"""`oloproof gate`: decides a stored run again, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oloproof.errors import GateError
from oloproof.workflows.project import load_policy_of, refuse_unknown_metrics
from oloproof.workflows.reports import build_report
from oloproof.workflows.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from oloproof.records.report import RunReport
    from oloproof.suites.policy import LocatedPolicy


def gate(
    folder: Path, *, run: str = "latest", policy: Path | None = None, warn: Warn = in_silence
) -> RunReport:
    """The report of a stored run, decided under the policy and the labels as they are now."""
    return _decide(folder, run, policy, warn)[0]


def _decide(
    folder: Path, run: str, policy: Path | None, warn: Warn
) -> tuple[RunReport, LocatedPolicy]:
    with open_store(folder, warn) as (root, store):
        located = load_policy_of(root, policy)
        record = read_run(store, find_run(store, run))
        if record.summary["tallies"]:
            refuse_unknown_metrics(located, record.summary["tallies"])
        return build_report(record, store=store, policy=located, root=root), located


def assert_gate(
    folder: str | Path = ".", *, run: str = "latest", policy: str | Path | None = None
) -> None:
    """Raise `GateError` (an `AssertionError`) unless the gate lets a stored run through.

    For use in a test suite: the message names the rules that block, one a line.
    """
    report, located = _decide(
        Path(folder), run, None if policy is None else Path(policy), in_silence
    )
    assert report.gate is not None
    if report.gate.exit_code != 0:
        lines = [
            f"{decision.rule}: {decision.status}: {decision.detail}"
            for decision in report.gate.decisions
            if decision.status in located.policy.block_on
        ]
        raise GateError(
            "\n".join([f"the gate says {report.gate.verdict} for run {report.run}", *lines]),
            mend=f"see `oloproof gate {report.run}` and `oloproof inspect {report.run} --failures`",
        )
