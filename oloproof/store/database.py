"""The embedded store: one SQLite file in WAL mode, written in small batches."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode, encode
from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.objects import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORMAT: Final = 1
BATCH_ROWS: Final = 1000
"""Rows of a transaction: what a killed run can lose beside the group in flight."""

BATCH_SECONDS: Final = 1.0
"""However few rows there are, none waits longer than this for its commit."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (digest BLOB PRIMARY KEY, codec INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, object BLOB NOT NULL, run INTEGER NOT NULL,
    duration_s REAL NOT NULL, limit_s REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at TEXT NOT NULL,
    status TEXT NOT NULL, process TEXT NOT NULL, manifest BLOB NOT NULL, inputs BLOB NOT NULL,
    summary BLOB);
CREATE TABLE IF NOT EXISTS chunks (run INTEGER NOT NULL, number INTEGER NOT NULL, object BLOB NOT NULL,
    PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, object BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_by_inputs ON runs (inputs);
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What is known under a key: the object, the run that made it, how long it took.

    `limit_s` is the deadline that a result ran into: it is good only while the deadline is
    not raised. 0 says that it is never good again; None that it always is.
    """

    object: bytes
    run: int
    duration_s: float
    limit_s: float | None

    def reusable(self, timeout_s: float) -> bool:
        """Whether a run with this deadline may take it over."""
        return self.limit_s is None or timeout_s <= self.limit_s


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as the store knows it; `manifest` and `summary` are digests of objects."""

    id: int
    started_at: str
    status: str
    manifest: bytes
    inputs: bytes
    summary: bytes | None


class Store:
    """Objects, results and runs of one project; `on_warning` hears of damage that was met.

    Every object is checked against its digest when it is read. A damaged one counts as
    absent, so that what it held is made anew, and never as evidence.
    """

    def __init__(self, folder: Path, on_warning: Callable[[str], None] = lambda _: None) -> None:
        self._warn = on_warning
        self.path = folder / "store.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _keep_out_of_git(folder)
        except OSError as error:
            raise _unwritable(folder, error) from None
        self._connection = self._open()
        self._objects: dict[bytes, tuple[bytes, int, bytes]] = {}
        self._results: dict[bytes, tuple[bytes, bytes, int, float, float | None]] = {}
        self._chunks: list[tuple[int, int, bytes]] = []
        self._since = time.monotonic()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Commit what waits and close the file."""
        try:
            self.commit()
        finally:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if isinstance(error, sqlite3.OperationalError) and not _looks_damaged(error):
                raise _unwritable(self.path, error) from None
            aside = self._set_aside()
            self._warn(
                f"the store could not be opened ({error}); it was set aside as {aside.name} "
                "and a fresh one begun"
            )
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, FORMAT):
                raise ConfigurationError(
                    f"the store has format {found}; this version of Oloproof reads format {FORMAT}",
                    where=str(self.path),
                    mend="use the version that wrote it, or move the folder away to begin afresh",
                )
            connection.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={FORMAT}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"store.damaged-{number}.sqlite")).exists():
            number += 1
        self.path.rename(aside)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                self.path.with_name(self.path.name + suffix).rename(
                    aside.with_name(aside.name + suffix)
                )
        return aside

    # -- objects -------------------------------------------------------------------------------

    def put(self, data: bytes) -> bytes:
        """Keep an object (canonical JSON); its digest, 32 bytes, computed here."""
        row = pack(data)
        if row[0] not in self._objects:
            self._objects[row[0]] = row
        return row[0]

    def get(self, digest: bytes) -> bytes | None:
        """The object under `digest`, checked; None where it is absent or damaged."""
        row = self._objects.get(digest)
        if row is None:
            found = self._query("SELECT codec, data FROM objects WHERE digest = ?", (digest,))
            if not found:
                return None
            row = (digest, *found[0])
        data = unpack(*row)
        if data is None:
            self._warn(f"object {digest.hex()[:12]} in the store is damaged; it does not count")
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("DELETE FROM objects WHERE digest = ?", (digest,))
        return data

    def get_json(self, digest: bytes) -> Any:
        """The value of the object under `digest`, or None where it is absent or damaged."""
        data = self.get(digest)
        return None if data is None else decode(data)

    # -- results -------------------------------------------------------------------------------

    def result(self, key: bytes) -> Result | None:
        """What is known under a key."""
        waiting = self._results.get(key)
        if waiting is not None:
            return Result(*waiting[1:])
        found = self._query(
            "SELECT object, run, duration_s, limit_s FROM results WHERE key = ?", (key,)
        )
        return Result(*found[0]) if found else None

    def add_result(
        self,
        key: bytes,
        data: bytes,
        *,
        run: int,
        duration_s: float,
        limit_s: float | None = None,
    ) -> bytes:
        """Keep evidence under its key, in place of what was there; the digest of the evidence."""
        digest = self.put(data)
        self._results[key] = (key, digest, run, duration_s, limit_s)
        if len(self._results) >= BATCH_ROWS or time.monotonic() - self._since > BATCH_SECONDS:
            self.commit()
        return digest

    # -- runs ----------------------------------------------------------------------------------

    def begin_run(self, *, started_at: str, manifest: bytes, inputs: bytes) -> int:
        """A new run; its number."""
        digest = self.put(manifest)
        self.commit()
        cursor = self._write(
            "INSERT INTO runs (started_at, status, process, manifest, inputs) VALUES (?, 'running', ?, ?, ?)",
            (started_at, _this_process(), digest, inputs),
        )
        return int(cursor.lastrowid or 0)

    def add_chunk(self, run: int, number: int, data: bytes) -> None:
        """The next part of a run's rows."""
        self._chunks.append((run, number, self.put(data)))

    def share_chunks(self, earlier: int, run: int) -> None:
        """Give a run the rows of an earlier one."""
        self._write(
            "INSERT INTO chunks SELECT ?, number, object FROM chunks WHERE run = ?", (run, earlier)
        )

    def finish_run(self, run: int, *, status: str, summary: bytes) -> None:
        """Close a run with its summary."""
        digest = self.put(summary)
        self.commit()
        self._write("UPDATE runs SET status = ?, summary = ? WHERE id = ?", (status, digest, run))

    def runs(self) -> list[RunRow]:
        """Every run, newest first; one whose process is gone reads as interrupted."""
        rows = self._query(
            "SELECT id, started_at, status, manifest, inputs, summary, process FROM runs ORDER BY id DESC"
        )
        return [RunRow(*_alive(row)) for row in rows]

    def run(self, number: int) -> RunRow | None:
        """One run."""
        return next((row for row in self.runs() if row.id == number), None)

    def run_of_inputs(self, inputs: bytes) -> RunRow | None:
        """The newest complete run over exactly the same inputs."""
        rows = self._query(
            "SELECT id, started_at, status, manifest, inputs, summary FROM runs "
            "WHERE inputs = ? AND status = 'complete' ORDER BY id DESC LIMIT 1",
            (inputs,),
        )
        return RunRow(*rows[0]) if rows else None

    def chunks(self, run: int) -> Iterator[bytes | None]:
        """The parts of a run's rows in order; None for a damaged one."""
        for (digest,) in self._query(
            "SELECT object FROM chunks WHERE run = ? ORDER BY number", (run,)
        ):
            yield self.get(digest)

    # -- notes ---------------------------------------------------------------------------------

    def note(self, name: str) -> Any:
        """A small value kept between runs, or None."""
        found = self._query("SELECT object FROM notes WHERE name = ?", (name,))
        return self.get_json(found[0][0]) if found else None

    def set_note(self, name: str, value: Any) -> None:
        """Keep a small value between runs."""
        digest = self.put(encode(value))
        self.commit()
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, digest))

    # -- writing -------------------------------------------------------------------------------

    def commit(self) -> None:
        """Write everything that waits, in one transaction."""
        self._since = time.monotonic()
        if not (self._objects or self._results or self._chunks):
            return
        with self._guard():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT OR IGNORE INTO objects VALUES (?, ?, ?)", self._objects.values()
                )
                self._connection.executemany(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", self._results.values()
                )
                self._connection.executemany(
                    "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?)", self._chunks
                )
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
        self._objects.clear()
        self._results.clear()
        self._chunks.clear()

    def _write(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        with self._guard():
            return self._connection.execute(sql, values)

    def _query(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._guard():
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _unusable(self.path, error) from error


def _alive(row: Any) -> tuple[Any, ...]:
    *fields, process = row
    if fields[2] == "running" and not _is_running(process):
        fields[2] = "interrupted"
    return tuple(fields)


def _this_process() -> str:
    return f"{os.getpid()} {_birth(os.getpid())}"


def _is_running(process: str) -> bool:
    number, _, birth = process.partition(" ")
    return bool(birth) and _birth(int(number)) == birth


def _birth(process: int) -> str:
    """When a process began, in clock ticks since boot: a number used again is no longer it."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  # a path would cost more than the read
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _keep_out_of_git(folder: Path) -> None:
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _looks_damaged(error: sqlite3.OperationalError) -> bool:
    return "disk I/O" in str(error) or "malformed" in str(error)


def _unwritable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the store cannot be opened: {error}",
        where=str(path),
        mend="the project's folder must be writable: the run keeps its evidence in .oloproof/",
    )


def _unusable(path: Path, error: Exception) -> StoreError:
    text = str(error)
    if "full" in text:
        mend = "make room on the disk; everything up to the last batch is kept"
    elif "locked" in text:
        mend = "another program holds the store; try again when it is done"
    else:
        mend = "the file is damaged: move it away to begin afresh, then run again"
    return StoreError(f"the store cannot be used: {text}", where=str(path), mend=mend)
