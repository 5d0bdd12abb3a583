"""Reads an export and checks all of it, before anything of it is taken over."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode
from oloproof.store.checking import SEALED
from oloproof.store.database import STATUSES
from oloproof.store.exchange import SOURCE, refused
from oloproof.store.references import References, RunParts, parts_of, read_object

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.store.references import Documents

ENDED: Final = STATUSES - {"running"}

_RUNS: Final = (
    f"SELECT id, started_at, status, manifest, inputs, summary FROM {SOURCE}.runs ORDER BY id"
)
_BAD: Final = "SELECT digest, missing FROM temp.bad LIMIT 1"
_BROKEN_RESULTS: Final = f"SELECT count(*) FROM {SOURCE}.results WHERE NOT {SEALED}"


@dataclass(frozen=True, slots=True)
class IncomingRun:
    """One run of an export, with what its documents say of it.

    `named` are the runs that it speaks of, `system` the source digest of what was run.
    """

    parts: RunParts
    started_at: str
    status: str
    inputs: bytes
    project: str
    system: str
    named: frozenset[int]


@dataclass(frozen=True, slots=True)
class Intake:
    """What a whole export holds; the temporary tables of `References` say what its runs need."""

    runs: Mapping[int, IncomingRun]
    notes: Mapping[str, JsonValue]


def read_export(path: Path, connection: sqlite3.Connection, documents: Documents) -> Intake:
    """Everything in an export that is attached; an error where any of it is not whole."""
    try:
        return _Reader(path, connection, documents).intake()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise refused(path, str(error)) from None


class _Reader:
    def __init__(self, path: Path, connection: sqlite3.Connection, documents: Documents) -> None:
        self._path = path
        self._connection = connection
        self._documents = documents

    def intake(self) -> Intake:
        """Everything, in the order in which damage is best told."""
        references = References(self._connection, self._documents, SOURCE)
        rows = self._connection.execute(_RUNS).fetchall()
        parts = [self._parts(*row) for row in rows]
        for run in parts:
            references.add_run(run)
        references.follow()
        references.add_results()
        references.add_notes()
        references.check(everything=True)
        self._refuse_damage(references, parts)
        runs = {
            run.number: self._run(run, started_at, status, inputs)
            for run, (_, started_at, status, _, inputs, _) in zip(parts, rows, strict=True)
        }
        query = f"SELECT name, object FROM {SOURCE}.notes"
        notes = {name: self._value(digest) for name, digest in self._connection.execute(query)}
        return Intake(runs, notes)

    def _refuse_damage(self, references: References, parts: list[RunParts]) -> None:
        bad = self._connection.execute(_BAD).fetchone()
        if bad is not None:
            digest, missing = bad
            state = "missing" if missing else "damaged"
            raise refused(self._path, f"object {digest.hex()[:12]} is {state}")
        torn = min(references.torn_runs(parts), default=None)
        if torn is not None:
            raise refused(self._path, f"part of the rows of run {torn} is not there")
        if self._connection.execute(_BROKEN_RESULTS).fetchone()[0]:
            raise refused(self._path, "a result is not as it was written")

    def _parts(self, number: Any, started_at: Any, status: Any, *objects: Any) -> RunParts:
        manifest, inputs, summary = objects
        right = isinstance(started_at, str) and status in ENDED
        if not (right and isinstance(manifest, bytes) and isinstance(inputs, bytes)):
            raise refused(self._path, f"the entry of run {number} cannot be read")
        return parts_of(self._connection, number, manifest, summary, SOURCE)

    def _run(self, parts: RunParts, started_at: str, status: str, inputs: bytes) -> IncomingRun:
        documents, manifest = self._documents, self._data(parts.manifest)
        try:
            counted = frozenset() if parts.summary is None else self._named(parts.summary)
            return IncomingRun(
                parts=parts,
                started_at=started_at,
                status=status,
                inputs=inputs,
                project=documents.project(manifest),
                system=documents.system(manifest),
                named=counted,
            )
        except ValueError:
            what = f"what run {parts.number} says of itself cannot be understood"
            raise refused(self._path, what) from None

    def _named(self, summary: bytes) -> frozenset[int]:
        return frozenset(self._documents.runs_named(self._data(summary)))

    def _value(self, digest: bytes) -> Any:
        return decode(self._data(digest))

    def _data(self, digest: bytes) -> bytes:
        data = read_object(self._connection, digest, SOURCE)
        assert data is not None  # it was checked
        return data
