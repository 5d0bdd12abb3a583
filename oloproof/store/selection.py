"""Chooses runs together with everything that they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.store.checking import SEALED
from oloproof.store.objects import know_seals
from oloproof.store.references import References, parts_of, read_object

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from oloproof.store.database import RunRow
    from oloproof.store.references import Documents, RunParts


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs, oldest first, and the references of them and of their results.

    `makers` are the runs whose results they rest on, themselves among them. It is not
    `complete` where one was killed before it could say whose results it reused.
    """

    runs: tuple[RunParts, ...]
    references: References
    makers: frozenset[int]
    complete: bool


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
    makers = {run.number for run in runs}.union(*(_named(connection, documents, r) for r in runs))
    complete = all(run.summary is not None for run in runs)
    for row in others:
        rested_on = row.id in makers if complete else _is_referred_to(connection, row)
        if rested_on and _is_marked(connection, documents, row):
            runs.append(_taken(connection, references, row))
            references.follow()
            makers |= {row.id} | _named(connection, documents, runs[-1])
    own = {run.number for run in runs}
    references.add_results(f"run IN ({_listed(own)}) AND {SEALED}")
    runs.sort(key=lambda run: run.number)
    return Selection(tuple(runs), references, frozenset(makers), complete)


def results_of(makers: Iterable[int] | None) -> str:
    """An SQL condition: a result is whole, selected runs refer to it, and one of these made it.

    Without `makers` it may be of any run: rows name evidence, to which others may have come
    too, under keys that no selected run has.
    """
    made = "" if makers is None else f"AND run IN ({_listed(makers)}) "
    return (
        f"({SEALED} {made}AND EXISTS (SELECT 1 FROM temp.refs WHERE digest = results.object) "
        "AND EXISTS (SELECT 1 FROM main.objects WHERE digest = results.object))"
    )


def _named(connection: sqlite3.Connection, documents: Documents, run: RunParts) -> set[int]:
    summary = None if run.summary is None else read_object(connection, run.summary)
    try:
        return set() if summary is None else documents.runs_named(summary)
    except ValueError:
        return set()


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


def _is_referred_to(connection: sqlite3.Connection, row: RunRow) -> bool:
    """Whether selected runs refer to evidence that this one came to."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM main.results AS r WHERE run = ? AND EXISTS "
        "(SELECT 1 FROM temp.refs WHERE digest = r.object))"
    )
    return bool(connection.execute(query, (row.id,)).fetchone()[0])


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
