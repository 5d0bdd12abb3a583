"""`oloproof run`: every case through its sandbox, judged, counted and decided."""

from __future__ import annotations

import functools
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode
from oloproof.engine.checking import check_ability, check_cases
from oloproof.engine.engine import Engine
from oloproof.engine.ledger import Ledger
from oloproof.engine.manifest import build_manifest
from oloproof.engine.planning import Planner, sites_of
from oloproof.engine.project import STORE_FOLDER, load_project
from oloproof.engine.results import amend, take_over_journals
from oloproof.engine.trials import opening
from oloproof.errors import EXIT_UNEXECUTED, OloproofError, StoreError
from oloproof.execution.redaction import Redaction, is_variable
from oloproof.reuse.fingerprint import keys_of
from oloproof.reuse.identity import fingerprint_of, recordings_of, remember_loaded
from oloproof.reuse.inputs import inputs_digest, present_inputs, remember_files
from oloproof.reuse.notes import SYSTEM
from oloproof.store.database import Store
from oloproof.store.journal import FOLDER as JOURNAL_FOLDER
from oloproof.suites.dataset import Dataset
from oloproof.views.reports import build_report
from oloproof.views.rows import whole_chunks
from oloproof.views.stored import DAMAGE, RunRecord
from oloproof.workflows.events import Event, Notice, Progress, RunFinished, RunStarted

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from oloproof.engine.project import Project
    from oloproof.engine.recordings import RecordedEngine
    from oloproof.records.report import RunStatus
    from oloproof.store.database import RunRow
    from oloproof.suites.dataset import DatasetFacts

_NOTHING_RERUN: Final = (
    "--rerun-failed found no case to execute again: every call that is known completed. An answer "
    "that was wrong by chance is reused like any other; a fresh sample of all cases is made where "
    "`version` of the system is raised"
)


def run(folder: Path, *, policy: Path | None = None, rerun_failed: bool = False) -> Iterator[Event]:
    """Run the project in `folder`, telling of it as it goes; the last event holds the report.

    Nothing runs before every file has been checked; `ConfigurationError` says what is wrong.
    """
    project = load_project(folder, policy)
    root = project.suite.root
    warnings: list[str] = []
    with Store(root / STORE_FOLDER, on_warning=warnings.append) as store:
        yield from _Run(project, store, warnings, rerun_failed=rerun_failed).events()


