"""What workers have finished, written down before the run takes it over.

A run commits its results in batches. Each worker appends every result to a journal of its
own first, so that a run that is killed loses nothing that was finished: the next run takes
the journals over. A journal is removed once everything in it has been committed.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from oloproof.store.descriptors import identity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER: Final = "journal"
_LEAD: Final = struct.Struct("<III")
_NAME: Final = re.compile(r"([0-9]+)-([0-9]+)-[0-9]+-[0-9]+\.journal")


class Entry(NamedTuple):
    """One finished piece of work: what it is, and its evidence."""

    header: Any
    body: bytes


class JournalWriter:
    """The journals of one slot of a worker; `begin` says which its next results go to."""

    def __init__(self, folder: Path, run: int, slot: int = 0) -> None:
        self._folder = folder
        self._run = run
        self._slot = slot
        self._part: int | None = None
        self._file = -1
        self._opened: tuple[int, int] | None = None

    def begin(self, part: int) -> None:
        """Write to the journal of `part` from now on."""
        if part != self._part:
            self.close()
            self._part = part

    def write(self, header: Any, body: bytes) -> None:
        """Append one entry, whole or not at all as far as any reader is concerned.

        Raises `OSError` where that is not possible; nothing may be written after that.
        """
        assert self._part is not None
        head = orjson.dumps(header)
        check = zlib.crc32(body, zlib.crc32(head))
        data = b"".join((_LEAD.pack(check, len(head), len(body)), head, body))
        if identity(self._file) != self._opened:
            # The system closed it, and may have opened a file of its own under its number.
            self._file = -1
        if self._file < 0:
            self._open(self._folder / _name(self._run, self._part, os.getpid(), self._slot))
        while data:
            data = data[os.write(self._file, data) :]

    def close(self) -> None:
        """Close the journal that is open."""
        if identity(self._file) == self._opened is not None:
            os.close(self._file)
        self._file, self._opened = -1, None

    def _open(self, path: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._opened = identity(self._file)


def read_journal(path: Path) -> Iterator[Entry]:
    """The entries of a journal up to the first that is not whole."""
    data = path.read_bytes()
    position = 0
    while len(data) - position >= _LEAD.size:
        check, head_size, body_size = _LEAD.unpack_from(data, position)
        middle = position + _LEAD.size + head_size
        end = middle + body_size
        head, body = data[position + _LEAD.size : middle], data[middle:end]
        if len(data) < end or check != zlib.crc32(body, zlib.crc32(head)):
            return
        yield Entry(orjson.loads(head), body)
        position = end


def journals(folder: Path) -> dict[int, list[Path]]:
    """The journals in `folder` by the run they belong to, each run's oldest part first."""
    found: dict[int, list[tuple[int, Path]]] = {}
    with contextlib.suppress(FileNotFoundError):
        for path in folder.iterdir():
            named = _NAME.fullmatch(path.name)
            if named is not None:
                run, part = int(named[1]), int(named[2])
                found.setdefault(run, []).append((part, path))
    return {run: [path for _, path in sorted(parts)] for run, parts in found.items()}


def remove_part(folder: Path, run: int, part: int) -> None:
    """Remove the journals of one part of a run, whichever worker wrote them."""
    for path in folder.glob(f"{run}-{part}-*.journal"):
        path.unlink(missing_ok=True)


def remove_journals(folder: Path, run: int) -> None:
    """Remove all journals of a run."""
    for path in folder.glob(f"{run}-*.journal"):
        path.unlink(missing_ok=True)


def _name(run: int, part: int, process: int, slot: int) -> str:
    return f"{run}-{part}-{process}-{slot}.journal"
