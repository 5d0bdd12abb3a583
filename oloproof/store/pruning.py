"""Drops old runs, and what only they refer to."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

from oloproof.errors import ConfigurationError, StoreError
from oloproof.records.store_report import CachePrune
from oloproof.store.inventory import size_of
from oloproof.store.references import read_object
from oloproof.store.selection import results_of, select
from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oloproof.store.database import RunRow, Store
    from oloproof.store.references import Documents
    from oloproof.store.selection import Selection

_OBJECTS: Final = """
FROM main.objects AS o WHERE NOT EXISTS (SELECT 1 FROM temp.refs WHERE digest = o.digest)"""


def prune(store: Store, documents: Documents, *, keep: int, dry_run: bool, path: str) -> CachePrune:
    """Keep the newest runs, `keep` of them, and what they rest on; refused while one runs.

    `path` is the store as the report names it.
    """
    before = size_of(store.path)
    with store.whole() as connection:
        with transaction(connection, "DEFERRED" if dry_run else "IMMEDIATE"):
            rows = store.runs()
            _refuse_while_running(store, rows)
            chosen = rows[:keep]
            selection = select(connection, documents, chosen, rows[keep:])
            _refuse_unreadable(store, connection, selection, rows)
            selection.references.add_notes()
            kept = {run.number for run in selection.runs}
            dropped = [row.id for row in rows if row.id not in kept]
            # Also those that do not count any more: they would only be met and passed over.
            stay = results_of(selection.makers if selection.complete else None)
            results = _one(connection, f"SELECT count(*) FROM main.results WHERE NOT {stay}")
            objects = _one(connection, f"SELECT count(*) {_OBJECTS}")
            size = _one(connection, f"SELECT total(length(data)) {_OBJECTS}")
            if not dry_run:
                connection.execute(f"DELETE FROM main.results WHERE NOT {stay}")
                _drop(connection, dropped)
        not_smaller = None if dry_run else _give_back(connection)
    return CachePrune(
        path=path,
        dry_run=dry_run,
        kept=sorted(kept),
        kept_beyond=sorted(kept - {row.id for row in chosen}),
        dropped=sorted(dropped),
        results=results,
        objects=objects,
        object_bytes=size,
        size_before_bytes=before,
        size_after_bytes=size_of(store.path),
        not_smaller=not_smaller,
    )


def _drop(connection: sqlite3.Connection, runs: Iterable[int]) -> None:
    connection.execute(f"DELETE {_OBJECTS}")
    for number in runs:
        connection.execute("DELETE FROM chunks WHERE run = ?", (number,))
        connection.execute("DELETE FROM runs WHERE id = ?", (number,))


def _give_back(connection: sqlite3.Connection) -> str | None:
    """Give the disk back what is free in the file; why not, where that cannot be done now."""
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError as error:
        return str(error)
    return None


def _refuse_while_running(store: Store, rows: Sequence[RunRow]) -> None:
    running = [row.id for row in rows if row.status == "running"]
    if running:
        raise ConfigurationError(
            f"run {running[0]} is running, and may come to need what would be dropped",
            where=str(store.path),
            fix="prune when it has ended",
        )


def _refuse_unreadable(
    store: Store, connection: sqlite3.Connection, selection: Selection, rows: Sequence[RunRow]
) -> None:
    """Refuse to drop what a run whose rows cannot be read may still refer to."""
    torn = selection.references.torn_runs(selection.runs)
    for run in selection.runs:
        documents = run.chunks if run.summary is None else (run.summary, *run.chunks)
        readable = all(read_object(connection, digest) is not None for digest in documents)
        if readable and run.number not in torn:
            continue
        newer = sum(row.id > run.number for row in rows)
        keep_less = f"`oloproof cache prune --keep-runs {max(newer, 1)}`"
        raise StoreError(
            f"run {run.number} is to be kept and is damaged: what it rests on cannot be told",
            where=str(store.path),
            fix=f"drop it: {keep_less}" if newer else f"run again, then drop it: {keep_less}",
        )


def _one(connection: sqlite3.Connection, query: str) -> int:
    value: Any = connection.execute(query).fetchone()[0]
    return int(value)
