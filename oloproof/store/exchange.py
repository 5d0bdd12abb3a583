"""The file in which runs travel: a store with fewer rows, and a digest over all of them.

Nothing in such a file is believed. Before anything is taken over, its tables have to be those
of a store, its rows those that the digest was made over, every object what its own digest
says, and everything that is referred to has to be there. What is not so is refused whole.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.canonical import JsonValue
from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.opening import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE: Final = "source"
"""The name under which a file that is read is attached to the store's connection."""

EXPORT_FORMAT: Final = 2
"""Raised with every change of the tables; 1 was a container of another kind."""

APPLICATION: Final = 0x4F4C4F50
"""What `file` and we know an export by: `OLOP`."""

_HEAD: Final = 100
"""Bytes of the head of a SQLite file: its page size, its pages and its application among them."""

_CONTENT: Final = "CREATE TABLE content (digest BLOB NOT NULL)"
_UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
_ROWS: Final = (
    "SELECT digest FROM objects ORDER BY digest",
    "SELECT key, object, run, duration_s, limit_s FROM results ORDER BY key",
    "SELECT id, started_at, status, manifest, inputs, summary FROM runs ORDER BY id",
    "SELECT run, number, object FROM chunks ORDER BY run, number",
    "SELECT name, object FROM notes ORDER BY name",
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to be known beside the runs from now on: notes to write.

    Of `refused` systems (source digests) no result is taken: here their name stands for
    something else.
    """

    notes: Mapping[str, JsonValue]
    refused: frozenset[str] = frozenset()


Settle: TypeAlias = Callable[[Mapping[str, JsonValue]], Settlement]


def make_export(connection: sqlite3.Connection) -> None:
    """Make the tables of an export in a file that is empty, and begin to write."""
    # Nothing is to be rolled back: what is not finished is removed.
    connection.execute("PRAGMA journal_mode=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={EXPORT_FORMAT}")
    connection.execute("BEGIN")
    for statement in (*TABLES, _CONTENT):
        connection.execute(statement)


def finish_export(connection: sqlite3.Connection) -> str:
    """Write down the digest over what stands in an export; the digest, in hexadecimal digits."""
    digest = content_digest(connection)
    connection.execute("INSERT INTO content VALUES (?)", (digest,))
    connection.execute("COMMIT")
    return digest.hex()


def content_digest(connection: sqlite3.Connection) -> bytes:
    """The digest over all rows; objects are meant by their own digests, 32 bytes."""
    whole = sha256()
    for query in _ROWS:
        whole.update(b"\n")
        for row in connection.execute(query):
            whole.update(repr(row).encode())
    return whole.digest()


def check_export(path: Path) -> bytes:
    """The digest of an export, whose tables and rows are those that it was made with.

    `ConfigurationError` for a file that is none, `StoreError` for one that is damaged or was
    made by hand. The objects are checked by who reads them.
    """
    _refuse_foreign(path)
    try:
        with contextlib.closing(sqlite3.connect(_read_only(path), uri=True)) as connection:
            tables = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100"
            if sorted(connection.execute(tables), key=repr) != _own_tables():
                raise refused(path, "its tables are not those of a store")
            found = connection.execute("SELECT digest FROM content LIMIT 2").fetchall()
            digest = content_digest(connection)
    except _UNREADABLE as error:
        raise refused(path, str(error)) from None
    if found != [(digest,)]:
        raise refused(path, "its rows are not those that it was made with")
    return digest


@contextlib.contextmanager
def attached(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """The block can read an export that was checked as `source`."""
    connection.execute(f"ATTACH ? AS {SOURCE}", (_read_only(path),))
    try:
        yield
    finally:
        with contextlib.suppress(sqlite3.Error):  # of an error, cursors may still be open
            connection.execute(f"DETACH {SOURCE}")


def _refuse_foreign(path: Path) -> None:
    """Refuse a file that is no export, or that was cut off: SQLite would know it for nothing."""
    if not path.is_file():
        raise _no_export(path, "there is no such file")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        there = path.stat().st_size
    except OSError as error:
        raise StoreError(
            f"the export cannot be read: {error}; nothing was imported",
            where=str(path),
            fix="see that the file may be read and the disk works",
        ) from None
    version, application, page, pages = (
        int.from_bytes(head[at : at + size], "big")
        for at, size in ((60, 4), (68, 4), (16, 2), (28, 4))
    )
    if not head.startswith(b"SQLite format 3\0") or application != APPLICATION:
        raise _no_export(path, "this is no export of a store")
    if version != EXPORT_FORMAT:
        raise ConfigurationError(
            f"the export has format {version}; this version of Oloproof reads "
            f"format {EXPORT_FORMAT}",
            where=str(path),
            fix="export it again where it came from, with this version"
            if version < EXPORT_FORMAT
            else "import it with the version that wrote it, or a newer one",
        )
    wanted = (65536 if page == 1 else page) * pages
    if there < wanted:
        raise refused(path, f"it is cut off, {there} of its {wanted} bytes are there")


def refused(path: Path, what: str) -> StoreError:
    """The error for an export of which nothing is taken."""
    return StoreError(
        f"the export is damaged: {what}; nothing was imported",
        where=str(path),
        fix="copy the file again, or export again where it came from",
    )


def _own_tables() -> list[tuple[str, str, str, str | None]]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_export(connection)
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
        return sorted(connection.execute(query), key=repr)


def _read_only(path: Path) -> str:
    # It takes no lock and makes no file beside it.
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"


def _no_export(path: Path, what: str) -> ConfigurationError:
    return ConfigurationError(
        what, where=str(path), fix="name a file that `oloproof cache export FILE` made"
    )
