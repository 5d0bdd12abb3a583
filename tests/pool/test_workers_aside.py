"""What a worker says on the way, in memory that it shares with its parent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.errors import ConfigurationError
from oloproof.pool import shared as aside_module
from oloproof.pool.shared import Aside, open_aside, read_aside

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def descriptor() -> Iterator[int]:
    """The parent's end."""
    opened = open_aside()
    yield opened
    os.close(opened)


@given(st.lists(st.tuples(st.sampled_from(["begin", "replace", "append"]), st.binary(max_size=9))))
def test_what_was_said_last_is_read(said: list[tuple[str, bytes]]) -> None:
    """`replace` forgets what was said of a number, `append` adds to it, `begin` starts another."""
    descriptor = open_aside()
    aside = Aside(os.dup(descriptor))
    number, expected = 0, b""
    for what, data in said:
        match what:
            case "begin":
                number, expected = len(data), b""
                aside.begin(number)
            case "replace":
                expected = data
                aside.replace(data)
            case _:
                expected += data
                aside.append(data)
        assert (number, expected) == read_aside(descriptor)
    os.close(descriptor)


def test_what_does_not_fit_is_left_out(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut in the middle."""
    monkeypatch.setattr(aside_module, "SIZE", 80)
    aside = Aside(os.dup(descriptor))
    aside.append(b"x" * 40)
    aside.append(b"y" * 40)
    assert (0, b"x" * 40) == read_aside(descriptor)
    aside.replace(b"z" * 49)
    assert (0, b"") == read_aside(descriptor)


def test_it_outlives_the_process_that_said_it(descriptor: int) -> None:
    """Whatever that process did to its descriptors."""
    child = os.fork()
    if child == 0:
        aside = Aside(os.dup(descriptor))
        os.closerange(3, 64)
        aside.begin(7)
        aside.append(b"the last words")
        os._exit(0)
    os.waitpid(child, 0)
    assert (7, b"the last words") == read_aside(descriptor)


@given(st.binary(min_size=1, max_size=60), st.integers(0, 40))
def test_what_was_written_over_it_is_not_taken_for_what_was_said(data: bytes, at: int) -> None:
    """Then nothing was said."""
    descriptor = open_aside()
    Aside(os.dup(descriptor)).replace(b"what was said")
    before = os.pread(descriptor, 200, 0)
    os.pwrite(descriptor, data, at)
    changed = os.pread(descriptor, 200, 0)[:45] != before[:45]
    assert ((0, b"") if changed else (0, b"what was said")) == read_aside(descriptor)
    os.close(descriptor)


def test_where_there_is_no_such_memory_it_is_said(monkeypatch):
    """Systems are run on Linux alone; elsewhere that is said, and not an AttributeError."""
    monkeypatch.delattr(os, "memfd_create")
    with pytest.raises(ConfigurationError, match="Linux"):
        open_aside()
