"""Opens the file of a store: makes it, refuses it, or sets it aside, and says why."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from oloproof.errors import ConfigurationError, DamagedStoreError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORMAT: Final = 1
FILE: Final = "store.sqlite"
WAIT_S: Final = 60.0
"""How long to wait for another process that writes."""

TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS objects (
        digest BLOB PRIMARY KEY, codec INTEGER NOT NULL, data BLOB NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS results (
        key BLOB PRIMARY KEY, object BLOB NOT NULL, run INTEGER NOT NULL,
        duration_s REAL NOT NULL, limit_s REAL, seal INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, started_at TEXT NOT NULL, status TEXT NOT NULL,
        process TEXT NOT NULL, manifest BLOB NOT NULL, inputs BLOB NOT NULL, summary BLOB)""",
    """CREATE TABLE IF NOT EXISTS chunks (
        run INTEGER NOT NULL, number INTEGER NOT NULL, object BLOB NOT NULL,
        seal INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, object BLOB NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS runs_by_inputs ON runs (inputs)",
)

_FAULTS: Final = (sqlite3.OperationalError, sqlite3.DatabaseError, UnicodeDecodeError)
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_HELD: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_CLOSED: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
)


def open_for_writing(folder: Path, warn: Callable[[str], None]) -> sqlite3.Connection:
    """The store in `folder`, made where there is none.

    One that SQLite cannot read is set aside under another name, which `warn` is told. When it
    cannot be opened nothing is left behind that was not there before.
    """
    path = folder / FILE
    with _prepared(folder):
        try:
            return _connect_for_writing(path)
        except _FAULTS as error:
            if not is_damaged(error):
                raise store_error(path, error) from None
            reason = str(error)
        with _as_store_errors(path):
            aside = _set_aside(path)
            connection = _connect_for_writing(path)
    warn(
        f"the store could not be read ({reason}); it was set aside as {aside.name} "
        "and a fresh one begun"
    )
    return connection


def open_for_reading(folder: Path) -> sqlite3.Connection:
    """The store in `folder`, which must be there; nothing is made or set aside."""
    path = folder / FILE
    if not path.exists():
        raise _nothing_run(path)
    with _as_store_errors(path):
        try:
            connection = _connect(path, "mode=rw")
        except sqlite3.OperationalError as error:
            if _primary(error) not in _CLOSED or _has_unmerged_writes(path):
                raise
            # In a folder that is read-only SQLite cannot share a store, but it can read one.
            connection = _connect(path, "mode=ro&immutable=1")
        if _version(connection) == 0:
            connection.close()
            raise _nothing_run(path)
        return connection


def is_damaged(error: Exception) -> bool:
    """Whether an error says that the file is not, or no longer, a database."""
    # A damaged page can also surface as text that is no text; SQLite gives that no code.
    no_text = isinstance(error, sqlite3.OperationalError) and _primary(error) == 0
    return no_text or isinstance(error, UnicodeDecodeError) or _primary(error) in _DAMAGED


def store_error(path: Path, error: Exception) -> StoreError:
    """What an error of SQLite or of the operating system means to the user."""
    code = _primary(error)
    if is_damaged(error):
        return damage(path, str(error))
    if code in _HELD:
        fix = "another program holds the store; try again when it is done"
    elif code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        fix = (
            "see whether the disk is full or failing, then run again; "
            "everything up to the last batch is kept"
        )
    elif code in _CLOSED or isinstance(error, OSError):
        fix = "the project's folder must be writable: a run keeps its evidence in .oloproof/"
    else:
        fix = "run again; if it stays, move the file away to begin afresh"
    return StoreError(f"the store cannot be used: {error}", where=str(path), fix=fix)


def damage(path: Path, what: str) -> DamagedStoreError:
    """The error for a file that is not, or no longer, what a store wrote."""
    return DamagedStoreError(
        f"the store is damaged: {what}",
        where=str(path),
        fix="move the file away to begin afresh (what it alone holds is lost), then run again",
    )


def _primary(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextlib.contextmanager
def _as_store_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (*_FAULTS, OSError) as error:
        raise store_error(path, error) from None


@contextlib.contextmanager
def _prepared(folder: Path) -> Iterator[None]:
    """The folder with its .gitignore; both are taken back if the block fails."""
    ignore = folder / ".gitignore"
    made_folder, made_ignore = not folder.exists(), False
    try:
        with _as_store_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not ignore.exists():
                made_ignore = True
                ignore.write_text("*\n", encoding="utf-8")
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            if made_ignore:
                ignore.unlink(missing_ok=True)
            if made_folder:
                folder.rmdir()  # which leaves it alone where anything else is in it
        raise


def _connect_for_writing(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "mode=rwc")
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        if _version(connection) == 0:
            _make(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to a file that SQLite can read and whose format this version knows."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=WAIT_S
    )
    try:
        found = _version(connection)
        if found not in (0, FORMAT):
            raise StoreError(
                f"the store has format {found}; this version of Oloproof reads format {FORMAT}",
                where=str(path),
                fix="use the version that wrote it, or move the folder away to begin afresh",
            )
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make(connection: sqlite3.Connection) -> None:
    _switch_to_wal(connection)
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Change the journal, however many processes begin the same store at this moment.

    SQLite does not wait here as it does elsewhere: it would wait for itself.
    """
    until = time.monotonic() + WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if _primary(error) not in _HELD or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _set_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"store.damaged-{number}.sqlite")).exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _has_unmerged_writes(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _nothing_run(path: Path) -> ConfigurationError:
    return ConfigurationError(
        "nothing has been run in this project yet",
        where=str(path.parent),
        fix="run it first: `oloproof run`",
    )
