"""Opening a store: made, refused, set aside, read only; and what is said of it."""

from __future__ import annotations

import contextlib
import hashlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oloproof.errors import ConfigurationError, DamagedStoreError, StoreError
from oloproof.store.database import Store
from oloproof.store.opening import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".oloproof"


def key_of(n: int) -> bytes:
    return hashlib.sha256(b"%d" % n).digest()


def fill(folder: Path, results: int = 200) -> None:
    with Store(folder) as store:
        run = store.begin_run(started_at="t", manifest=b"{}", inputs=b"i")
        for n in range(results):
            store.add_result(key_of(n), b'"value %d"' % n, run=run, duration_s=0.0)
        store.finish_run(run, status="complete", summary=b"{}")


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user of the machine may look into."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def as_anybody(script: str) -> str:
    """What a script prints that runs as a user whom permissions hold back."""
    prelude = (
        "import os\nfrom pathlib import Path\nfrom oloproof.errors import StoreError\n"
        "from oloproof.store.database import Store\n"
        "if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", prelude + script], capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


class TestMaking:
    def test_a_store_keeps_itself_out_of_git(self, folder: Path) -> None:
        """Evidence is not committed by accident; a file that is there is left alone."""
        Store(folder).close()
        assert "*\n" == (folder / ".gitignore").read_text()
        (folder / ".gitignore").write_text("mine\n")
        Store(folder).close()
        assert "mine\n" == (folder / ".gitignore").read_text()

    def test_it_is_in_wal_mode(self, folder: Path) -> None:
        """Readers do not wait for a writer."""
        Store(folder).close()
        connection = sqlite3.connect(folder / "store.sqlite")
        assert "wal" == connection.execute("PRAGMA journal_mode").fetchone()[0]
        assert FORMAT == connection.execute("PRAGMA user_version").fetchone()[0]
        connection.close()

    def test_it_waits_for_another_that_begins_the_same_store(self, folder: Path) -> None:
        """SQLite itself would not: it refuses to change the journal while anybody writes."""
        folder.mkdir()
        other = sqlite3.connect(
            folder / "store.sqlite", isolation_level=None, check_same_thread=False
        )
        other.execute("CREATE TABLE early (a)")
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.3, lambda: other.execute("ROLLBACK")).start()
        with Store(folder) as store:
            store.set_note("a", 1)
        other.close()

    def test_its_folder_may_have_any_name(self, tmp_path: Path) -> None:
        """Spaces, question marks, percent signs, letters of any script."""
        folder = tmp_path / "a b?c%20#d ü" / ".oloproof"
        fill(folder)
        with Store(folder, create=False) as store:
            assert store.result(key_of(1)) is not None
        assert ["store.sqlite"] == [path.name for path in folder.glob("*.sqlite")]

    def test_what_cannot_be_made_leaves_nothing_behind(self, tmp_path: Path) -> None:
        """A file where the folder should be, and a folder where the file should be."""
        (tmp_path / "file").write_text("x")
        with pytest.raises(StoreError) as caught:
            Store(tmp_path / "file" / ".oloproof")
        assert "folder must be writable" in (caught.value.fix or "")
        (tmp_path / "store.sqlite").mkdir()
        with pytest.raises(StoreError, match="unable to open database file"):
            Store(tmp_path)
        assert {"file", "store.sqlite"} == {path.name for path in tmp_path.iterdir()}

    def test_a_read_only_project_is_said(self, public: Path) -> None:
        """What, where and how to fix it."""
        public.chmod(0o555)
        told = as_anybody(
            f"""
try:
    Store(Path({str(public / ".oloproof")!r}))
except StoreError as error:
    print(error)
"""
        )
        assert "Permission denied" in told
        assert "  where: " in told
        assert "  fix:   the project's folder must be writable" in told
        assert [] == list(public.iterdir())

    def test_a_store_that_may_not_be_written_is_said(self, public: Path) -> None:
        """By a run that could read it."""
        fill(public)
        (public / "store.sqlite").chmod(0o444)
        public.chmod(0o555)
        told = as_anybody(
            f"""
try:
    store = Store(Path({str(public)!r}))
    store.set_note("a", 1)
except StoreError as error:
    print(error)
"""
        )
        assert "  fix:   the project's folder must be writable" in told


class TestReading:
    def test_a_store_that_is_not_there_is_not_made(self, folder: Path) -> None:
        """Looking at a project changes nothing in it."""
        for _ in range(2):
            with pytest.raises(ConfigurationError, match="nothing has been run"):
                Store(folder, create=False)
            assert not folder.exists()
            folder.parent.mkdir(exist_ok=True)

    def test_one_that_was_only_begun_holds_nothing(self, folder: Path) -> None:
        """As where a run died in its first moment."""
        folder.mkdir()
        (folder / "store.sqlite").touch()
        with pytest.raises(ConfigurationError, match="nothing has been run"):
            Store(folder, create=False)

    def test_a_damaged_one_is_not_touched(self, folder: Path) -> None:
        """It is only said; a run sets it aside."""
        folder.mkdir()
        (folder / "store.sqlite").write_bytes(b"this is no database " * 100)
        with pytest.raises(StoreError, match="damaged"):
            Store(folder, create=False)
        assert ["store.sqlite"] == [path.name for path in folder.iterdir()]

    def test_text_that_is_no_text_is_damage(self, folder: Path) -> None:
        """SQLite itself finds no fault with such a page."""
        fill(folder, 1)
        connection = sqlite3.connect(folder / "store.sqlite")
        connection.execute("UPDATE runs SET process = CAST(x'31a720' AS TEXT)")
        connection.commit()
        connection.close()
        with Store(folder) as store, pytest.raises(DamagedStoreError, match="is damaged"):
            store.run(1)

    def test_one_in_a_read_only_folder_can_be_read(self, public: Path) -> None:
        """As from an archive of evidence."""
        fill(public)
        (public / "store.sqlite").chmod(0o444)
        public.chmod(0o555)
        told = as_anybody(
            f"""
with Store(Path({str(public)!r}), create=False) as store:
    print(store.result(bytes.fromhex({key_of(7).hex()!r})).run, store.runs()[0].status)
"""
        )
        assert "1 complete\n" == told

    def test_a_reader_sees_what_a_run_has_committed(self, folder: Path) -> None:
        """While it goes on."""
        with Store(folder) as store:
            store.set_note("a", 1)
            with Store(folder, create=False) as reader:
                assert 1 == reader.note("a")
                store.set_note("a", 2)
                assert 2 == reader.note("a")


