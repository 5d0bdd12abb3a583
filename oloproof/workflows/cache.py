"""`oloproof cache`: the store as a whole, what it holds, and whether that is whole."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from oloproof.canonical import decode, encode
from oloproof.engine.project import STORE_FOLDER, find_project, load_suite_of
from oloproof.errors import DamagedStoreError, StoreError
from oloproof.records.store_report import (
    CacheCheck,
    CacheExport,
    CacheFile,
    CacheImport,
    CacheList,
    CachePrune,
    CacheRun,
    CheckedKind,
)
from oloproof.reuse.notes import notes_of, settle
from oloproof.store.checking import StoreCheck, check_store
from oloproof.store.database import Store
from oloproof.store.exchange import check_export
from oloproof.store.exporting import export
from oloproof.store.importing import import_runs
from oloproof.store.inventory import take_inventory
from oloproof.store.opening import FILE
from oloproof.store.pruning import prune
from oloproof.views.stored import DAMAGE, Warn, find_run, in_silence, open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from oloproof.records.report import RunStatus
    from oloproof.store.checking import KindCheck
    from oloproof.store.inventory import Beside
    from oloproof.store.references import Kind


class RunDocuments:
    """Reads manifests, summaries, rows and case documents as `run` writes them."""

    def references(self, kind: Kind, data: bytes) -> Iterator[tuple[Kind, bytes]]:
        """The objects that a document refers to."""
        if kind == "case" and b'"state_object":' not in data:
            return  # most cases keep their state in the document
        with _understood():
            value: Any = decode(data)
            match kind:
                case "summary":
                    for digest in value["pairs"].values():
                        yield "pairs", bytes.fromhex(digest)
                case "rows":
                    for row in value:
                        yield from _of_row(row)
                case "case" if "state_object" in value:
                    yield "state", bytes.fromhex(value["state_object"])

    def cases(self, summary: bytes) -> int:
        """How many rows a run has."""
        with _understood():
            return int(_object(summary)["cases"])

    def runs_named(self, summary: bytes) -> set[int]:
        """The runs that results were reused from, and those that tried failed cases again."""
        with _understood():
            value = _object(summary)
            return {int(line[0]) for line in value["reused"]} | set(map(int, value["tried_again"]))

    def renumbered(self, summary: bytes, numbers: Mapping[int, int]) -> bytes:
        """A summary in which runs have other numbers; one that has none is left out."""
        with _understood():
            value = _object(summary)
            reused = [[numbers[n], *rest] for n, *rest in value["reused"] if n in numbers]
            again = [numbers[n] for n in value["tried_again"] if n in numbers]
            return encode(value | {"reused": reused, "tried_again": again})

    def is_marked(self, manifest: bytes) -> bool:
        """Whether a run tried failed cases again, which every gate on its results says."""
        with _understood():
            return bool(_object(manifest)["rerun_failed"])

    def project(self, manifest: bytes) -> str:
        """The project that was run."""
        with _understood():
            return str(_object(manifest)["project"])

    def system(self, manifest: bytes) -> str:
        """The source digest of the system that was run."""
        with _understood():
            return str(_object(manifest)["system"]["source_digest"])


def _of_row(row: Any) -> Iterator[tuple[Kind, bytes]]:
    yield "case", bytes.fromhex(row["case"])
    for _transform, _replicate, evidence, _status, _codes, replays, *_ in row["units"]:
        yield "evidence", bytes.fromhex(evidence)
        for _step, _fault, replay in replays:
            yield "replay", bytes.fromhex(replay)


def _object(data: bytes) -> dict[str, Any]:
    value: Any = decode(data)
    if not isinstance(value, dict):
        raise ValueError("a document is no object")
    return value


@contextmanager
def _understood() -> Iterator[None]:
    """A document of another version may be whole and still not what it is read as."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"a document cannot be understood: {error}") from error


KEEP_RUNS: Final = 10
"""How many runs `prune` keeps where nothing else is said."""

PATH: Final = f"{STORE_FOLDER}/{FILE}"
DOCUMENTS: Final = RunDocuments()


def list_cache(folder: Path, *, warn: Warn = in_silence) -> CacheList:
    """What the store holds; nothing is checked."""
    with open_store(folder, warn) as (root, store):
        found = take_inventory(store, DOCUMENTS)

        def named(files: Iterable[Beside]) -> list[CacheFile]:
            return [
                CacheFile(name=file.path.relative_to(root).as_posix(), size_bytes=file.size_bytes)
                for file in files
            ]

        return CacheList(
            path=PATH,
            size_bytes=found.size_bytes,
            unused_bytes=found.unused_bytes,
            objects=found.objects,
            results=found.results,
            runs=[
                CacheRun(
                    run=run.row.id,
                    started_at=run.row.started_at,
                    status=cast("RunStatus", run.row.status),
                    cases=run.cases,
                    results=run.results,
                    size_bytes=run.size_bytes,
                )
                for run in found.runs
            ],
            journals=named(found.journals),
            set_aside=named(found.aside),
        )


