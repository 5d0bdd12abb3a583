"""Finds a stored run, and reads what was kept of it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from oloproof.engine.project import STORE_FOLDER, find_project
from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oloproof.store.database import RunRow


class RunRecord(NamedTuple):
    """A stored run: its manifest (what was asked) and its summary (what was counted)."""

    number: int
    status: str
    started_at: str
    manifest: dict[str, Any]
    summary: dict[str, Any]


Warn: TypeAlias = "Callable[[str], None]"
"""Hears of damage that was met in the store, one sentence at a time."""


def in_silence(_: str) -> None:
    """Say nothing of a warning."""


DAMAGE: Final = "damage"
"""The note that says that something in the store was found damaged."""

NO_SUMMARY: Final = {
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
    """The root of the project around `folder`, and its store; `warn` hears of damage in it.

    Damage that was met is noted, so that the next run looks at every piece of evidence.
    """
    root = find_project(folder)
    met: list[str] = []

    def heard(text: str) -> None:
        met.append(text)
        warn(text)

    with Store(root / STORE_FOLDER, on_warning=heard, create=False) as store:
        try:
            yield root, store
        except StoreError as error:
            met.append(error.what)
            raise
        finally:
            if met:
                with suppress(StoreError):  # the folder may be read-only
                    store.set_note(DAMAGE, met[0])


def find_run(store: Store, name: str, *, where: str | None = None) -> RunRow:
    """The run that `name` means, its number or `latest`; `where` it was named."""
    rows = store.runs()
    if not rows:
        raise ConfigurationError(
            "nothing has been run in this project yet", fix="run it first: `oloproof run`"
        )
    if name == "latest":
        return rows[0]
    for row in rows:
        if str(row.id) == name.lstrip("#"):
            return row
    raise ConfigurationError(
        f"there is no run `{name}`",
        where=where,
        fix=f"the latest of {len(rows)} is {rows[0].id}; `oloproof runs` lists them",
    )


def read_run(store: Store, row: RunRow) -> RunRecord:
    """What was kept of a run; `StoreError` when that is damaged."""
    manifest = store.get_json(row.manifest)
    summary = NO_SUMMARY if row.summary is None else store.get_json(row.summary)
    if manifest is None or summary is None:
        raise StoreError(
            f"what was kept of run {row.id} is damaged: it can decide nothing",
            where=str(store.path),
            fix="run again: what is whole is reused, what is damaged is made again",
        )
    return RunRecord(row.id, row.status, row.started_at, manifest, summary)
