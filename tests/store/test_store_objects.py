"""Objects: compressed where that helps, and never other than their digest says."""

from __future__ import annotations

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.store.objects import COMPRESS_FROM_BYTES, PLAIN, ZLIB, pack, unpack

data = st.binary(max_size=300) | st.builds(lambda b, n: b * n, st.binary(max_size=9), st.just(500))


class TestPacking:
    @given(data)
    def test_it_comes_back(self, value: bytes) -> None:
        """Plain or compressed."""
        digest, codec, stored = pack(value)
        assert hashlib.sha256(value).digest() == digest
        assert value == unpack(digest, codec, stored)

    def test_it_is_compressed_where_that_helps(self) -> None:
        """Not when it is small, and not when it gets hardly smaller."""
        assert PLAIN == pack(b"x" * (COMPRESS_FROM_BYTES - 1))[1]
        assert ZLIB == pack(b"x" * COMPRESS_FROM_BYTES)[1]
        assert PLAIN == pack(os.urandom(COMPRESS_FROM_BYTES))[1]

    @given(data, st.data())
    def test_whatever_is_damaged_is_noticed(self, value: bytes, drawn: st.DataObject) -> None:
        """A changed byte, a missing end, an added one: never other bytes than were kept."""
        digest, codec, stored = pack(value)
        damaged = drawn.draw(
            st.binary(max_size=20)
            | st.builds(lambda cut: stored[:cut], st.integers(0, len(stored)))
            | st.builds(
                lambda at, bit: flip(stored, at, bit),
                st.integers(0, max(0, len(stored) - 1)),
                st.integers(0, 7),
            )
        )
        assert unpack(digest, codec, damaged) in (None, value)

    @pytest.mark.parametrize("stored", [None, 5, "text", 1.5, 10**12])
    def test_a_row_that_holds_something_else_is_damaged(self, stored: object) -> None:
        """SQLite gives whatever a damaged row says it holds."""
        assert unpack(b"", PLAIN, stored) is None  # type: ignore[arg-type]
        assert unpack(b"", ZLIB, stored) is None  # type: ignore[arg-type]

    def test_an_unknown_codec_is_no_evidence(self) -> None:
        """The bytes have to be the object's own."""
        digest, _, stored = pack(b"x" * 2000)
        assert unpack(digest, 7, stored) is None


def flip(stored: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(stored)
    if changed:
        changed[at] ^= 1 << bit
    return bytes(changed)
