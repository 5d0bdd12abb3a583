"""What refers to what: from runs over their documents down to single pieces of evidence.

The references stand in temporary tables beside the store, on disk where there are many, so
that memory does not grow with the number of cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from oloproof.store.objects import seal, unpack

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

Kind: TypeAlias = Literal[
    "manifest",
    "summary",
    "pairs",
    "rows",
    "case",
    "state",
    "evidence",
    "replay",
    "result",
    "note",
]
"""As what an object is referred to."""

FOLLOWED: Final[tuple[Kind, ...]] = ("summary", "rows", "case")
"""The kinds whose objects refer to others, each before those it may refer to."""

# Damaged, either may claim to be text that is no text, which could not even be fetched.
_BLOB: Final = "CASE typeof(data) WHEN 'blob' THEN data END"
_NAME: Final = "CASE typeof(digest) WHEN 'blob' THEN digest ELSE x'' END"

_BATCH: Final = 10_000
_CACHE_KIB: Final = 16_384
_TABLES: Final = (
    f"PRAGMA temp.cache_size = -{_CACHE_KIB}",
    "DROP TABLE IF EXISTS temp.refs",
    "DROP TABLE IF EXISTS temp.bad",
    "CREATE TEMP TABLE refs (digest BLOB, kind TEXT, parent)",
    "CREATE TEMP TABLE bad (digest BLOB PRIMARY KEY, missing INTEGER NOT NULL) WITHOUT ROWID",
)
# Made once most references are there: filled one by one, an index costs three times as much.
_INDEX: Final = "CREATE INDEX IF NOT EXISTS temp.refs_by_digest ON refs (digest)"
_SPOILED: Final = """
WITH RECURSIVE spoiled (node) AS (
    SELECT digest FROM temp.bad
    UNION SELECT refs.parent FROM spoiled CROSS JOIN temp.refs ON refs.digest = spoiled.node)
