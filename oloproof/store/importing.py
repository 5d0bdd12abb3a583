"""Takes the runs and results of an export over into a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError
from oloproof.records.store_report import CacheImport, ImportedRun
from oloproof.store.exchange import SOURCE, Settle, Settlement, attached
from oloproof.store.intake import IncomingRun, Intake, read_export
from oloproof.store.objects import know_seals, pack, seal, unpack
from oloproof.store.references import parts_of, read_object
from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from oloproof.store.database import Store
    from oloproof.store.references import Documents

# An object that is there but damaged, in whatever way, is replaced by the whole one.
_COPY: Final = f"""
INSERT INTO main.objects SELECT digest, codec, data FROM {SOURCE}.objects
WHERE digest IN (SELECT node FROM temp.wanted)
ON CONFLICT (digest) DO UPDATE SET codec = excluded.codec, data = excluded.data
WHERE (data IS NOT excluded.data OR codec IS NOT excluded.codec)
    AND CASE typeof(data) WHEN 'blob' THEN NOT is_whole(digest, codec, data) ELSE TRUE END"""
_TABLES: Final = (
    *(f"DROP TABLE IF EXISTS temp.{name}" for name in ("incoming", "chosen", "numbers", "wanted")),
    "CREATE TEMP TABLE chosen (number)",
    "CREATE TEMP TABLE numbers (there INTEGER PRIMARY KEY, here INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS temp.refs_by_parent ON refs (parent)",
)
_INCOMING: Final = f"""
CREATE TEMP TABLE incoming AS SELECT key, object, run, duration_s, limit_s FROM {SOURCE}.results"""
# `chosen` declares no type: compared with one, parents could not be looked up in their index.
_WANTED: Final = """
CREATE TEMP TABLE wanted AS
WITH RECURSIVE wanted (node) AS (
    SELECT number FROM temp.chosen UNION SELECT object FROM temp.incoming
    UNION SELECT refs.digest FROM wanted CROSS JOIN temp.refs ON refs.parent = wanted.node)
