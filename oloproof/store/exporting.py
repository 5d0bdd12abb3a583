"""Writes runs, with everything that they rest on, into one file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError, OloproofError, StoreError
from oloproof.store.exchange import (
    APPLICATION,
    EXPORT_FORMAT,
    PAGE_RESULTS,
    SCHEMA,
    ExportedRun,
    Root,
)
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


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds; `digest` stands for all of it.

    `beyond` are runs that the chosen ones rest on and that gates have to know of, `left_out`
    those that are not whole, `running` those that have not ended, and `lost_results` results
    whose evidence is not whole.
    """

    digest: str
    runs: tuple[int, ...]
    beyond: tuple[int, ...]
    left_out: tuple[int, ...]
    running: tuple[int, ...]
    results: int
    lost_results: int
    objects: int
    size_bytes: int


def export(
    store: Store,
    target: Path,
    documents: Documents,
    *,
    number: int | None,
    notes: Callable[[Sequence[int]], dict[str, JsonValue]],
) -> Exported:
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
        taken = [row for row in ended if row.id in {run.number for run in selection.runs}]
        asked = {row.id for row in chosen}
        with _new_file(target) as out:
            writer = _Writer(store, connection, out)
            objects = writer.write_objects()
            pages = tuple(writer.write_results(selection.makers - left_out))
            root = Root(
                runs={row.id: writer.write_run(row, selection) for row in reversed(taken)},
                pages=pages,
                notes=notes([row.id for row in taken]),
            )
            digest = writer.write_root(root)
        return Exported(
            digest=digest.hex(),
            runs=tuple(run.number for run in selection.runs),
            beyond=tuple(run.number for run in selection.runs if run.number not in asked),
            left_out=tuple(sorted(left_out)),
            running=tuple(sorted(row.id for row in rows if row.status == "running")),
            results=sum(size for _, size in pages),
            lost_results=_lost_results(connection),
            objects=objects,
            size_bytes=target.stat().st_size,
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


def _lost_results(connection: sqlite3.Connection) -> int:
    query = (
        "SELECT count(*) FROM temp.refs AS r "
        "WHERE kind = 'result' AND EXISTS (SELECT 1 FROM temp.bad WHERE digest = r.digest)"
    )
    return int(connection.execute(query).fetchone()[0])


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
        return self._put_all(
            self._read(
                "SELECT digest, codec, data FROM main.objects AS o "
                "WHERE EXISTS (SELECT 1 FROM temp.refs WHERE digest = o.digest) "
                "AND NOT EXISTS (SELECT 1 FROM temp.bad WHERE digest = o.digest) ORDER BY digest"
            )
        )

    def write_results(self, makers: Iterable[int]) -> Iterator[tuple[bytes, int]]:
        """Write the results made by some runs, in pages; the digest and the size of each."""
        rows = self._read(
            "SELECT key, object, run, duration_s, limit_s FROM main.results "
            f"WHERE {results_of(makers)} "
            "AND NOT EXISTS (SELECT 1 FROM temp.bad WHERE digest = results.object) ORDER BY key"
        )
        while page := list(islice(rows, PAGE_RESULTS)):
            lines: JsonValue = [[k.hex(), digest.hex(), *rest] for k, digest, *rest in page]
            yield self._put(encode(lines)), len(page)

    def write_run(self, row: RunRow, selection: Selection) -> bytes:
        """Write what is known of one run."""
        parts = next(run for run in selection.runs if run.number == row.id)
        run = ExportedRun(parts, row.started_at, row.status, row.inputs)
        return self._put(encode(run.to_json()))

    def write_root(self, root: Root) -> bytes:
        """Write the root, whose digest stands for everything."""
        digest = self._put(root.to_bytes())
        self._out.execute("INSERT INTO root VALUES (?)", (digest,))
        return digest

    def _put(self, data: bytes) -> bytes:
        row = pack(data)
        self._put_all([row])
        return row[0]

    def _put_all(self, rows: Iterator[Any] | list[Any]) -> int:
        # A page of results may be an object already where a system gave back such a list.
        return self._out.executemany(
            "INSERT OR IGNORE INTO objects VALUES (?, ?, ?)", rows
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
            # Nothing is to be rolled back: what is not finished is removed.
            out.execute("PRAGMA journal_mode=OFF")
            out.execute("PRAGMA synchronous=OFF")
            out.execute(f"PRAGMA application_id={APPLICATION}")
            out.execute(f"PRAGMA user_version={EXPORT_FORMAT}")
            out.execute("BEGIN")
            for statement in SCHEMA:
                out.execute(statement)
            yield out
            out.execute("COMMIT")
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.rename(target)
    except (sqlite3.Error, OSError) as error:
        raise OloproofError(
            f"the export cannot be written: {error}",
            where=str(target),
            mend="see that the folder can be written to and the disk is not full",
        ) from error
    finally:
        with contextlib.suppress(OSError):  # also a name that no file may have
            part.unlink()


def _refuse_taken(target: Path) -> None:
    if os.path.lexists(target):
        raise ConfigurationError(
            "there is a file of this name already",
            where=str(target),
            mend="name another, or remove it first",
        )
    if not target.parent.is_dir():
        raise ConfigurationError(
            "the folder of the file does not exist", where=str(target), mend="make it first"
        )


def _refuse_unended(store: Store, rows: Sequence[RunRow], number: int | None) -> None:
    """Refuse a run that goes on, or a store in which none has ended."""
    running = [row.id for row in rows if row.status == "running"]
    if number in running or len(running) == len(rows):
        raise ConfigurationError(
            f"run {number or running[0]} is running" if running else "there is no run",
            where=str(store.path),
            mend="export when a run has ended",
        )


def _nothing_to_export(store: Store, number: int | None) -> StoreError:
    what = "no run of this store is whole" if number is None else f"run {number} is not whole"
    return StoreError(
        f"{what}: there is nothing to export",
        where=str(store.path),
        mend="`oloproof cache verify` says what is damaged; `oloproof run` makes it anew",
    )
