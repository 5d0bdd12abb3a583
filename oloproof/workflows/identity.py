"""Which system a run is about: its name, its version, and the digest of its source.

The digest covers the files found by reading imports, and, where the last run saw further
modules of the project being loaded, those too as soon as they change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.systems.source import file_name, source_digest, source_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oloproof.store.database import Store
    from oloproof.suites.suite import Suite
    from oloproof.systems.recorded import Recordings


class Identity(NamedTuple):
    """The system as it enters every key; the source of one that ran elsewhere is its file."""

    name: str
    version: str
    source_digest: str


def identify(suite: Suite, store: Store) -> Identity:
    """The identity of the suite's system as its files are now."""
    if suite.recorded is not None:
        from oloproof.systems.recorded import recordings_digest  # not for a system that is run

        return _identity(suite, recordings_digest(suite.recorded))
    files = _read_files(suite)
    whole = source_digest(suite.root, files)
    seen = store.note(f"loaded {whole}") or {}
    now = {name: _digest_of(suite.root, name) for name in seen}
    if now != seen:
        present = [suite.root / name for name, found in now.items() if found is not None]
        whole = source_digest(suite.root, [*files, *sorted(present)])
    return _identity(suite, whole)


def _identity(suite: Suite, whole: str) -> Identity:
    version = suite.system.version
    return Identity(suite.system.name, whole[:12] if version == "auto" else version, whole)


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
    seen = store.note(f"loaded {whole}") or {}
    fresh = {n: _digest_of(suite.root, n) for n in loaded if n not in known and n not in seen}
    if fresh:
        store.set_note(f"loaded {whole}", seen | fresh)


def opening(suite: Suite, journal: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a worker is told of the system it is to load, and where it writes down results."""
    return {
        "journal": journal,
        "root": str(suite.root),
        "callable": suite.system.callable,
        "kind": suite.system.kind,
        "timeout_s": suite.system.timeout_s,
        "models": suite.system.models,
        "redact": list(suite.redact),
        "retries": {
            "attempts": suite.retries.attempts,
            "on": list(suite.retries.on),
            "wait_s": suite.retries.wait_s,
        },
    }


def _read_files(suite: Suite) -> list[Path]:
    assert suite.system.callable is not None  # it is run
    module = suite.system.callable.partition(":")[0]
    where = suite.where("system", "code_paths")
    return source_files(suite.root, module, suite.system.code_paths, where=where)


def _digest_of(root: Path, name: str) -> str | None:
    path = root / name
    return source_digest(root, [path]) if path.is_file() else None
