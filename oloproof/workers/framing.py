"""Frames on a pipe: one byte of kind, four bytes of length, then a header and a body.

The header is JSON that this program wrote; the body is raw bytes that need no second
encoding on their way (a state, a piece of evidence).
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAD = struct.Struct("<cII")
READ_SIZE = 1 << 18


class Frame(NamedTuple):
    """One message between parent and worker."""

    kind: bytes
    header: Any
    body: bytes


def pack(kind: bytes, header: Any, body: bytes = b"") -> bytes:
    """The bytes of one frame; `kind` is a single byte."""
    head = orjson.dumps(header)
    return b"".join((_LEAD.pack(kind, len(head), len(body)), head, body))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`, however often the descriptor takes only a part."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


class FrameReader:
    """Frames out of bytes that arrive in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take `data` in and give every frame that is now whole."""
        buffer = self._buffer
        buffer += data
        position, lead = 0, _LEAD.size
        while len(buffer) - position >= lead:
            kind, head_size, body_size = _LEAD.unpack_from(buffer, position)
            start = position + lead
            end = start + head_size + body_size
            if len(buffer) < end:
                break
            head = bytes(buffer[start : start + head_size])
            yield Frame(kind, orjson.loads(head), bytes(buffer[start + head_size : end]))
            position = end
        if position:
            del buffer[:position]
