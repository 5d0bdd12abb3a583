"""The fingerprint of a suite's system, as its files are now.

Its source digest covers the files found by reading imports, and, where the last run saw further
modules of the project being loaded, those too as soon as they change.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from oloproof.canonical import digest, encode
from oloproof.kinds import foreign_modules
from oloproof.reuse.fingerprint import Fingerprint, judging_version
from oloproof.reuse.notes import LOADED
from oloproof.systems.source import file_name, source_digest, source_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oloproof.store.database import Store
    from oloproof.suites.suite import Suite
    from oloproof.systems.recorded import Recordings


def fingerprint_of(suite: Suite, store: Store) -> Fingerprint:
    """The fingerprint of the suite's system, as its files and Oloproof are now."""
    common: dict[str, Any] = {
        "system": suite.system.name,
        "redact": digest(encode([*suite.redact])) if suite.redact else "",
        "models": suite.system.models,
        "ignore": suite.system.ignore,
        "generated_keys": suite.system.generated_keys,
        "judging": judging_version(),
        "own_kinds": _own_kinds(suite),
    }
    version = suite.system.version
    if suite.recorded is not None:
        from oloproof.systems.recorded import recordings_digest  # not for a system that is run

        # Each of its lines is known by itself: the file as a whole counts for verdicts alone.
        return Fingerprint(
            python="elsewhere",
            version=version,
            source="recorded",
            recordings=recordings_digest(suite.recorded),
            **common,
        )
    source = _source_of(suite, store)
    retries = suite.retries
    return Fingerprint(
        python=f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}",
        version=source[:12] if version == "auto" else version,
        source=source,
        object=suite.system.callable,
        kind=suite.system.kind,
        retries=(str(retries.attempts), *retries.on),  # one attempt, too, may meet an outage
        **common,
    )


def _own_kinds(suite: Suite) -> str:
    """The digest of the source of evaluators and transforms that are not ours."""
    types = [line.type for line in suite.evaluators]
    kinds = [name for spec in suite.transforms for name in spec.options]
    files: set[Path] = set()
    for module in foreign_modules(suite.root, types, kinds):
        files.update(source_files(suite.root, module, ()))
    return source_digest(suite.root, sorted(files)) if files else ""


def _source_of(suite: Suite, store: Store) -> str:
    files = _read_files(suite)
    whole = source_digest(suite.root, files)
    seen = store.note(LOADED + whole) or {}
    now = {name: _digest_of(suite.root, name) for name in seen}
    if now == seen:
        return whole
    present = [suite.root / name for name, found in now.items() if found is not None]
    return source_digest(suite.root, [*files, *sorted(present)])


def recordings_of(suite: Suite) -> Recordings | None:
    """What was recorded of the system elsewhere; None for one that is run."""
    if suite.recorded is None:
        return None
    from oloproof.systems.recorded import Recordings  # not for a system that is run

    return Recordings(suite.recorded)


def remember_loaded(store: Store, suite: Suite, loaded: Iterable[str]) -> None:
    """Keep which modules a run loaded that reading the imports had not found."""
    if suite.recorded is not None:
        return
    files = _read_files(suite)
    whole = source_digest(suite.root, files)
    known = {file_name(suite.root, path) for path in files}
    seen = store.note(LOADED + whole) or {}
    fresh = {n: _digest_of(suite.root, n) for n in loaded if n not in known and n not in seen}
    if fresh:
        store.set_note(LOADED + whole, seen | fresh)


def _read_files(suite: Suite) -> list[Path]:
    assert suite.system.callable is not None  # it is run
    module = suite.system.callable.partition(":")[0]
    where = suite.where("system", "code_paths")
    return source_files(suite.root, module, suite.system.code_paths, where=where)


def _digest_of(root: Path, name: str) -> str | None:
    path = root / name
    return source_digest(root, [path]) if path.is_file() else None
