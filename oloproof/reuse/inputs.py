"""The digest of everything that the rows of a run follow from."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError
from oloproof.evaluation.registry import kept_options
from oloproof.reuse.notes import DATASET
from oloproof.suites.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.reuse.fingerprint import Fingerprint
    from oloproof.store.database import Store
    from oloproof.suites.suite import Suite


def inputs_digest(suite: Suite, fingerprint: Fingerprint, dataset_digest: str) -> bytes:
    """The digest over the suite, the dataset, the system and what judges it, 32 bytes.

    Neither the policy nor the labels belong to it: they decide, and make no row.
    """
    # What stands in files beside the suite belongs to it as what stands in it does.
    lines: list[JsonValue] = [kept_options(line) for line in suite.evaluators]
    parts: list[JsonValue] = [
        *(fingerprint.digest().hex(), suite.digest, dataset_digest),
        *(kept for kept, line in zip(lines, suite.evaluators, strict=True) if kept != line.options),
    ]
    return sha256(encode(parts)).digest()


def present_inputs(suite: Suite, fingerprint: Fingerprint, store: Store) -> bytes | None:
    """The digest of the inputs as they are now, by the bytes of the files alone.

    None where no run has looked through the dataset yet (which state files belong to it is
    known only then), and where a file is gone: a run says whether it is missed.
    """
    files: Iterable[str] | None = store.note(_note(suite))
    if files is None:
        return None
    try:
        found = Dataset(suite.dataset, suite.root).digest(files)
    except ConfigurationError:
        return None
    return inputs_digest(suite, fingerprint, found)


def remember_files(suite: Suite, store: Store, files: tuple[str, ...]) -> None:
    """Keep which state files belong to the dataset."""
    store.set_note(_note(suite), list(files))


def _note(suite: Suite) -> str:
    # Relative: it holds wherever the project lies, and goes along with exported runs.
    return f"{DATASET}{os.path.relpath(suite.dataset, suite.root)}"
