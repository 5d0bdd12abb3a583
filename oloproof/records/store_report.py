"""What is reported of the store: its runs, and the work on its evidence as a whole."""

from __future__ import annotations

from typing import Literal

from oloproof.records.report import GateStatus, Report, RunStatus


class RunLine(Report):
    """One run in the list of runs."""

    run: int
    started_at: str
    status: RunStatus
    system: str
    version: str
    cases: int
    executed: int
    verdict: GateStatus | None = None


class RunList(Report):
    """The runs in the store, newest first."""

    runs: list[RunLine]


class CacheRun(Report):
    """One run in the store, with the results that it made itself and the size of their evidence.

    `cases` is null where what it counted is damaged.
    """

    run: int
    started_at: str
    status: RunStatus
    cases: int | None
    results: int
    size_bytes: int


class CacheFile(Report):
    """A file beside the store."""

    name: str
    size_bytes: int


class CacheList(Report):
    """What the store holds, its runs newest first; nothing of it was checked.

    `size_bytes` is the size on disk, `unused_bytes` the part of it that is free. The
    `journals` are taken over by the next run, the stores `set_aside` could not be read.
    """

    path: str
    size_bytes: int
    unused_bytes: int
    objects: int
    results: int
    runs: list[CacheRun]
    journals: list[CacheFile]
    set_aside: list[CacheFile]


class CheckedKind(Report):
    """How many there are of a kind, and how many of them are damaged or missing."""

    kind: Literal[
        "run",
        "manifest",
        "summary",
        "rows",
        "pairs",
        "case",
        "state",
        "evidence",
        "replay",
        "result",
        "note",
        "unreferenced",
    ]
    checked: int
    damaged: int
    missing: int


class CacheCheck(Report):
    """Whether the store is whole: every object, and all that refers to one.

    `problems` are those of the file itself, `runs` those of which something is not whole, and
    `made_anew` says in sentences what becomes of it.
    """

    path: str
    whole: bool
    objects: int
    kinds: list[CheckedKind]
    runs: list[int]
    problems: list[str]
    made_anew: list[str]


class CachePrune(Report):
    """What was dropped, or with `dry_run` would be.

    `kept_beyond` are older runs that tried failed cases again and on whose results kept ones
    rest. `object_bytes` is as stored; `not_smaller` says why the file could not be made
    smaller, and is null where it could.
    """

    path: str
    dry_run: bool
    kept: list[int]
    kept_beyond: list[int]
    dropped: list[int]
    results: int
    objects: int
    object_bytes: int
    size_before_bytes: int
    size_after_bytes: int
    not_smaller: str | None


class CacheExport(Report):
    """What was written to a file; `digest` stands for all of it.

    `added` are runs that tried failed cases again and on whose results the others rest,
    `left_out` runs that are damaged, `running` those that had not ended. `whole` is false
    where a run was left out or the evidence of `lost_results` is damaged.
    """

    file: str
    digest: str
    whole: bool
    size_bytes: int
    runs: list[int]
    added: list[int]
    left_out: list[int]
    running: list[int]
    results: int
    lost_results: int
    objects: int


class ImportedRun(Report):
    """One run of an export: its number there, its number here, and what became of it."""

    run_there: int
    run: int | None
    status: Literal["taken", "there", "refused"]
    reason: str | None = None


class CacheImport(Report):
    """What was taken from a file, which is whole: one that is not is refused.

    `results_there` were known already and stay as they are; `results_refused` were recorded
    with other modules than the same results here.
    """

    file: str
    digest: str
    runs: list[ImportedRun]
    results: int
    results_there: int
    results_refused: int
    objects: int
