"""Chooses runs together with everything that they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.store.checking import SEALED
from oloproof.store.objects import know_seals
from oloproof.store.references import References, parts_of, read_object

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from oloproof.store.database import RunRow
    from oloproof.store.references import Documents, RunParts


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs, oldest first, and the references of them and of their results."""

    runs: tuple[RunParts, ...]
    references: References


def select(
    connection: sqlite3.Connection,
    documents: Documents,
    chosen: Sequence[RunRow],
    others: Sequence[RunRow],
) -> Selection:
    """The chosen runs, and those of `others` (newest first) that must not be parted from them.

    These are marked runs whose results the chosen ones rest on: without them no gate could
    say any more that failed cases were tried again.
    """
    know_seals(connection)
    references = References(connection, documents)
    runs = [_taken(connection, references, row) for row in chosen]
    references.follow()
    for row in others:
        if _is_marked(connection, documents, row) and _is_rested_on(connection, row):
            runs.append(_taken(connection, references, row))
            references.follow()
    references.add_results(f"run IN ({numbers_of(runs)}) AND {SEALED}")
    return Selection(tuple(sorted(runs, key=lambda run: run.number)), references)


def _taken(connection: sqlite3.Connection, references: References, row: RunRow) -> RunParts:
    run = parts_of(connection, row.id, row.manifest, row.summary)
    references.add_run(run)
    return run


def _is_marked(connection: sqlite3.Connection, documents: Documents, row: RunRow) -> bool:
    manifest = read_object(connection, row.manifest)
    try:
        return manifest is not None and documents.is_marked(manifest)
    except ValueError:
        return False


def _is_rested_on(connection: sqlite3.Connection, row: RunRow) -> bool:
    query = (
        "SELECT EXISTS (SELECT 1 FROM main.results AS r WHERE run = ? AND EXISTS "
        "(SELECT 1 FROM temp.refs WHERE digest = r.object))"
    )
    return bool(connection.execute(query, (row.id,)).fetchone()[0])


def numbers_of(runs: Sequence[RunParts]) -> str:
    """The numbers of runs, for SQL."""
    return ", ".join(str(run.number) for run in runs)
