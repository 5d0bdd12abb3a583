"""Finds a stored run and what was kept of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.database import Store
from oloproof.workflows.project import STORE_FOLDER, find_project
from oloproof.workflows.reports import RunRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oloproof.store.database import RunRow

Warn: TypeAlias = "Callable[[str], None]"
"""Hears of damage that was met in the store, one sentence at a time."""


def in_silence(_: str) -> None:
    """Say nothing of a warning."""


NO_SUMMARY = {
    "asked": 0,
    "cases": 0,
    "copies": 0,
    "outcomes": {},
    "replays": 0,
    "tallies": {},
    "slices": [],
    "pairs": {},
    "reused": [],
    "executed": 0,
    "replayed": 0,
    "not_reusable": 0,
    "notices": [],
    "standing": [],
    "tried_again": [],
    "retried": 0,
    "duration_s": 0.0,
}
"""What is known of a run that was killed before it could count."""


@contextmanager
def open_store(folder: Path, warn: Warn) -> Iterator[tuple[Path, Store]]:
    """The root of the project around `folder`, and its store; `warn` hears of damage in it."""
    root = find_project(folder)
    with Store(root / STORE_FOLDER, on_warning=warn, create=False) as store:
        yield root, store


def find_run(store: Store, name: str) -> RunRow:
    """The run that `name` means: its number, or `latest`."""
    rows = store.runs()
    if not rows:
        raise ConfigurationError(
            "nothing has been run in this project yet", mend="run it first: `oloproof run`"
        )
    if name == "latest":
        return rows[0]
    for row in rows:
        if str(row.id) == name.lstrip("#"):
            return row
    raise ConfigurationError(
        f"there is no run `{name}`",
        mend=f"the latest of {len(rows)} is {rows[0].id}; `oloproof runs` lists them",
    )


def read_run(store: Store, row: RunRow) -> RunRecord:
    """What was kept of a run; `StoreError` when that is damaged."""
    manifest = store.get_json(row.manifest)
    summary = NO_SUMMARY if row.summary is None else store.get_json(row.summary)
    if manifest is None or summary is None:
        raise StoreError(
            f"what was kept of run {row.id} is damaged: it can decide nothing",
            where=str(store.path),
            mend="run again: what is whole is reused, what is damaged is made anew",
        )
    return RunRecord(row.id, row.status, row.started_at, manifest, summary)