def verify_cache(folder: Path, *, warn: Warn = in_silence) -> CacheCheck:
    """Whether everything in the store is there and whole.

    Where it is not, the next run looks at every case instead of taking an earlier run over.
    """
    made_anew: list[str] = []
    try:
        with open_store(folder, warn) as (_, store):
            found = check_store(store, DOCUMENTS)
            if not found.whole:
                made_anew = [*_remedies(found), *_see_to_it(store, found)]
    except DamagedStoreError as error:
        found = StoreCheck(problems=(error.what,))
        made_anew = ["The next `oloproof run` sets the file aside and begins afresh."]
    return CacheCheck(
        path=PATH,
        whole=found.whole,
        objects=found.objects,
        kinds=[_kind(one) for one in found.kinds],
        runs=list(found.runs),
        problems=list(found.problems),
        made_anew=made_anew,
    )


def _kind(one: KindCheck) -> CheckedKind:
    return CheckedKind.model_validate(
        {
            "kind": one.kind,
            "checked": one.checked,
            "damaged": one.damaged,
            "missing": one.missing,
        }
    )


_REMEDIES: Final = (
    (
        {"evidence", "replay", "result"},
        "The next `oloproof run` executes and replays again what it needs of this evidence.",
    ),
    (
        {"manifest", "rows", "pairs", "case", "state"},
        "The next `oloproof run` writes again what its own cases need of these documents.",
    ),
    (
        {"run", "summary"},
        "A run whose entry or counts are lost decides nothing any more; the next one counts again.",
    ),
    ({"note"}, "What a note said is found out again by the next `oloproof run`."),
    (
        {"unreferenced"},
        "Nothing refers to some of what is damaged; `oloproof cache prune` drops that.",
    ),
)


def _remedies(found: StoreCheck) -> Iterator[str]:
    """What becomes of what is not whole."""
    if found.problems:
        yield (
            "The file itself is damaged: move it away to begin afresh; what it alone holds is "
            "lost, but for what `oloproof cache export` may still read."
        )
        return
    hurt = {one.kind for one in found.kinds if one.damaged or one.missing}
    for kinds, sentence in _REMEDIES:
        if kinds & hurt:
            yield sentence
    if found.runs and hurt - {"note", "unreferenced"}:
        yield (
            "What belongs to earlier runs alone stays as it is until `oloproof cache prune` "
            "drops them."
        )


def _see_to_it(store: Store, found: StoreCheck) -> Iterator[str]:
    """Let the next run make again what it needs; a sentence where that could not be done."""
    try:
        store.set_note(DAMAGE, "found by `oloproof cache verify`")
    except StoreError:
        if found.problems:
            return
        yield (
            "The store cannot be written to now: verify it again where it can be, or a run over "
            "unchanged files takes over what is damaged as it is."
        )


def prune_cache(
    folder: Path, *, keep_runs: int = KEEP_RUNS, dry_run: bool = False, warn: Warn = in_silence
) -> CachePrune:
    """Keep the newest runs and what they rest on, and drop everything else."""
    with open_store(folder, warn) as (_, store):
        return prune(store, DOCUMENTS, keep=keep_runs, dry_run=dry_run, path=PATH)


def export_cache(
    folder: Path, file: Path, *, run: str | None = None, warn: Warn = in_silence
) -> CacheExport:
    """Write one run, or all that have ended, with everything they rest on to a new file."""
    with open_store(folder, warn) as (_, store):
        return export(
            store,
            file,
            DOCUMENTS,
            number=None if run is None else find_run(store, run).id,
            notes=lambda runs: notes_of(store, runs),
        )


def import_cache(folder: Path, file: Path, *, warn: Warn = in_silence) -> CacheImport:
    """Take over from a file what is not known yet; all of it at once, or nothing."""
    root = find_project(folder)
    project = load_suite_of(root).project
    digest = check_export(file)  # a file that is no export leaves no store behind
    with Store(root / STORE_FOLDER, on_warning=warn) as store:
        return import_runs(
            store,
            file,
            digest,
            DOCUMENTS,
            project=project,
            settle=lambda notes: settle(store, notes),
        )