SELECT node FROM spoiled WHERE typeof(node) = 'integer'"""


class Documents(Protocol):
    """What the documents in a store say; the store itself does not read them.

    A document that cannot be understood raises `ValueError`.
    """

    def references(self, kind: Kind, data: bytes) -> Iterable[tuple[Kind, bytes]]:
        """The objects that a document refers to."""

    def cases(self, summary: bytes) -> int:
        """How many rows a run has."""

    def runs_named(self, summary: bytes) -> set[int]:
        """The other runs that a summary speaks of."""

    def renumbered(self, summary: bytes, numbers: Mapping[int, int]) -> bytes:
        """A summary in which runs have other numbers; one that has none is left out."""

    def is_marked(self, manifest: bytes) -> bool:
        """Whether a gate has to know of a run as soon as it rests on its results."""

    def project(self, manifest: bytes) -> str:
        """The project that was run."""

    def system(self, manifest: bytes) -> str:
        """The source digest of the system that was run."""


@dataclass(frozen=True, slots=True)
class RunParts:
    """The objects that a run consists of; `broken` where a part of its rows is not there."""

    number: int
    manifest: bytes
    summary: bytes | None
    chunks: tuple[bytes, ...]
    broken: bool = False


def parts_of(
    connection: sqlite3.Connection,
    number: int,
    manifest: bytes,
    summary: bytes | None,
    schema: str = "main",
) -> RunParts:
    """The parts of a stored run."""
    chunks: list[bytes] = []
    broken = False
    for at, digest, kept in connection.execute(
        f"SELECT number, object, seal FROM {schema}.chunks WHERE run = ? ORDER BY number",
        (number,),
    ):
        if seal(number, at, digest) == kept:
            broken |= at != len(chunks)
            chunks.append(digest)
        else:
            broken = True
    return RunParts(number, manifest, summary, tuple(chunks), broken)


def read_object(
    connection: sqlite3.Connection, digest: bytes, schema: str = "main"
) -> bytes | None:
    """The object under `digest`; None where it is absent or damaged."""
    query = f"SELECT digest, codec, {_BLOB} FROM {schema}.objects WHERE digest = ?"
    for row in connection.execute(query, (digest,)):
        return unpack(*row)
    return None


class References:
    """The references of some runs, and which of the objects meant are not whole.

    `schema` is the database of the connection that holds the objects. There is one at a time
    on a connection.
    """

    def __init__(
        self, connection: sqlite3.Connection, documents: Documents, schema: str = "main"
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._schema = schema
        self._objects = f"{schema}.objects"
        for statement in _TABLES:
            connection.execute(statement)

    def add_run(self, run: RunParts) -> None:
        """Take in what a run itself refers to."""
        found: list[tuple[Any, ...]] = [(run.manifest, "manifest", run.number)]
        if run.summary is not None:
            found.append((run.summary, "summary", run.number))
        found += [(digest, "rows", run.number) for digest in run.chunks]
        self.add(found)

    def add(self, found: Iterable[tuple[bytes, Kind, bytes | int | None]]) -> None:
        """Take in references: a digest, as what it is meant, and where (a digest or a run)."""
        self._connection.executemany("INSERT INTO temp.refs VALUES (?, ?, ?)", found)

    def add_results(self, condition: str = "TRUE") -> None:
        """Take in what results refer to, of those for which an SQL condition holds."""
        self._connection.execute(
            "INSERT INTO temp.refs "
            f"SELECT DISTINCT object, 'result', NULL FROM {self._schema}.results WHERE {condition}"
        )

    def add_notes(self) -> None:
        """Take in what notes refer to."""
        self._connection.execute(
            f"INSERT INTO temp.refs SELECT object, 'note', NULL FROM {self._schema}.notes"
        )

    def follow(self) -> None:
        """Take in what the documents refer to; those that cannot be read are not whole."""
        for kind in FOLLOWED:
            waiting: list[tuple[bytes, Kind, bytes]] = []
            for digest, data in self._read(kind):
                try:
                    found = list(self._documents.references(kind, data))
                except ValueError:
                    self._spoil(digest)
                    continue
                waiting += [(child, meant, digest) for meant, child in found]
                if len(waiting) >= _BATCH:
                    self.add(waiting)
                    waiting.clear()
            self.add(waiting)

    def check(self, *, everything: bool = False) -> int:
        """Compare the objects that are meant (or all) with their digests; how many there were.

        Afterwards `bad` holds those that are damaged and those that are not there.
        """
        which = "TRUE" if everything else "EXISTS (SELECT 1 FROM temp.refs WHERE digest = o.digest)"
        checked = 0
        for row in self._connection.execute(
            f"SELECT {_NAME}, codec, {_BLOB} FROM {self._objects} AS o WHERE {which}"
        ):
            checked += 1
            if unpack(*row) is None:
                self._spoil(row[0])
        self._connection.execute(
            "INSERT OR IGNORE INTO temp.bad SELECT DISTINCT digest, 1 FROM temp.refs AS r "
            f"WHERE NOT EXISTS (SELECT 1 FROM {self._objects} WHERE digest = r.digest)"
        )
        return checked

    def spoiled_runs(self) -> set[int]:
        """The runs that refer, over however many documents, to what is not whole."""
        return {number for (number,) in self._connection.execute(_SPOILED)}

    def torn_runs(self, runs: Iterable[RunParts]) -> set[int]:
        """The runs of whose rows a part is not there at all."""
        query = "SELECT parent, count(*) FROM temp.refs WHERE kind = 'case' GROUP BY parent"
        rows = dict(self._connection.execute(query))
        return {run.number for run in runs if run.broken or self._lacks_rows(run, rows)}

    def _lacks_rows(self, run: RunParts, rows: Mapping[bytes, int]) -> bool:
        if run.summary is None or not all(chunk in rows for chunk in run.chunks):
            return False  # it was killed, or what is damaged is told as that
        summary = read_object(self._connection, run.summary, self._schema)
        try:
            asked = 0 if summary is None else self._documents.cases(summary)
        except ValueError:
            return False
        return asked > sum(rows[chunk] for chunk in run.chunks)

    def _read(self, kind: Kind) -> Iterator[tuple[bytes, bytes]]:
        for row in self._many() if kind == "case" else self._few(kind):
            data = unpack(*row)
            if data is None:
                self._spoil(row[0])
            else:
                yield row[0], data

    def _many(self) -> Iterator[tuple[Any, ...]]:
        """The documents of cases, in the order of the file: there are as many as cases."""
        self._connection.execute(_INDEX)
        yield from self._connection.execute(
            f"SELECT {_NAME}, codec, {_BLOB} FROM {self._objects} AS o WHERE EXISTS "
            "(SELECT 1 FROM temp.refs WHERE digest = o.digest AND kind = 'case')"
        )

    def _few(self, kind: Kind) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {_NAME}, codec, {_BLOB} FROM {self._objects} WHERE digest = ?"
        meant = "SELECT DISTINCT digest FROM temp.refs WHERE kind = ?"
        for digest in self._connection.execute(meant, (kind,)).fetchall():
            yield from self._connection.execute(query, digest)

    def _spoil(self, digest: bytes) -> None:
        self._connection.execute("INSERT OR IGNORE INTO temp.bad VALUES (?, 0)", (digest,))