class TestRefusing:
    @pytest.mark.parametrize("create", [True, False])
    def test_a_newer_format_is_refused_and_left_alone(self, folder: Path, create: bool) -> None:
        """It is not set aside: it is whole."""
        fill(folder, 1)
        connection = sqlite3.connect(folder / "store.sqlite")
        connection.execute(f"PRAGMA user_version={FORMAT + 1}")
        connection.close()
        before = (folder / "store.sqlite").read_bytes()
        with pytest.raises(StoreError, match=f"format {FORMAT + 1}; this version .* {FORMAT}"):
            Store(folder, create=create)
        assert before == (folder / "store.sqlite").read_bytes()
        assert not list(folder.glob("*damaged*"))


class TestDamage:
    @pytest.mark.parametrize(
        "data", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 5000]
    )
    def test_a_file_that_is_no_store_is_set_aside(self, folder: Path, data: bytes) -> None:
        """With a message, and a fresh one begun; the next one gets another name."""
        folder.mkdir()
        for number in (1, 2):
            (folder / "store.sqlite").write_bytes(data)
            warnings: list[str] = []
            with Store(folder, warnings.append) as store:
                store.set_note("a", 1)
            (text,) = warnings
            assert f"set aside as store.damaged-{number}.sqlite and a fresh one begun" in text
            assert data == (folder / f"store.damaged-{number}.sqlite").read_bytes()
        with Store(folder) as store:
            assert 1 == store.note("a")

    @pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
    def test_a_truncated_store_gives_no_wrong_evidence(self, folder: Path, cut: float) -> None:
        """Each result is right, unknown, or the store says that it is damaged."""
        fill(folder)
        path = folder / "store.sqlite"
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.truncate(int(size * cut) // 4096 * 4096)
        check(folder)

    @pytest.mark.parametrize("seed", range(25))
    def test_flipped_bytes_give_no_wrong_evidence(self, folder: Path, seed: int) -> None:
        """Wherever they are."""
        fill(folder)
        path = folder / "store.sqlite"
        data = bytearray(path.read_bytes())
        chance = random.Random(seed)
        for _ in range(40):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        check(folder)


def check(folder: Path) -> None:
    """Read all that `fill` wrote: every answer is right or none, every error is for the user."""
    with contextlib.suppress(StoreError), Store(folder) as store:
        for n in range(200):
            found = store.result(key_of(n))
            if found is not None and store.get(found.object) not in (None, b'"value %d"' % n):
                pytest.fail("wrong evidence")
        list(store.chunks(1))
        store.runs()
        store.set_note("after", 1)


class TestFullDisk:
    SCRIPT = """
import sys
from pathlib import Path
from oloproof.errors import StoreError
from oloproof.store.database import Store
from hashlib import sha256
def key_of(n): return sha256(b"%d" % n).digest()
store = Store(Path(sys.argv[1]))
kept = 0
try:
    for n in range(100_000):
        data = b'"%d %b"' % (n, str(n * 7919 ** 9).encode() * 40)
        store.add_result(key_of(n), data, run=1, duration_s=0.0)
        if n % 50 == 0:
            store.commit()
            kept = n
except StoreError as error:
    try:
        store.close()
    except StoreError:
        pass
    print(kept)
    print(error)
"""

    def expect_it_to_stop(self, told: str, folder: Path) -> None:
        kept, *message = told.splitlines()
        assert int(kept) > 0
        assert message[0].startswith("the store cannot be used: ")
        assert "see whether the disk is full" in message[2]
        with Store(folder) as store:
            for n in range(0, int(kept) + 1, 50):
                found = store.result(key_of(n))
                assert found is not None
                assert store.get(found.object) is not None

    def test_a_file_that_may_not_grow_stops_the_run(self, folder: Path) -> None:
        """With a clear error; what was committed is kept, and the store opens again."""
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", self.SCRIPT, str(folder)],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout, done.stderr
        self.expect_it_to_stop(done.stdout, folder)

    def test_a_full_file_system_stops_the_run(self, tmp_path: Path) -> None:
        """The same on a disk with no room; nothing is set aside."""
        disk = tmp_path / "disk"
        disk.mkdir()
        mount = shutil.which("mount")
        command = [str(mount), "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
        if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a small file system cannot be mounted here")
        try:
            folder = disk / ".oloproof"
            done = subprocess.run(
                [sys.executable, "-c", self.SCRIPT, str(folder)],
                capture_output=True,
                text=True,
                check=False,
            )
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            self.expect_it_to_stop(done.stdout, copy)
            with pytest.raises(StoreError):
                Store(disk / "another")
            assert not (disk / "another").exists()
            with Store(folder, create=False) as store:
                assert store.result(key_of(0)) is not None
            assert not list(folder.glob("*damaged*"))
        finally:
            subprocess.run(["umount", str(disk)], check=True)
