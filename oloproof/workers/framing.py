"""Frames on a pipe: one byte of kind, two lengths of four bytes, then a header and a body.

The header is JSON that this program wrote; the body is raw bytes that need no second
encoding on their way (a state, a piece of evidence).
"""

from __future__ import annotations

import os
import struct
from typing import Any, Final, NamedTuple

import orjson

_LEAD = struct.Struct("<cII")
READ_SIZE: Final = 1 << 18
LARGEST_FRAME_BYTES: Final = 1 << 30
"""More than evidence can have: a longer frame is somebody else's bytes."""


class GarbledError(Exception):
    """What came out of a pipe is not what this program put in."""


class Frame(NamedTuple):
    """One message between parent and worker; `kind` is a capital letter."""

    kind: bytes
    header: Any
    body: bytes


def pack(kind: bytes, header: Any, body: bytes = b"") -> bytes:
    """The bytes of one frame."""
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

    @property
    def coming(self) -> bytes | None:
        """The kind of the frame of which a part is there; None between frames."""
        return bytes(self._buffer[:1]) or None

    def feed(self, data: bytes) -> list[Frame]:
        """Take `data` in and give every frame that is now whole.

        Raises `GarbledError` once the bytes can no longer be frames.
        """
        buffer = self._buffer
        buffer += data
        frames: list[Frame] = []
        position = 0
        with memoryview(buffer) as view:
            while len(view) - position >= _LEAD.size:
                kind, head_size, body_size = _LEAD.unpack_from(view, position)
                if not b"A" <= kind <= b"Z" or head_size + body_size > LARGEST_FRAME_BYTES:
                    raise GarbledError
                start = position + _LEAD.size
                middle = start + head_size
                end = middle + body_size
                if len(view) < end:
                    break
                frames.append(Frame(kind, _header(view[start:middle]), bytes(view[middle:end])))
                position = end
        del buffer[:position]
        return frames


def _header(data: memoryview) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        raise GarbledError from None
