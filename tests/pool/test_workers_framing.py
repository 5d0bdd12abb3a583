"""Frames on a pipe."""

from __future__ import annotations

import os
import struct
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.pool.framing import (
    LARGEST_FRAME_BYTES,
    Frame,
    FrameReader,
    at_slot,
    pack,
    write_all,
)

frames = st.lists(
    st.builds(
        Frame,
        st.sampled_from([b"A", b"M", b"Z"]),
        st.none() | st.integers(0, 9) | st.dictionaries(st.text(max_size=2), st.text(max_size=3)),
        st.binary(max_size=40),
        st.integers(0, 255),
    ),
    max_size=5,
)


def joined(sent: list[Frame]) -> bytes:
    return b"".join(pack(*frame) for frame in sent)


def fed(reader: FrameReader, *pieces: bytes) -> list[Frame]:
    return [frame for piece in pieces for frame in reader.feed(piece)]


class TestReading:
    @given(frames)
    def test_frames_come_out_as_they_went_in_at_every_split(self, sent: list[Frame]) -> None:
        """Wherever the bytes are cut in two, and when they come one by one."""
        data = joined(sent)
        for cut in range(len(data) + 1):
            assert sent == fed(FrameReader(), data[:cut], data[cut:])
        assert sent == fed(FrameReader(), *(data[i : i + 1] for i in range(len(data))))

    @given(frames, st.data())
    def test_frames_come_out_of_any_pieces(self, sent: list[Frame], data: st.DataObject) -> None:
        """However many pieces there are, empty ones among them."""
        whole = joined(sent)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
        pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
        reader = FrameReader()
        assert sent == fed(reader, *pieces)
        assert reader.coming is None

    def test_the_slot_of_a_frame_that_is_coming_is_known(self) -> None:
        """As soon as its first bytes are there, until it is whole."""
        reader = FrameReader()
        data = pack(b"E", {}, b"x" * 10, slot=7)
        assert reader.coming is None
        reader.feed(data[:2])
        assert 7 == reader.coming
        reader.feed(data[2:-1])
        assert 7 == reader.coming
        reader.feed(data[-1:])
        assert reader.coming is None

    @given(st.integers(0, 255), st.integers(0, 255))
    def test_a_packed_frame_can_go_to_another_slot(self, one: int, other: int) -> None:
        """It then is what it would have been, packed for that one."""
        assert pack(b"J", {"n": 1}, b"x", other) == at_slot(pack(b"J", {"n": 1}, b"x", one), other)

    @pytest.mark.parametrize(
        "data",
        [
            b"hello, this is no frame",
            struct.pack("<cBII", b"U", 0, 2, LARGEST_FRAME_BYTES),
            struct.pack("<cBII", b"U", 0, 2, 0) + b"{{",
            struct.pack("<cBII", b"\x00", 0, 2, 0) + b"{}",
        ],
    )
    def test_other_bytes_are_no_frames(self, data: bytes) -> None:
        """They are noticed, instead of waited on; the frames before them count."""
        reader = FrameReader()
        frame = Frame(b"U", {"n": 1}, b"body")
        assert [frame] == reader.feed(pack(*frame) + data)
        assert reader.garbled
        assert [] == reader.feed(pack(*frame))


class TestWriting:
    @pytest.mark.parametrize("size", [0, 10, 3_000_000])
    def test_a_frame_larger_than_the_pipe_arrives_whole(self, size: int) -> None:
        """A pipe takes it in parts."""
        outlet, inlet = os.pipe()
        body = os.urandom(size)

        def write() -> None:
            write_all(inlet, pack(b"U", {"n": 1}, body))
            os.close(inlet)

        writer = threading.Thread(target=write)
        writer.start()
        reader, got = FrameReader(), []
        while data := os.read(outlet, 1 << 16):
            got += reader.feed(data)
        writer.join()
        os.close(outlet)
        expected: list[Any] = [Frame(b"U", {"n": 1}, body)]
        assert expected == got
