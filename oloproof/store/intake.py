"""Reads an export and checks all of it, before anything of it is taken over."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode
from oloproof.errors import ConfigurationError
from oloproof.store.database import STATUSES
from oloproof.store.exchange import ExportedRun, export_error, read_root
from oloproof.store.references import References, read_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oloproof.store.exchange import Root
    from oloproof.store.references import Documents

SCHEMA: Final = "source"
"""The name under which the file is attached to the store's connection."""

ENDED: Final = STATUSES - {"running"}

_TABLES: Final = (
    "DROP TABLE IF EXISTS temp.incoming",
    "CREATE TEMP TABLE incoming (key BLOB PRIMARY KEY, object BLOB NOT NULL, "
    "run INTEGER NOT NULL, duration_s REAL NOT NULL, limit_s REAL) WITHOUT ROWID",
)


@dataclass(slots=True)
class Intake:
    """What an export holds, checked; its results wait in the table `incoming`.

    `refused` gives the reason for each run that is not whole, `others` for those that do not
    belong here.
    `projects` and `systems` are what was run (by its source digest), `unmarked` the runs whose
    results can be taken without them, `named` the runs that a run speaks of.
    """

    digest: bytes
    root: Root
    runs: dict[int, ExportedRun] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    others: dict[int, str] = field(default_factory=dict)
    projects: dict[int, str] = field(default_factory=dict)
    systems: dict[int, str] = field(default_factory=dict)
    unmarked: set[int] = field(default_factory=set)
    named: dict[int, set[int]] = field(default_factory=dict)
    lost_results: int = 0
    lost_objects: int = 0

    @property
    def reasons(self) -> dict[int, str]:
        """Why runs are not taken."""
        return self.others | self.refused

    @property
    def whole(self) -> bool:
        """Whether all that the file should hold is there."""
        return not (self.refused or self.lost_results or self.lost_objects)


def read_export(path: Path, connection: sqlite3.Connection, documents: Documents) -> Intake:
    """Check an export that is attached to the connection.

    Afterwards the temporary tables of `References` hold what its runs refer to.
    """
    try:
        digest, root = read_root(path)
        return _Reader(connection, documents, Intake(digest, root)).intake()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise export_error(path, error) from None


def refuse_other_projects(intake: Intake, path: Path, project: str) -> None:
    """Set aside the runs of other projects; an error where the file holds no other."""
    others = {number: name for number, name in intake.projects.items() if name != project}
    if others and len(others) == len(intake.root.runs):
        raise ConfigurationError(
            f"the runs in the file are of the project `{min(others.values())}`, "
            f"and this is `{project}`",
            where=str(path),
            mend="import it in its own project",
        )
    for number, name in others.items():
        intake.others[number] = f"it is one of the project `{name}`, and this is `{project}`"


class _Reader:
    def __init__(
        self, connection: sqlite3.Connection, documents: Documents, intake: Intake
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._intake = intake

    def intake(self) -> Intake:
        """Everything in the file that is whole, and what is not."""
        intake = self._intake
        references = References(self._connection, self._documents, SCHEMA)
        for number, digest in intake.root.runs.items():
            run = self._run(number, digest)
            if run is None:
                intake.refused[number] = "its entry is damaged"
            else:
                intake.runs[number] = run
                references.add_run(run.parts)
        references.follow()
        references.check(everything=True)
        parts = [run.parts for run in intake.runs.values()]
        for number in references.spoiled_runs() | references.torn_runs(parts):
            intake.refused[number] = "part of what it rests on is damaged or missing"
        for number, run in intake.runs.items():
            self._read_documents(number, run)
        self._read_results()
        intake.lost_objects = self._count("SELECT count(*) FROM temp.bad")
        return intake

    def _run(self, number: int, digest: bytes) -> ExportedRun | None:
        data = read_object(self._connection, digest, SCHEMA)
        try:
            run = None if data is None else ExportedRun.from_json(decode(data))
        except (KeyError, TypeError, ValueError):
            return None
        return run if run and run.status in ENDED and run.parts.number == number else None

    def _read_documents(self, number: int, run: ExportedRun) -> None:
        intake, documents = self._intake, self._documents
        manifest = read_object(self._connection, run.parts.manifest, SCHEMA)
        summary = run.parts.summary
        counted = None if summary is None else read_object(self._connection, summary, SCHEMA)
        try:
            if manifest is not None:
                intake.projects[number] = documents.project(manifest)
                intake.systems[number] = documents.system(manifest)
                if not documents.is_marked(manifest):
                    intake.unmarked.add(number)
            intake.named[number] = set() if counted is None else documents.runs_named(counted)
        except ValueError:
            intake.refused[number] = "what it says of itself cannot be understood"

    def _read_results(self) -> None:
        """Let the results wait whose evidence is whole; count the others."""
        for statement in _TABLES:
            self._connection.execute(statement)
        for digest, size in self._intake.root.pages:
            try:
                page = list(self._page(digest))
            except (KeyError, TypeError, ValueError):
                self._intake.lost_results += size
                continue
            self._connection.executemany(
                "INSERT OR IGNORE INTO temp.incoming VALUES (?, ?, ?, ?, ?)", page
            )
        self._intake.lost_results += self._connection.execute(
            "DELETE FROM temp.incoming WHERE NOT EXISTS "
            f"(SELECT 1 FROM {SCHEMA}.objects WHERE digest = incoming.object) "
            "OR EXISTS (SELECT 1 FROM temp.bad WHERE digest = incoming.object)"
        ).rowcount

    def _page(self, digest: bytes) -> Iterator[tuple[Any, ...]]:
        data = read_object(self._connection, digest, SCHEMA)
        if data is None:
            raise ValueError("a page of results is damaged")
        lines: Any = decode(data)
        for key, name, run, duration_s, limit_s in lines:
            limit = None if limit_s is None else float(limit_s)
            yield bytes.fromhex(key), bytes.fromhex(name), int(run), float(duration_s), limit

    def _count(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])
