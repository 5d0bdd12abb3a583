"""`oloproof runs`: the runs in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.engine.project import POLICY_FILE, load_policy_of
from oloproof.errors import OloproofError
from oloproof.records.store_report import RunLine, RunList
from oloproof.views.reports import build_report
from oloproof.views.stored import Warn, in_silence, open_store, read_run

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.records.report import GateStatus
    from oloproof.store.database import RunRow, Store
    from oloproof.suites.policy import LocatedPolicy


def list_runs(folder: Path, *, warn: Warn = in_silence) -> RunList:
    """Every run, newest first, with what the gate says of it now where there is a policy."""
    with open_store(folder, warn) as (root, store):
        located = load_policy_of(root, None) if (root / POLICY_FILE).exists() else None
        return RunList(runs=[_line(store, row, located, root) for row in store.runs()])


def _line(store: Store, row: RunRow, policy: LocatedPolicy | None, root: Path) -> RunLine:
    record = read_run(store, row)
    verdict: GateStatus | None = None
    if policy is not None and row.status != "running":
        try:
            report = build_report(record, store=store, policy=policy, root=root)
            verdict = report.gate.verdict if report.gate else None
        except OloproofError:
            verdict = None  # decided under other rules than it was made for
    return RunLine(
        run=row.id,
        started_at=row.started_at,
        status=row.status,
        system=record.manifest["system"]["name"],
        version=record.manifest["system"]["version"],
        cases=record.summary["cases"],
        executed=record.summary["executed"],
        verdict=verdict,
    )
