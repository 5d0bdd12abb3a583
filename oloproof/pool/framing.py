"""Frames on a pipe: a kind, a slot, two lengths of four bytes, then a header and a body.

The header is JSON that this program wrote; the body is raw bytes that need no second
encoding on their way (a state, a piece of evidence). The slot says which of the jobs that
a worker does at once a frame belongs to.
"""

from __future__ import annotations

import os
import struct
from typing import Any, Final, NamedTuple

import orjson

OPEN: Final = b"O"
JOB: Final = b"J"
DONE: Final = b"D"
MARK: Final = b"M"
"""A sign of life: the clock starts again, `header` more seconds are allowed."""
SLOTS: Final = b"S"
"""Before anything else: the worker does as many jobs at once as `header` says."""

BROKEN_EXIT: Final = 71
"""How a worker exits whose pipes were closed or replaced, and what one is taken for that sent
something else than frames: its job broke it."""

MOST_SLOTS: Final = 255
_LEAD = struct.Struct("<cBII")
READ_SIZE: Final = 1 << 18
LARGEST_FRAME_BYTES: Final = 1 << 30
"""More than evidence can have: a longer frame is somebody else's bytes."""


class Frame(NamedTuple):
    """One message between parent and worker; `kind` is a capital letter."""

    kind: bytes
    header: Any
    body: bytes
    slot: int = 0


def pack(kind: bytes, header: Any, body: bytes = b"", slot: int = 0) -> bytes:
    """The bytes of one frame."""
    head = orjson.dumps(header)
    return b"".join((_LEAD.pack(kind, slot, len(head), len(body)), head, body))


def at_slot(frame: bytes, slot: int) -> bytes:
    """A packed frame as one of another slot."""
    return frame if frame[1] == slot else b"".join((frame[:1], bytes((slot,)), frame[2:]))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`, however often the descriptor takes only a part."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


class FrameReader:
    """Frames out of bytes that arrive in pieces.

    `garbled` says that what came last can be no frame: this program did not write it.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.garbled = False

    @property
    def coming(self) -> int | None:
        """The slot of the frame of which a part is there; None between frames."""
        return self._buffer[1] if len(self._buffer) > 1 else None

    def feed(self, data: bytes) -> list[Frame]:
        """Take `data` in and give every frame that is now whole."""
        buffer = self._buffer
        buffer += data
        frames: list[Frame] = []
        position = 0
        with memoryview(buffer) as view:
            while len(view) - position >= _LEAD.size and not self.garbled:
                kind, slot, head_size, body_size = _LEAD.unpack_from(view, position)
                start = position + _LEAD.size
                middle = start + head_size
                end = middle + body_size
                if not b"A" <= kind <= b"Z" or end - start > LARGEST_FRAME_BYTES:
                    self.garbled = True
                elif len(view) < end:
                    break
                else:
                    try:
                        header = orjson.loads(view[start:middle])
                    except orjson.JSONDecodeError:
                        self.garbled = True
                    else:
                        frames.append(Frame(kind, header, bytes(view[middle:end]), slot))
                    position = end
        del buffer[:position]
        return frames
