"""The file in which runs travel from one store to another.

It is a SQLite file with one table of objects, as in a store, and one row that names the root.
The root names the runs and the pages of results; everything is an object under its own digest,
so that the digest of the root stands for all of it, and no part can change unnoticed.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode, encode
from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.opening import is_damaged
from oloproof.store.references import RunParts, read_object

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oloproof.canonical import JsonValue

EXPORT_FORMAT: Final = 1
APPLICATION: Final = 0x4F4C4F50
"""What `file` and we know an export by: `OLOP`."""

PAGE_RESULTS: Final = 1000
_HEAD: Final = 100
"""Bytes of the head of a SQLite file: its page size, its pages and its application among them."""

SCHEMA: Final = (
    "CREATE TABLE objects (digest BLOB PRIMARY KEY, codec INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE root (digest BLOB NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """One run as it travels."""

    parts: RunParts
    started_at: str
    status: str
    inputs: bytes

    def to_json(self) -> JsonValue:
        """The JSON form."""
        summary = self.parts.summary
        return {
            "number": self.parts.number,
            "started_at": self.started_at,
            "status": self.status,
            "inputs": self.inputs.hex(),
            "manifest": self.parts.manifest.hex(),
            "summary": None if summary is None else summary.hex(),
            "chunks": [digest.hex() for digest in self.parts.chunks],
        }

    @classmethod
    def from_json(cls, data: Any) -> ExportedRun:
        """The run of its JSON form."""
        summary = data["summary"]
        parts = RunParts(
            number=data["number"],
            manifest=bytes.fromhex(data["manifest"]),
            summary=None if summary is None else bytes.fromhex(summary),
            chunks=tuple(map(bytes.fromhex, data["chunks"])),
        )
        return cls(parts, data["started_at"], data["status"], bytes.fromhex(data["inputs"]))


@dataclass(frozen=True, slots=True)
class Root:
    """What an export holds: run objects by number, pages of results with their sizes, notes."""

    runs: Mapping[int, bytes]
    pages: tuple[tuple[bytes, int], ...]
    notes: Mapping[str, JsonValue]

    def to_bytes(self) -> bytes:
        """The object that this is."""
        return encode(
            {
                "runs": [[number, digest.hex()] for number, digest in self.runs.items()],
                "results": [[digest.hex(), size] for digest, size in self.pages],
                "notes": dict(self.notes),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Root:
        """The root of its object."""
        value: Any = decode(data)
        return cls(
            runs={number: bytes.fromhex(digest) for number, digest in value["runs"]},
            pages=tuple((bytes.fromhex(digest), size) for digest, size in value["results"]),
            notes=value["notes"],
        )


def read_root(path: Path) -> tuple[bytes, Root]:
    """The root of an export and its digest; an error says why a file is none or is damaged."""
    if not path.is_file():
        raise ConfigurationError(
            "there is no such file",
            where=str(path),
            mend="name a file that `oloproof cache export FILE` made",
        )
    try:
        _refuse_cut_off(path)
        connection = sqlite3.connect(read_only_uri(path), uri=True)
        try:
            _refuse_foreign(connection, path)
            found = connection.execute("SELECT digest FROM root").fetchall()
            data = read_object(connection, found[0][0]) if found else None
            if data is None:
                raise export_damage(path, "its root is not whole")
            return found[0][0], Root.from_bytes(data)
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise export_error(path, error) from None
    except OSError as error:
        raise export_error(path, error) from None
    except (KeyError, TypeError, ValueError) as error:
        raise export_damage(path, f"its root cannot be understood ({error})") from None


def read_only_uri(path: Path) -> str:
    """How SQLite is to open an export: it takes no lock and makes no file beside it."""
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"


def export_damage(path: Path, what: str) -> StoreError:
    """The error for an export of which nothing can be taken."""
    return StoreError(
        f"the export is damaged: {what}; nothing was imported",
        where=str(path),
        mend="copy the file again, or export again where it came from",
    )


def export_error(path: Path, error: Exception) -> StoreError:
    """What an error of SQLite while it reads an export means to the user."""
    if is_damaged(error):
        return export_damage(path, str(error))
    return StoreError(
        f"the export cannot be read: {error}; nothing was imported",
        where=str(path),
        mend="see that the file may be read and the disk works",
    )


def _refuse_cut_off(path: Path) -> None:
    """Refuse an export with less in it than its head says: SQLite would know it for nothing."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if len(head) < _HEAD or not head.startswith(b"SQLite format 3\0"):
        return
    application, page, pages = (
        int.from_bytes(head[at : at + size], "big") for at, size in ((68, 4), (16, 2), (28, 4))
    )
    wanted = (65536 if page == 1 else page) * pages
    there = path.stat().st_size
    if application == APPLICATION and there < wanted:
        raise export_damage(path, f"it is cut off, {there} of its {wanted} bytes are there")


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError:
        application = version = None
    if application != APPLICATION:
        raise ConfigurationError(
            "this is no export of a store",
            where=str(path),
            mend="name a file that `oloproof cache export FILE` made",
        )
    if version != EXPORT_FORMAT:
        raise ConfigurationError(
            f"the export has format {version}; this version of Oloproof reads "
            f"format {EXPORT_FORMAT}",
            where=str(path),
            mend="import it with the version that wrote it, or a newer one",
        )
