"""The embedded store: one SQLite file in WAL mode, written in small batches."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.canonical import decode, encode
from oloproof.store.objects import know_seals, pack, seal, unpack
from oloproof.store.opening import (
    FILE,
    damage,
    open_for_reading,
    open_for_writing,
    store_error,
)
from oloproof.store.processes import is_running, this_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BATCH_ROWS: Final = 4000
BATCH_BYTES: Final = 1 << 24
BATCH_SECONDS: Final = 1.0
"""What waits is committed when it is so many results, or so large, or has waited so long.

Keys are digests, so that every batch touches nearly every page of a large store: batches of
1,000 cost twice as much a row at 100,000 rows. What waits is in the workers' journals.
"""

STATUSES: Final = frozenset({"running", "complete", "interrupted", "failed"})

# An object that is there but damaged is replaced: what it should be has just been computed.
_PUT: Final = (
    "INSERT INTO objects VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE "
    "SET codec = excluded.codec, data = excluded.data "
    "WHERE data IS NOT excluded.data OR codec IS NOT excluded.codec"
)
_RUN: Final = "SELECT id, started_at, status, manifest, inputs, summary, process FROM runs"


class Result(NamedTuple):
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


class RunRow(NamedTuple):
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
    absent, so that what it held is made again, and never as evidence. With `create=False` a
    store that is not there is refused and nothing on disk is changed by opening it.

    Everything here raises `StoreError` where the file cannot be read or written.
    """

    def __init__(
        self,
        folder: Path,
        on_warning: Callable[[str], None] = lambda _: None,
        *,
        create: bool = True,
    ) -> None:
        self._warn = on_warning
        self.path = folder / FILE
        self._connection = (
            open_for_writing(folder, on_warning) if create else open_for_reading(folder)
        )
        self._objects: dict[bytes, tuple[bytes, int, bytes]] = {}
        self._results: dict[bytes, tuple[bytes, bytes, int, float, float | None, int]] = {}
        self._chunks: list[tuple[int, int, bytes, int]] = []
        self._waiting_bytes = 0
        self._since: float | None = None

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

    @contextlib.contextmanager
    def whole(self) -> Iterator[sqlite3.Connection]:
        """The connection itself, with nothing waiting, for work on the store as a whole."""
        self.commit()
        with self._guard():
            yield self._connection

    # -- objects -------------------------------------------------------------------------------

    def put(self, data: bytes) -> bytes:
        """Keep an object (canonical JSON); its digest, 32 bytes, computed here."""
        row = pack(data)
        digest = row[0]
        if digest not in self._objects:
            self._objects[digest] = row
            self._waiting_bytes += len(row[2])
            self._start_waiting()
            if self._waiting_bytes >= BATCH_BYTES:
                self.commit()
        return digest

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
        return data

    def get_json(self, digest: bytes) -> Any:
        """The value of the object under `digest`, or None where it is absent or damaged."""
        data = self.get(digest)
        return None if data is None else decode(data)

    # -- results -------------------------------------------------------------------------------

    def result(self, key: bytes) -> Result | None:
        """What is known under a key; None where that is nothing, or damaged."""
        waiting = self._results.get(key)
        if waiting is not None:
            return Result(*waiting[1:-1])
        found = self._query(
            "SELECT object, run, duration_s, limit_s, seal FROM results WHERE key = ?", (key,)
        )
        if not found:
            return None
        *values, kept = found[0]
        if seal(key, *values) != kept:
            self._warn(f"result {key.hex()[:12]} in the store is damaged; it does not count")
            return None
        return Result(*values)

    def has_results(self) -> bool:
        """Whether anything is known under any key."""
        return bool(self._results or self._query("SELECT 1 FROM results LIMIT 1"))

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
        # As SQLite will give them back: the seal has to be the same then.
        limit_s = None if limit_s is None else float(limit_s)
        row = (key, digest, run, float(duration_s), limit_s)
        self._results[key] = (*row, seal(*row))
        self._start_waiting()
        if len(self._results) >= BATCH_ROWS or self.patience_s == 0.0:
            self.commit()
        return digest

    # -- runs ----------------------------------------------------------------------------------

    def begin_run(self, *, started_at: str, manifest: bytes, inputs: bytes) -> int:
        """A new run; its number."""
        digest = self.put(manifest)
        self.commit()
        cursor = self._write(
            "INSERT INTO runs (started_at, status, process, manifest, inputs) "
            "VALUES (?, 'running', ?, ?, ?)",
            (started_at, this_process(), digest, inputs),
        )
        return int(cursor.lastrowid or 0)

    def add_chunk(self, run: int, number: int, data: bytes) -> None:
        """The next part of a run's rows; parts are numbered from 0."""
        digest = self.put(data)
        self._chunks.append((run, number, digest, seal(run, number, digest)))
        self._start_waiting()

    def share_chunks(self, earlier: int, run: int) -> None:
        """Give a run the rows of an earlier one."""
        self.commit()
        rows = self._query("SELECT number, object, seal FROM chunks WHERE run = ?", (earlier,))
        self._chunks += [
            (run, number, digest, seal(run, number, digest))
            for number, digest, kept in rows
            if seal(earlier, number, digest) == kept
        ]
        self._start_waiting()
        self.commit()

    def forget_run(self, run: int) -> None:
        """Take a run back in which nothing was executed."""
        self.commit()
        self._write("DELETE FROM runs WHERE id = ?", (run,))

    def spoil_results(self, run: int) -> None:
        """Let no later run reuse what a run made."""
        self.commit()
        know_seals(self._connection)
        self._write(
            "UPDATE results SET limit_s = 0.0, seal = seal_of(key, object, run, duration_s, 0.0) "
            "WHERE run = ?",
            (run,),
        )

    def finish_run(self, run: int, *, status: str, summary: bytes) -> None:
        """Close a run with its summary."""
        assert status in STATUSES
        digest = self.put(summary)
        self.commit()
        self._write("UPDATE runs SET status = ?, summary = ? WHERE id = ?", (status, digest, run))

    def runs(self) -> list[RunRow]:
        """Every run, newest first; one whose process is gone reads as interrupted."""
        return [self._run_row(row) for row in self._query(f"{_RUN} ORDER BY id DESC")]

    def run(self, number: int) -> RunRow | None:
        """One run."""
        rows = self._query(f"{_RUN} WHERE id = ?", (number,))
        return self._run_row(rows[0]) if rows else None

    def run_of_inputs(self, inputs: bytes) -> RunRow | None:
        """The newest complete run over exactly the same inputs."""
        rows = self._query(
            f"{_RUN} WHERE inputs = ? AND status = 'complete' ORDER BY id DESC LIMIT 1", (inputs,)
        )
        return self._run_row(rows[0]) if rows else None

    def chunks(self, run: int) -> Iterator[bytes | None]:
        """The parts of a run's rows in order; None for one that is damaged or not there."""
        expected = 0
        for number, digest, kept in self._query(
            "SELECT number, object, seal FROM chunks WHERE run = ? ORDER BY number", (run,)
        ):
            if seal(run, number, digest) != kept:
                yield None
                expected += 1
                continue
            if number != expected:
                yield None
            yield self.get(digest)
            expected = number + 1

    def _run_row(self, row: Any) -> RunRow:
        *fields, process = row
        number, started_at, status, manifest, inputs, summary = fields
        if not (
            isinstance(started_at, str)
            and status in STATUSES
            and isinstance(manifest, bytes)
            and isinstance(inputs, bytes)
            and isinstance(summary, bytes | None)
        ):
            raise damage(self.path, f"what it says of run {number} cannot be read")
        if status == "running" and not is_running(str(process)):
            status = "interrupted"
        return RunRow(number, started_at, status, manifest, inputs, summary)

    # -- notes ---------------------------------------------------------------------------------

    def note(self, name: str) -> Any:
        """A small value kept between runs, or None."""
        found = self._query("SELECT object FROM notes WHERE name = ?", (name,))
        return self.get_json(found[0][0]) if found else None

    def notes(self, beginning: str) -> dict[str, Any]:
        """The notes whose names begin so."""
        names = self._query("SELECT name FROM notes ORDER BY name")
        return {name: self.note(name) for (name,) in names if name.startswith(beginning)}

    def set_note(self, name: str, value: Any) -> None:
        """Keep a small value between runs."""
        digest = self.put(encode(value))
        self.commit()
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, digest))

    # -- writing -------------------------------------------------------------------------------

    @property
    def patience_s(self) -> float | None:
        """How long what waits may go on waiting for its commit; None where nothing waits."""
        if self._since is None:
            return None
        return max(0.0, self._since + BATCH_SECONDS - time.monotonic())

    def _start_waiting(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def commit_when_due(self) -> None:
        """Write what waits if it has waited long enough."""
        if self.patience_s == 0.0:
            self.commit()

    def commit(self) -> None:
        """Write everything that waits, in one transaction."""
        if self._since is None:
            return
        with self._guard():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                # In the order of the pages that they go to.
                self._connection.executemany(_PUT, sorted(self._objects.values()))
                self._connection.executemany(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)",
                    sorted(self._results.values()),
                )
                self._connection.executemany(
                    "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?)", self._chunks
                )
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
        self._objects.clear()
        self._results.clear()
        self._chunks.clear()
        self._waiting_bytes = 0
        self._since = None

    def _write(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        with self._guard():
            return self._connection.execute(sql, values)

    def _query(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise store_error(self.path, error) from error

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise store_error(self.path, error) from error
