"""A system that ran elsewhere: what was recorded of it, an object a case and replicate.

Where each recording stands is all that is kept of a file, however large it is.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.errors import ConfigurationError, suggest
from oloproof.suites.case_files import open_cases
from oloproof.suites.faulty import FaultyCaseError
from oloproof.suites.files import cannot_read
from oloproof.suites.located import parse_bytes
from oloproof.suites.recording_fields import RecordedCase, read_name, read_recording

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case

WHAT: Final = "the file of recordings"


class Entry(NamedTuple):
    """Where a recording stands: which of the file it is, its line, and its bytes."""

    position: int
    line: int
    offset: int
    size: int


class Recordings:
    """The recordings in the file at `path`, by the id of a case (or of a copy) and replicate.

    Whatever is wrong with one raises `ConfigurationError` with file, line and field.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open_cases(path, WHAT, "recordings")
        self._entries: dict[tuple[str, int], Entry] = {}

    def scan(self, replicates: int) -> None:
        """Find every recording; no case may have more of them than `replicates`."""
        self._entries.clear()
        end = size = 0

        def see(data: bytes) -> None:
            nonlocal end, size
            size = len(data)
            end += size

        for position, line, raw in self._file.read(see=see):
            entry = Entry(position, line, end - size, size)
            try:
                name = read_name(raw, replicates)
                if name in self._entries:
                    raise _given_twice(name, self._entries[name])
            except FaultyCaseError as fault:
                raise self._refused(fault, entry, raw) from None
            self._entries[name] = entry

    def __len__(self) -> int:
        return len(self._entries)

    def holds(self, name: str, replicate: int) -> bool:
        """Whether there is a recording of a case."""
        return (name, replicate) in self._entries

    def digest(self, name: str, replicate: int) -> bytes:
        """The digest of a recording's bytes; of none where there is no recording."""
        entry = self._entries.get((name, replicate))
        return b"" if entry is None else hashlib.sha256(self._bytes(entry)).digest()

    def read(self, case: Case, replicate: int, name: str | None = None) -> RecordedCase | None:
        """The recording of a case, or of its copy `name`; None where there is none."""
        entry = self._entries.get((name or case.id, replicate))
        if entry is None:
            return None
        raw: Any = parse_bytes(self._bytes(entry), self.path, first_line=entry.line)
        document = functools.partial(self._file.document, entry.position, entry.line, raw)
        try:
            return read_recording(raw, case, document)
        except FaultyCaseError as fault:
            raise self._refused(fault, entry, raw) from None

    def refuse_strangers(self, known: Iterable[str]) -> None:
        """Raise for the first recording of a case that is not among the `known` ids."""
        names = set(known)
        for (name, _), entry in self._entries.items():
            if name not in names:
                fault = FaultyCaseError(
                    f"the dataset has no case `{name}`", ("case",), suggest(name, names)
                )
                raise self._refused(fault, entry, None)

    def _bytes(self, entry: Entry) -> bytes:
        return self._file.bytes_of(entry.position, entry.offset, entry.size)

    def _refused(self, fault: FaultyCaseError, entry: Entry, raw: JsonValue) -> ConfigurationError:
        document = self._file.document(entry.position, entry.line, raw)
        return ConfigurationError(fault.what, where=document.where(fault.place), fix=fault.fix)


def recordings_digest(path: Path) -> str:
    """SHA-256 over the bytes of a file of recordings, 64 hexadecimal digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise cannot_read(path, WHAT, error) from None


def _given_twice(name: tuple[str, int], first: Entry) -> FaultyCaseError:
    case, replicate = name
    return FaultyCaseError(
        f"case `{case}` is recorded twice as replicate {replicate}: first in line {first.line}",
        ("case",),
        "keep one of them, or number them by `replicate`",
    )