class _Run:
    """One run of one project."""

    def __init__(
        self, project: Project, store: Store, warnings: list[str], *, rerun_failed: bool
    ) -> None:
        self._project = project
        self._suite = project.suite
        self._store = store
        self._warnings = warnings
        self._standing: list[str] = []  # true of these inputs whenever they are run
        self._passing: list[str] = []  # true of this run alone
        self._rerun_failed = rerun_failed
        self._dataset = Dataset(self._suite.dataset, self._suite.root)
        self._recordings = recordings_of(self._suite)
        self._started = time.perf_counter()
        self._fingerprint = fingerprint_of(project.suite, store)

    def events(self) -> Iterator[Event]:
        """Everything from the first check to the decision."""
        self._say_when_only_the_code_changed()
        self._say_what_is_not_redacted()
        take_over_journals(self._store)
        earlier = None if self._rerun_failed else self._same_before()
        if earlier is not None:
            yield from self._events_taken_over(*earlier)
            return
        checked = check_cases(self._project, self._dataset, self._recordings)
        facts, self._standing = checked.facts, checked.notices
        remember_files(self._suite, self._store, facts.files)
        started_at, manifest = self._begin()
        number = self._store.begin_run(
            started_at=started_at,
            manifest=encode(manifest),
            inputs=inputs_digest(self._suite, self._fingerprint, facts.digest),
        )
        yield RunStarted(number, facts.cases, checked.copies, self._fingerprint.system)
        yield from map(Notice, self._passing + self._standing)
        status, summary = yield from self._execute(number, facts)
        yield self._finished(RunRecord(number, status, started_at, manifest, summary))

    def _events_taken_over(self, row: RunRow, summary: dict[str, Any]) -> Iterator[Event]:
        """The events of a run whose every input is that of an earlier one: its rows and counts."""
        started_at, manifest = self._begin()
        number = self._store.begin_run(
            started_at=started_at, manifest=encode(manifest), inputs=row.inputs
        )
        yield RunStarted(number, summary["cases"], summary["copies"], self._fingerprint.system)
        self._standing = summary["standing"]
        yield from map(Notice, self._passing + self._standing)
        self._remember_code()
        self._store.share_chunks(row.id, number)
        summary = summary | {
            "executed": 0,
            "replayed": 0,
            "reused": [*summary["reused"], *_made(row.id, summary)],
            "notices": self._passing + self._standing,
            "duration_s": time.perf_counter() - self._started,
        }
        self._store.finish_run(number, status="complete", summary=encode(summary))
        yield Progress(summary["cases"], summary["cases"])
        yield self._finished(RunRecord(number, "complete", started_at, manifest, summary))

    def _begin(self) -> tuple[str, dict[str, Any]]:
        manifest = build_manifest(self._project, self._fingerprint, rerun_failed=self._rerun_failed)
        return datetime.now(UTC).isoformat(timespec="seconds"), manifest

    def _finished(self, record: RunRecord) -> RunFinished:
        report = build_report(
            record,
            store=self._store,
            policy=self._project.policy,
            root=self._suite.root,
            compare=True,
        )
        undecided = 0 if record.status == "complete" else EXIT_UNEXECUTED
        return RunFinished(report, report.gate.exit_code if report.gate else undecided)

    # -- before anything runs -------------------------------------------------------------------

    def _say_what_is_not_redacted(self) -> None:
        for rule in self._suite.redact:
            if is_variable(rule) and not os.environ.get(rule):
                self._passing.append(
                    f"`redact` names `{rule}`, which is not set: unless the system sets it, "
                    "nothing is redacted for it"
                )

    def _say_when_only_the_code_changed(self) -> None:
        last = self._store.note(SYSTEM + self._fingerprint.system)
        now = self._code()
        # Of what was recorded elsewhere, each line is known by itself.
        declared = self._recordings is None and last is not None and last[0] == now[0]
        if declared and last[1] != now[1]:
            self._passing.append(
                f"the code of `{self._fingerprint.system}` changed but its version is still "
                f"`{self._fingerprint.shown_version}`: nothing recorded with the code before is "
                "reused"
            )

    def _code(self) -> list[str]:
        return [self._fingerprint.shown_version, self._fingerprint.source_digest]

    def _remember_code(self) -> None:
        """Keep which code ran: a run that was refused is not one that said that it changed."""
        self._store.set_note(SYSTEM + self._fingerprint.system, self._code())

    def _same_before(self) -> tuple[RunRow, dict[str, Any]] | None:
        """The last complete run over the same inputs, unless some of it may not be reused.

        Where damage was met since, every piece of evidence is looked at again.
        """
        if self._store.note(DAMAGE) is not None:
            return None
        inputs = present_inputs(self._suite, self._fingerprint, self._store)
        row = None if inputs is None else self._store.run_of_inputs(inputs)
        if row is None or row.summary is None:
            return None
        summary = self._store.get_json(row.summary)
        if summary is None or summary["not_reusable"]:
            return None
        rows = whole_chunks(self._store, row.id, summary)
        return None if any(data is None for data in rows) else (row, summary)

    # -- the run itself -------------------------------------------------------------------------

    def _execute(
        self, number: int, facts: DatasetFacts
    ) -> Generator[Event, None, tuple[RunStatus, dict[str, Any]]]:
        engine = self._engine(number, facts)
        ledger = self._ledger(number, facts, engine.declared)
        planner = self._planner()
        said = self._passing + self._standing
        status: RunStatus = "interrupted"
        try:
            for group in engine.through(map(planner.group, self._dataset)):
                ledger.add(group)
                yield Progress(ledger.cases, facts.cases)
            if engine.is_stale:
                ledger = self._judged_again(number, facts, engine.declared)
            self._standing += ledger.late_notices()
            self._standing += ledger.uncalled.notices() + ledger.unrecorded.notices()
            if self._rerun_failed and not planner.reran:
                self._passing.append(_NOTHING_RERUN)
            status = self._status_at_the_end(number, facts)
        except KeyboardInterrupt:
            self._passing.append(
                f"interrupted after {ledger.cases} of {facts.cases} cases: what is finished is "
                "kept, and the next `oloproof run` goes on there"
            )
        except OloproofError:
            status = "failed"
            raise
        finally:
            if status == "failed" and not engine.executed and not ledger.cases:
                self._store.forget_run(number)  # it was refused before it had begun
            else:
                self._remember_code()
            summary = self._summary(number, facts.cases, ledger, engine, planner)
            self._store.finish_run(number, status=status, summary=encode(summary))
        remember_loaded(self._store, self._suite, engine.loaded)
        yield from (Notice(text) for text in summary["notices"] if text not in said)
        return status, summary

    def _status_at_the_end(self, number: int, facts: DatasetFacts) -> RunStatus:
        """Complete, unless what was run is not what was looked through before."""
        status: RunStatus = "complete"
        if self._store.note(DAMAGE) is not None:
            self._store.set_note(DAMAGE, None)
        if self._dataset.digest(facts.files) != facts.digest:
            self._passing.append("the dataset changed while it was run: nothing is decided on it")
            status = "failed"
        if fingerprint_of(self._suite, self._store) != self._fingerprint:
            self._passing.append(
                f"{self._suite.system.recorded or 'the code of the system'} changed while it was "
                "run: which of it made which result is not known, so nothing is decided on them "
                "and none is reused"
            )
            self._store.spoil_results(number)
            status = "failed"
        return status

    def _judged_again(self, number: int, facts: DatasetFacts, declared: dict[str, bool]) -> Ledger:
        """The verdicts on what this run has made, some of which became known to be late."""
        ledger = self._ledger(number, facts, declared)
        for group in map(self._planner(made_by=number).group, self._dataset):
            if any(unit.evidence is None for unit in group.units):
                raise StoreError(
                    f"what was just recorded of case `{group.source.id}` is damaged",
                    where=str(self._store.path),
                    fix="run again: what is whole is reused, what is damaged is made again",
                )
            ledger.add(group)
        return ledger

    def _planner(self, made_by: int | None = None) -> Planner:
        return Planner(
            self._store,
            keys_of(self._fingerprint, self._recordings),
            self._project.transforms,
            sites_of(self._project.evaluators),
            replicates=self._suite.replicates,
            timeout_s=self._suite.system.timeout_s,
            rerun_failed=self._rerun_failed,
            made_by=made_by,
        )

    def _ledger(self, number: int, facts: DatasetFacts, declared: dict[str, bool]) -> Ledger:
        return Ledger(
            self._store,
            number,
            evaluators=self._project.evaluators,
            transforms=self._project.transforms,
            slices=self._suite.slice_specs,
            bookkeeping=self._suite.system.bookkeeping,
            redaction=Redaction(self._suite.redact),
            cluster_of=facts.shared_clusters(),
            declared=declared,
        )

    def _engine(self, number: int, facts: DatasetFacts) -> Engine | RecordedEngine:
        if self._recordings is not None:
            from oloproof.engine.recordings import RecordedEngine

            return RecordedEngine(self._store, number, self._recordings, self._suite.redact)
        journal = self._store.path.parent / JOURNAL_FOLDER
        return Engine(
            store=self._store,
            run=number,
            opening=opening(self._suite, {"folder": str(journal), "run": number}),
            declared_at=self._suite.where("system", "callable"),
            journal=journal,
            concurrency=self._suite.concurrency_system,
            timeout_s=self._suite.system.timeout_s,
            amend=functools.partial(amend, self._store, keys_of(self._fingerprint, None)),
            check_system=lambda ability: self._standing.extend(
                check_ability(self._suite, self._dataset, facts, ability)
            ),
        )

    def _summary(
        self,
        number: int,
        asked: int,
        ledger: Ledger,
        engine: Engine | RecordedEngine,
        planner: Planner,
    ) -> dict[str, Any]:
        self._passing += self._warnings
        self._warnings.clear()
        tried_again = self._tried_again(ledger)
        if planner.reran:
            tried_again = [number, *tried_again]
        return ledger.to_json() | {
            "asked": asked,
            "executed": engine.executed,
            "replayed": engine.replayed,
            "not_reusable": engine.not_reusable,
            "notices": self._passing + self._standing,
            "standing": self._standing,
            "tried_again": tried_again,
            "duration_s": time.perf_counter() - self._started,
        }

    def _tried_again(self, ledger: Ledger) -> list[int]:
        """The earlier runs among those this one rests on that tried failed cases again."""
        earlier = sorted(ledger.reused_cases.keys() | ledger.reused_replays.keys())
        return [number for number in earlier if self._did_try_again(number)]

    def _did_try_again(self, number: int) -> bool:
        """Whether a run executed failed cases again; one that was killed may have."""
        row = self._store.run(number)
        summary = None if row is None or row.summary is None else self._store.get_json(row.summary)
        if summary is not None:
            return number in summary["tried_again"]
        manifest = None if row is None else self._store.get_json(row.manifest)
        return manifest is not None and bool(manifest["rerun_failed"])


def _made(run: int, summary: dict[str, Any]) -> list[list[int]]:
    """The line that says what an earlier run made itself, if it made anything."""
    made = [run, summary["executed"], summary["replayed"]]
    return [made] if any(made[1:]) else []
