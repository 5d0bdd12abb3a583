"""What a store holds, and what lies beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.store.journal import FOLDER, journals
from oloproof.store.references import read_object
from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from oloproof.store.database import RunRow, Store
    from oloproof.store.references import Documents

ASIDE: Final = "store.damaged-*.sqlite"

# An object that several runs came to is put down to the first of them.
_MADE: Final = """
SELECT first.run, total(length(o.data))
FROM (SELECT object, min(run) AS run FROM results GROUP BY object) AS first
JOIN objects AS o ON o.digest = first.object GROUP BY first.run"""


@dataclass(frozen=True, slots=True)
class RunHolding:
    """A run: how many rows it has (None: that is damaged), and what it made itself."""

    row: RunRow
    cases: int | None
    results: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Beside:
    """A file beside the store."""

    path: Path
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a store holds; `runs` newest first, `unused_bytes` a part of `size_bytes`.

    `journals` are those of runs that have ended.
    """

    size_bytes: int
    unused_bytes: int
    objects: int
    results: int
    runs: tuple[RunHolding, ...]
    journals: tuple[Beside, ...]
    aside: tuple[Beside, ...]


def take_inventory(store: Store, documents: Documents) -> Inventory:
    """What the store holds now; nothing is checked."""
    folder = store.path.parent
    with store.whole() as connection, transaction(connection, "DEFERRED"):
        results = _numbers(connection, "SELECT run, count(*) FROM results GROUP BY run")
        sizes = _numbers(connection, _MADE)
        rows = store.runs()
        runs = [
            RunHolding(
                row,
                _cases(connection, documents, row),
                results.get(row.id, 0),
                sizes.get(row.id, 0),
            )
            for row in rows
        ]
        running = {row.id for row in rows if row.status == "running"}
        left = [files for run, files in journals(folder / FOLDER).items() if run not in running]
        return Inventory(
            size_bytes=size_of(store.path),
            unused_bytes=_one(connection, "PRAGMA freelist_count")
            * _one(connection, "PRAGMA page_size"),
            objects=_one(connection, "SELECT count(*) FROM objects"),
            results=sum(results.values()),
            runs=tuple(runs),
            journals=tuple(_beside(path) for files in left for path in files),
            aside=tuple(_beside(path) for path in sorted(folder.glob(ASIDE))),
        )


def size_of(path: Path) -> int:
    """The size of a store on disk, with what SQLite keeps beside it."""
    files = (path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm"))
    return sum(file.stat().st_size for file in files if file.exists())


def _beside(path: Path) -> Beside:
    try:
        return Beside(path, path.stat().st_size)
    except FileNotFoundError:  # a run has just taken it over
        return Beside(path, 0)


def _cases(connection: sqlite3.Connection, documents: Documents, row: RunRow) -> int | None:
    if row.summary is None:
        return 0  # it was killed before it could count
    summary = read_object(connection, row.summary)
    try:
        return None if summary is None else documents.cases(summary)
    except ValueError:
        return None


def _numbers(connection: sqlite3.Connection, query: str) -> dict[int, int]:
    return {int(run): int(number) for run, number in connection.execute(query)}


def _one(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
