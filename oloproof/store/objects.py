"""How objects and rows are kept: compressed where that helps, checked whenever they are read."""

from __future__ import annotations

import struct
import zlib
from hashlib import sha256
from typing import Final

PLAIN: Final = 0
ZLIB: Final = 1
COMPRESS_FROM_BYTES: Final = 1024
"""Smaller objects stay plain: compressing them saves less than it costs."""

_RESULT: Final = struct.Struct("<qd?d")
_CHUNK: Final = struct.Struct("<qq")


def pack(data: bytes) -> tuple[bytes, int, bytes]:
    """The digest, the codec and the stored bytes of an object."""
    digest = sha256(data).digest()
    if len(data) >= COMPRESS_FROM_BYTES:
        packed = zlib.compress(data, 1)
        if len(packed) < len(data) * 0.9:
            return digest, ZLIB, packed
    return digest, PLAIN, data


def unpack(digest: bytes, codec: int, stored: bytes) -> bytes | None:
    """The object, or None when what is stored is not what `digest` names."""
    if not isinstance(stored, bytes):
        return None  # SQLite gives whatever a damaged row says it holds
    try:
        data = zlib.decompress(stored) if codec == ZLIB else stored
    except zlib.error:
        return None
    return data if sha256(data).digest() == digest else None


def seal_result(
    key: bytes, digest: bytes, run: int, duration_s: float, limit_s: float | None
) -> int | None:
    """A checksum over what a row says: SQLite would give out a damaged one as it is.

    None where the values are of no kind that is ever written.
    """
    try:
        numbers = _RESULT.pack(run, duration_s, limit_s is None, limit_s or 0.0)
        return zlib.crc32(numbers, zlib.crc32(digest, zlib.crc32(key)))
    except (struct.error, TypeError):
        return None


def seal_chunk(run: int, number: int, digest: bytes) -> int | None:
    """The same for a part of a run's rows."""
    try:
        return zlib.crc32(digest, zlib.crc32(_CHUNK.pack(run, number)))
    except (struct.error, TypeError):
        return None
