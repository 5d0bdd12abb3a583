"""How objects and rows are kept: compressed where that helps, checked whenever they are read."""

from __future__ import annotations

import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

PLAIN: Final = 0
ZLIB: Final = 1
COMPRESS_FROM_BYTES: Final = 1024
"""Smaller objects stay plain: compressing them saves less than it costs."""


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


def seal(*values: bytes | float | None) -> int:
    """A checksum over the values of a row: SQLite would give out a damaged one as it is."""
    return zlib.crc32(b",".join([v if type(v) is bytes else repr(v).encode() for v in values]))


def know_seals(connection: sqlite3.Connection) -> None:
    """Let SQL compute seals: `seal_of(...)`."""
    connection.create_function("seal_of", -1, seal, deterministic=True)
