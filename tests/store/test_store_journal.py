"""What workers write down before a run takes it over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.store.journal import Entry, JournalWriter, journals, read_journal, remove_part

entries = st.lists(
    st.builds(
        Entry, st.dictionaries(st.text(max_size=3), st.integers(0, 9)), st.binary(max_size=40)
    ),
    max_size=4,
)


def written(folder: Path, *kept: Entry, part: int = 0) -> Path:
    writer = JournalWriter(folder, 7)
    writer.begin(part)
    for entry in kept:
        writer.write(entry.header, entry.body)
    writer.close()
    return folder / f"7-{part}-{os.getpid()}-0.journal"


class TestEntries:
    @given(entries, st.data())
    def test_every_whole_entry_is_read_however_the_file_ends(
        self, tmp_path_factory: pytest.TempPathFactory, kept: list[Entry], data: st.DataObject
    ) -> None:
        """A worker may be killed while it writes."""
        path = written(tmp_path_factory.mktemp("journal"), *kept, Entry({}, b"last"))
        whole = path.read_bytes()
        assert [*kept, Entry({}, b"last")] == list(read_journal(path))
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        found = list(read_journal(path))
        assert found == [*kept, Entry({}, b"last")][: len(found)]

    @given(entries, st.data())
    def test_a_damaged_entry_ends_it(
        self, tmp_path_factory: pytest.TempPathFactory, kept: list[Entry], data: st.DataObject
    ) -> None:
        """Nothing is read that was not written."""
        path = written(tmp_path_factory.mktemp("journal"), *kept, Entry({}, b"last"))
        damaged = bytearray(path.read_bytes())
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(damaged)
        found = list(read_journal(path))
        assert len(found) <= len(kept)
        assert found == kept[: len(found)]


class TestWriting:
    def test_parts_are_files_of_their_own(self, tmp_path: Path) -> None:
        """In the order of the parts, apart from what else lies there."""
        folder = tmp_path / "journal"
        assert {} == journals(folder)
        paths = [written(folder, Entry({}, b"x"), part=part) for part in (10, 2, 0)]
        (folder / "notes.txt").write_text("x")
        (folder / "a-b-c.journal").write_text("x")
        assert {7: paths[::-1]} == journals(folder)
        remove_part(folder, 7, 2)
        remove_part(folder, 7, 5)
        assert {7: [paths[2], paths[0]]} == journals(folder)

    def test_a_part_without_results_leaves_no_file(self, tmp_path: Path) -> None:
        """It is made when something is written."""
        writer = JournalWriter(tmp_path, 7)
        writer.begin(0)
        writer.begin(1)
        writer.close()
        assert [] == list(tmp_path.iterdir())

    @pytest.mark.parametrize("taken", [False, True])
    def test_a_system_may_close_its_descriptor(self, tmp_path: Path, taken: bool) -> None:
        """And open a file of its own under the number: nothing of ours gets into that."""
        folder, mine = tmp_path / "journal", tmp_path / "mine"
        writer = JournalWriter(folder, 7)
        writer.begin(0)
        before = set(open_files(folder))
        writer.write({"n": 1}, b"one")
        (descriptor,) = set(open_files(folder)) - before
        os.close(descriptor)
        if taken:
            other = os.open(mine, os.O_CREAT | os.O_WRONLY)
            if other != descriptor:
                os.dup2(other, descriptor)
                os.close(other)
        writer.write({"n": 2}, b"two")
        writer.begin(1)
        writer.write({"n": 3}, b"three")
        writer.close()
        found: list[Any] = [list(read_journal(path)) for path in journals(folder)[7]]
        assert [
            [Entry({"n": 1}, b"one"), Entry({"n": 2}, b"two")],
            [Entry({"n": 3}, b"three")],
        ] == found
        if taken:
            assert b"" == mine.read_bytes()
            os.close(descriptor)


def open_files(folder: Path) -> list[int]:
    """The descriptors of this process that are open below a folder."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            if link.readlink().is_relative_to(folder):
                found.append(int(link.name))
        except OSError:
            continue
    return found
