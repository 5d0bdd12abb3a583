"""Looks whether a store is whole: every object, and everything that refers to one."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.store.database import STATUSES
from oloproof.store.objects import know_seals
from oloproof.store.opening import is_damaged
from oloproof.store.references import References, RunParts, parts_of
from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.store.database import Store
    from oloproof.store.references import Documents

KINDS: Final = (
    *("run", "manifest", "summary", "rows", "pairs", "case", "state"),
    *("evidence", "replay", "result", "note", "unreferenced"),
)
"""What is told apart: runs and results themselves, and objects by what they are to others."""

_MESSAGES: Final = 10
"""How many messages of SQLite are taken: one damaged page can give hundreds."""

# The types come first: a damaged one may claim to be text that is no text.
SEALED: Final = """CASE WHEN typeof(key) = 'blob' AND typeof(object) = 'blob'
    AND typeof(run) = 'integer' AND typeof(duration_s) = 'real'
    AND typeof(limit_s) IN ('real', 'null')
    THEN seal_of(key, object, run, duration_s, limit_s) = seal ELSE FALSE END"""
"""An SQL condition: a result is as it was written. Needs `know_seals`."""

_BY_KIND: Final = """
SELECT kind, count(*), total(b.missing = 0), total(b.missing)
FROM (SELECT DISTINCT kind, digest FROM temp.refs WHERE kind != 'result') AS r
LEFT JOIN temp.bad AS b ON b.digest = r.digest GROUP BY kind"""
_RESULTS: Final = f"""
SELECT count(*), total(NOT sealed OR missing = 0), total(sealed AND missing)
FROM (SELECT {SEALED} AS sealed, b.missing FROM main.results
LEFT JOIN temp.bad AS b ON b.digest = object)"""
_UNREFERENCED: Final = """
SELECT count(*), total(typeof(digest) != 'blob' OR digest IN (SELECT digest FROM temp.bad)), 0
FROM main.objects AS o
WHERE NOT EXISTS (SELECT 1 FROM temp.refs WHERE digest = o.digest)"""


@dataclass(frozen=True, slots=True)
class KindCheck:
    """How many there are of a kind, and how many of them are not whole."""

    kind: str
    checked: int
    damaged: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """What was found: `problems` of the file itself, and the state of everything in it.

    `runs` are those of which something is not whole.
    """

    problems: tuple[str, ...] = ()
    objects: int = 0
    kinds: tuple[KindCheck, ...] = ()
    runs: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged and nothing missing."""
        return not self.problems and not any(k.damaged or k.missing for k in self.kinds)


def check_store(store: Store, documents: Documents) -> StoreCheck:
    """Compare every object with its digest, and follow every reference; nothing is changed."""
    with store.whole() as connection, transaction(connection, "DEFERRED"):
        problems: list[str] = []
        try:
            problems += _problems_of_file(connection)
            return _Check(connection, documents).result(tuple(problems))
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not is_damaged(error):
                raise
            return StoreCheck((*problems, f"the file cannot be read to its end: {error}"))


def _problems_of_file(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(f"PRAGMA integrity_check({_MESSAGES})").fetchall()
    return [] if found == [("ok",)] else [str(message) for (message,) in found]


class _Check:
    """One check of a store that can be read."""

    def __init__(self, connection: sqlite3.Connection, documents: Documents) -> None:
        know_seals(connection)
        self._connection = connection
        self._documents = documents
        self._references = References(connection, documents)

    def result(self, problems: tuple[str, ...]) -> StoreCheck:
        """What comes of it."""
        found = list(self._runs())
        runs = [run for run in found if run is not None]
        for run in runs:
            self._references.add_run(run)
        self._references.follow()
        self._references.add_results(SEALED)
        self._references.add_notes()
        objects = self._references.check(everything=True)
        torn = self._references.torn_runs(runs)
        kinds = {
            "run": KindCheck("run", len(found), found.count(None), len(torn)),
            "result": self._count("result", _RESULTS),
            "unreferenced": self._count("unreferenced", _UNREFERENCED),
        }
        for kind, checked, damaged, missing in self._connection.execute(_BY_KIND):
            kinds[kind] = KindCheck(kind, checked, int(damaged), int(missing))
        return StoreCheck(
            problems=problems,
            objects=objects,
            kinds=tuple(kinds[kind] for kind in KINDS if kind in kinds),
            runs=tuple(sorted(self._references.spoiled_runs() | torn)),
        )

    def _runs(self) -> Iterator[RunParts | None]:
        """Every run; None for one whose entry is damaged."""
        for number, status, manifest, summary in self._connection.execute(
            "SELECT id, status, manifest, summary FROM runs ORDER BY id"
        ).fetchall():
            whole = isinstance(manifest, bytes) and isinstance(summary, bytes | None)
            if whole and status in STATUSES:
                yield parts_of(self._connection, number, manifest, summary)
            else:
                yield None

    def _count(self, kind: str, query: str) -> KindCheck:
        counts: Any = self._connection.execute(query).fetchone()
        return KindCheck(kind, *map(int, counts))
