"""Writes runs, with everything that they rest on, into one file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError, OloproofError, StoreError
from oloproof.records.store_report import CacheExport
from oloproof.store.exchange import finish_export, make_export
from oloproof.store.objects import pack
from oloproof.store.opening import store_error
from oloproof.store.selection import Selection, results_of, select
from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.store.database import RunRow, Store
    from oloproof.store.references import Documents

_WHOLE: Final = "NOT EXISTS (SELECT 1 FROM temp.bad WHERE digest = {})"
_OBJECTS: Final = f"""
SELECT digest, codec, data FROM main.objects AS o
WHERE EXISTS (SELECT 1 FROM temp.refs WHERE digest = o.digest)
    AND {_WHOLE.format("o.digest")} ORDER BY digest"""
_LOST: Final = """
SELECT count(*) FROM temp.refs AS r
WHERE kind = 'result' AND EXISTS (SELECT 1 FROM temp.bad WHERE digest = r.digest)"""


def export(
    store: Store,
    target: Path,
    documents: Documents,
    *,
    number: int | None,
    notes: Callable[[Sequence[int]], dict[str, JsonValue]],
) -> CacheExport:
    """Write one run, or all that have ended, to a file that is not there yet.

    Every object is checked before. `notes` gives what is to be known of the runs beside them.
    """
    with store.whole() as connection, transaction(connection, "DEFERRED"):
        rows = store.runs()
        _refuse_unended(store, rows, number)
        ended = [row for row in rows if row.status != "running"]
        chosen = [row for row in ended if number in (None, row.id)]
        selection, left_out = _whole_of(connection, documents, chosen, ended)
        if not selection.runs:
            raise _nothing_to_export(store, number)
        numbers = [run.number for run in selection.runs]
        with _new_file(target) as out:
            writer = _Writer(store, connection, out)
            results = writer.write_results(selection.makers - left_out)
            writer.write_runs([row for row in ended if row.id in numbers], selection)
            writer.write_notes(notes(numbers))
            objects = writer.write_objects()
            digest = finish_export(out)
        lost_results = int(connection.execute(_LOST).fetchone()[0])
        asked = {row.id for row in chosen}
        return CacheExport(
            file=str(target),
            digest=digest,
            whole=not (left_out or lost_results),
            size_bytes=target.stat().st_size,
            runs=numbers,
            added=[number for number in numbers if number not in asked],
            left_out=sorted(left_out),
            running=sorted(row.id for row in rows if row.status == "running"),
            results=results,
            lost_results=lost_results,
            objects=objects,
        )


def _whole_of(
    connection: sqlite3.Connection,
    documents: Documents,
    chosen: Sequence[RunRow],
    others: Sequence[RunRow],
) -> tuple[Selection, set[int]]:
    """What can be exported of the chosen runs, and the numbers of those that cannot be."""
    left_out: set[int] = set()
    while True:
        taken = [row for row in chosen if row.id not in left_out]
        rest = [row for row in others if row not in taken and row.id not in left_out]
        selection = select(connection, documents, taken, rest)
        selection.references.check()
        spoiled = selection.references.spoiled_runs()
        spoiled |= selection.references.torn_runs(selection.runs)
        if not spoiled:
            return selection, left_out
        left_out |= spoiled


class _Writer:
    """Copies what was selected into the file of an export."""

    def __init__(
        self, store: Store, connection: sqlite3.Connection, out: sqlite3.Connection
    ) -> None:
        self._store = store
        self._connection = connection
        self._out = out

    def write_objects(self) -> int:
        """Copy every object that is referred to and whole; how many those were."""
        return self._put("objects", 3, self._read(_OBJECTS))

    def write_results(self, makers: Iterable[int]) -> int:
        """Copy the results that some runs made, and whose evidence is whole."""
        query = (
            "SELECT key, object, run, duration_s, limit_s, seal FROM main.results "
            f"WHERE {results_of(makers)} AND {_WHOLE.format('results.object')} ORDER BY key"
        )
        return self._put("results", 6, self._read(query))

    def write_runs(self, rows: Sequence[RunRow], selection: Selection) -> None:
        """Copy runs with their parts; none goes on where it arrives."""
        for row in reversed(rows):
            values = (row.id, row.started_at, row.status, "", row.manifest, row.inputs)
            self._put("runs", 7, [(*values, row.summary)])
        for run in selection.runs:
            query = (
                "SELECT run, number, object, seal FROM main.chunks "
                f"WHERE run = {run.number} ORDER BY number"
            )
            self._put("chunks", 4, self._read(query))

    def write_notes(self, notes: dict[str, JsonValue]) -> None:
        """Write notes, and the objects that hold them."""
        packed = {name: pack(encode(value)) for name, value in sorted(notes.items())}
        self._put("notes", 2, [(name, row[0]) for name, row in packed.items()])
        self._put("objects", 3, sorted(packed.values()))

    def _put(self, table: str, columns: int, rows: Iterable[Any]) -> int:
        # A note may hold what another object holds.
        places = ", ".join("?" * columns)
        return self._out.executemany(
            f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows
        ).rowcount

    def _read(self, query: str) -> Iterator[Any]:
        try:
            yield from self._connection.execute(query)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise store_error(self._store.path, error) from error


@contextlib.contextmanager
def _new_file(target: Path) -> Iterator[sqlite3.Connection]:
    """The file while it is written; it gets its name once it is whole."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _refuse_taken(target)
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as out:
            make_export(out)
            yield out
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.rename(target)
    except (sqlite3.Error, OSError) as error:
        raise OloproofError(
            f"the export cannot be written: {error}",
            where=str(target),
            fix="see that the folder can be written to and the disk is not full",
        ) from error
    finally:
        with contextlib.suppress(OSError):  # also a name that no file may have
            part.unlink()


def _refuse_taken(target: Path) -> None:
    if os.path.lexists(target):
        raise ConfigurationError(
            "there is a file of this name already",
            where=str(target),
            fix="name another, or remove it first",
        )
    if not target.parent.is_dir():
        raise ConfigurationError(
            "the folder of the file does not exist", where=str(target), fix="make it first"
        )


def _refuse_unended(store: Store, rows: Sequence[RunRow], number: int | None) -> None:
    """Refuse a run that goes on, or a store in which none has ended."""
    running = [row.id for row in rows if row.status == "running"]
    if number in running or len(running) == len(rows):
        raise ConfigurationError(
            f"run {number or running[0]} is running" if running else "there is no run",
            where=str(store.path),
            fix="export when a run has ended",
        )


def _nothing_to_export(store: Store, number: int | None) -> StoreError:
    what = "no run of this store is whole" if number is None else f"run {number} is not whole"
    return StoreError(
        f"{what}: there is nothing to export",
        where=str(store.path),
        fix="`oloproof cache verify` says what is damaged; `oloproof run` makes it again",
    )