SELECT node FROM wanted WHERE typeof(node) = 'blob'"""
_RESULTS: Final = """
INSERT INTO main.results (key, object, run, duration_s, limit_s, seal)
SELECT key, object, here, duration_s, limit_s, seal_of(key, object, here, duration_s, limit_s)
FROM temp.incoming JOIN temp.numbers ON there = run"""


def import_runs(
    store: Store,
    path: Path,
    digest: bytes,
    documents: Documents,
    *,
    project: str,
    settle: Settle,
) -> CacheImport:
    """Take over what is of this project and not there yet, all of it at once.

    `digest` is what `check_export` gave. `settle` is given the notes of the export and says
    what they mean here. An export of which anything is not whole is refused, `StoreError`.
    """
    with store.whole() as connection:
        know_seals(connection)
        connection.create_function("is_whole", 3, lambda *row: unpack(*row) is not None)
        with attached(connection, path):
            with transaction(connection, "DEFERRED"):
                intake = read_export(path, connection, documents)
            others = _of_other_projects(intake, path, project)
            with transaction(connection, "IMMEDIATE"):
                settlement = settle(intake.notes)
                done = _Import(connection, documents, intake, settlement, others)
                return done.result(path, digest)


def _of_other_projects(intake: Intake, path: Path, project: str) -> dict[int, str]:
    """Why runs of other projects are not taken; an error where the file holds no other."""
    others = {n: run.project for n, run in intake.runs.items() if run.project != project}
    if others and len(others) == len(intake.runs):
        raise ConfigurationError(
            f"the runs in the file are of the project `{min(others.values())}`, "
            f"and this is `{project}`",
            where=str(path),
            fix="import it in its own project",
        )
    return {
        number: f"it is one of the project `{name}`, and this is `{project}`"
        for number, name in others.items()
    }


class _Import:
    """One import, inside of its transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        documents: Documents,
        intake: Intake,
        settlement: Settlement,
        others: Mapping[int, str],
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._intake = intake
        self._settlement = settlement
        self._others = others

    def result(self, path: Path, digest: bytes) -> CacheImport:
        """Take everything over; what was taken and what was not."""
        for statement in _TABLES:
            self._connection.execute(statement)
        self._connection.execute(_INCOMING)
        runs = self._intake.runs
        own = {n: run for n, run in runs.items() if n not in self._others}
        there = self._runs_there(own)
        taken = {n: run for n, run in own.items() if n not in there}
        mistaken = {n for n, run in runs.items() if run.system in self._settlement.refused}
        self._leave(self._others)
        refused = self._refuse_results(mistaken)
        results_there = self._change(
            "DELETE FROM temp.incoming "
            "WHERE EXISTS (SELECT 1 FROM main.results WHERE key = incoming.key)"
        )
        numbers = there | self._fresh_numbers(taken, there)
        objects = self._copy_objects(own)
        for number, run in taken.items():
            self._add_run(run, numbers, may_be_taken_over=number not in mistaken)
        self._connection.executemany("INSERT INTO temp.numbers VALUES (?, ?)", numbers.items())
        results = self._change(_RESULTS)
        self._add_notes()
        return CacheImport(
            file=str(path),
            digest=digest.hex(),
            runs=[self._told(n, there, taken, numbers) for n in runs],
            results=results,
            results_there=results_there,
            results_refused=refused,
            objects=objects,
        )

    # -- what does not go along -----------------------------------------------------------------

    def _runs_there(self, whole: Mapping[int, IncomingRun]) -> dict[int, int]:
        """The runs that this store has already, with their numbers here."""
        there: dict[int, int] = {}
        for number, run in whole.items():
            for here, manifest, summary in self._connection.execute(
                "SELECT id, manifest, summary FROM main.runs WHERE started_at = ? ORDER BY id",
                (run.started_at,),
            ).fetchall():
                parts = parts_of(self._connection, here, manifest, summary)
                if (
                    here not in there.values()
                    and (manifest, parts.chunks) == (run.parts.manifest, run.parts.chunks)
                    and self._counts("main", summary) == self._counts(SOURCE, run.parts.summary)
                ):
                    there[number] = here
                    break
        return there

    def _counts(self, schema: str, summary: bytes | None) -> bytes | None:
        """What a run counted, whatever the numbers of other runs are."""
        data = None if summary is None else read_object(self._connection, summary, schema)
        return None if data is None else self._documents.renumbered(data, {})

    def _refuse_results(self, mistaken: set[int]) -> int:
        """Leave out results that are something else here; how many."""
        if mistaken:  # which system a run had that is not in the file is not known
            mistaken = mistaken | (self._makers() - self._intake.runs.keys())
        return self._leave(mistaken)

    def _leave(self, runs: Iterable[int]) -> int:
        made = ", ".join(map(str, runs))
        return self._change(f"DELETE FROM temp.incoming WHERE run IN ({made})")

    def _makers(self) -> set[int]:
        query = "SELECT DISTINCT run FROM temp.incoming"
        return {number for (number,) in self._connection.execute(query)}

    # -- what does ------------------------------------------------------------------------------

    def _fresh_numbers(
        self, taken: Mapping[int, IncomingRun], there: Mapping[int, int]
    ) -> dict[int, int]:
        """Numbers for the runs that are taken, and for those that are only spoken of.

        The latter are given to no run: nothing that a later run does can be put down to them.
        """
        needed = set(taken).union(self._makers(), *(run.named for run in taken.values()))
        query = "SELECT seq FROM main.sqlite_sequence WHERE name = 'runs'"
        found = self._connection.execute(query).fetchone()
        last = found[0] if found else 0
        fresh = sorted(needed - there.keys())
        if found is None:
            self._connection.execute("INSERT INTO main.sqlite_sequence VALUES ('runs', 0)")
        self._connection.execute(
            "UPDATE main.sqlite_sequence SET seq = ? WHERE name = 'runs'", (last + len(fresh),)
        )
        return {number: here for here, number in enumerate(fresh, start=last + 1)}

    def _copy_objects(self, runs: Iterable[int]) -> int:
        """Copy what runs and the results that are taken refer to, where it is not there whole.

        Also of runs that are there: part of them may be damaged by now.
        """
        self._connection.executemany("INSERT INTO temp.chosen VALUES (?)", ((n,) for n in runs))
        self._connection.execute(_WANTED)
        return self._change(_COPY)

    def _add_run(
        self, run: IncomingRun, numbers: Mapping[int, int], *, may_be_taken_over: bool
    ) -> None:
        here, parts, summary = numbers[run.parts.number], run.parts, None
        if parts.summary is not None:
            data = read_object(self._connection, parts.summary, SOURCE)
            assert data is not None  # it was checked
            summary = self._put(self._documents.renumbered(data, numbers))
        self._connection.execute(
            "INSERT INTO main.runs (id, started_at, status, process, manifest, inputs, summary) "
            "VALUES (?, ?, ?, '', ?, ?, ?)",
            (
                here,
                run.started_at,
                run.status,
                parts.manifest,
                run.inputs if may_be_taken_over else b"",
                summary,
            ),
        )
        self._connection.executemany(
            "INSERT INTO main.chunks (run, number, object, seal) VALUES (?, ?, ?, ?)",
            ((here, at, digest, seal(here, at, digest)) for at, digest in enumerate(parts.chunks)),
        )

    def _add_notes(self) -> None:
        for name, value in self._settlement.notes.items():
            self._connection.execute(
                "INSERT OR REPLACE INTO main.notes (name, object) VALUES (?, ?)",
                (name, self._put(encode(value))),
            )

    def _put(self, data: bytes) -> bytes:
        row = pack(data)
        self._connection.execute(
            "INSERT OR REPLACE INTO main.objects (digest, codec, data) VALUES (?, ?, ?)", row
        )
        return row[0]

    def _change(self, statement: str) -> int:
        return self._connection.execute(statement).rowcount

    def _told(
        self,
        number: int,
        there: Mapping[int, int],
        taken: Mapping[int, IncomingRun],
        numbers: Mapping[int, int],
    ) -> ImportedRun:
        if number in taken:
            return ImportedRun(run_there=number, run=numbers[number], status="taken")
        if number in there:
            return ImportedRun(run_there=number, run=there[number], status="there")
        reason = self._others[number]
        return ImportedRun(run_there=number, run=None, status="refused", reason=reason)
