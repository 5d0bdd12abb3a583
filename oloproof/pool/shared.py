"""What a worker says on the way: memory that outlives its process.

Each slot has some that it shares with the parent. Writing to it costs a copy and no system
call, and neither a full pipe nor a closed descriptor keeps it from being read when the worker
hangs or dies. What a system wrote over it does not pass for what was said: a checksum tells.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import threading
import zlib
from typing import Final

from oloproof.errors import ConfigurationError

SIZE: Final = 1 << 26
"""Bytes that can be said of one job; what goes beyond is left out. Untouched ones cost nothing."""

_LEAD: Final = struct.Struct("<QQQQ")
"""Of which number, from where on, how many bytes, and their checksum."""


class Aside:
    """The worker's end: what is said of one thing at a time, by its number."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, SIZE)
        os.close(descriptor)
        self._lock = threading.Lock()
        self._number = self._length = self._check = 0
        self._start = _LEAD.size
        self.begin(0)

    def begin(self, number: int) -> None:
        """Say something of `number` from now on; what was said before is gone."""
        with self._lock:
            self._number = number
            self._forget()
            self._seal()

    def replace(self, data: bytes) -> None:
        """Say this instead of everything before."""
        with self._lock:
            start, end = self._start, self._start + self._length
            self._forget()
            # Beside what was said before, which stands until this is whole.
            if _LEAD.size + len(data) > start and end + len(data) <= SIZE:
                self._start = end
            self._add(data)

    def append(self, data: bytes) -> None:
        """Say this behind everything before."""
        with self._lock:
            self._add(data)

    def _forget(self) -> None:
        self._start, self._length = _LEAD.size, 0
        self._check = zlib.crc32(b"%d" % self._number)

    def _add(self, data: bytes) -> None:
        end = self._start + self._length
        if end + len(data) <= SIZE:
            self._memory[end : end + len(data)] = data
            self._length += len(data)
            self._check = zlib.crc32(data, self._check)
        # Last: of a process that dies in between, what it had said before is there.
        self._seal()

    def _seal(self) -> None:
        _LEAD.pack_into(self._memory, 0, self._number, self._start, self._length, self._check)


def open_aside() -> int:
    """A descriptor of fresh memory, for the worker to inherit and for the parent to read."""
    if not hasattr(os, "memfd_create"):
        raise ConfigurationError(
            f"systems are run on Linux alone, and this is {sys.platform}",
            fix="run in a Linux container or machine; stored runs can be read here",
        )
    descriptor = os.memfd_create("oloproof-aside", 0)
    os.ftruncate(descriptor, SIZE)
    return descriptor


def read_aside(descriptor: int) -> tuple[int, bytes]:
    """What was said last: of which number, and what; nothing where that cannot be told."""
    number, start, length, check = _LEAD.unpack(os.pread(descriptor, _LEAD.size, 0))
    if start + length > SIZE:
        return 0, b""
    data = bytearray()
    while part := os.pread(descriptor, length - len(data), start + len(data)):
        data += part
    whole = len(data) == length and zlib.crc32(data, zlib.crc32(b"%d" % number)) == check
    return (number, bytes(data)) if whole else (0, b"")
