"""The store: what is kept, for how long, and what of it survives."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from oloproof.errors import StoreError
from oloproof.store import database
from oloproof.store.database import Result, Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".oloproof"


def begin(store: Store, inputs: bytes = b"i") -> int:
    return store.begin_run(started_at="2026-01-01T00:00:00+00:00", manifest=b"{}", inputs=inputs)


def damage_object(folder: Path, digest: bytes, data: bytes = b"damaged") -> None:
    connection = sqlite3.connect(folder / "store.sqlite")
    connection.execute("UPDATE objects SET data = ? WHERE digest = ?", (data, digest))
    connection.commit()
    connection.close()


class TestObjects:
    def test_the_store_computes_the_digest(self, folder: Path) -> None:
        """And gives the object back under it, before and after it is committed."""
        with Store(folder) as store:
            digest = store.put(b'{"a":1}')
            assert hashlib.sha256(b'{"a":1}').digest() == digest
            assert b'{"a":1}' == store.get(digest)
        with Store(folder) as store:
            assert {"a": 1} == store.get_json(digest)

    def test_what_is_not_there_is_none(self, folder: Path) -> None:
        """Without a warning: it is only not known."""
        warnings: list[str] = []
        with Store(folder, warnings.append) as store:
            assert store.get(b"x" * 32) is None
            assert store.get_json(b"x" * 32) is None
            assert store.result(b"key") is None
            assert store.note("name") is None
            assert store.run(1) is None
            assert store.run_of_inputs(b"i") is None
            assert [] == store.runs() == list(store.chunks(1))
        assert [] == warnings

    @pytest.mark.parametrize("size", [10, 10_000])
    def test_a_damaged_object_is_a_miss_and_is_replaced(self, folder: Path, size: int) -> None:
        """It is never evidence; what is made again in its place is whole."""
        data = b'"' + b"x" * size + b'"'
        warnings: list[str] = []
        with Store(folder) as store:
            digest = store.put(data)
        damage_object(folder, digest)
        with Store(folder, warnings.append) as store:
            assert store.get(digest) is None
            assert [
                f"object {digest.hex()[:12]} in the store is damaged; it does not count"
            ] == warnings
            store.put(data)
        with Store(folder) as store:
            assert data == store.get(digest)

    def test_one_that_was_never_read_is_replaced_too(self, folder: Path) -> None:
        """Putting it again is enough."""
        with Store(folder) as store:
            digest = store.put(b'"x"')
        damage_object(folder, digest)
        with Store(folder) as store:
            store.put(b'"x"')
        with Store(folder) as store:
            assert b'"x"' == store.get(digest)

    def test_equal_objects_are_kept_once(self, folder: Path) -> None:
        """In one batch or in several."""
        with Store(folder) as store:
            assert store.put(b'"x"') == store.put(b'"x"')
            store.commit()
            store.put(b'"x"')
        connection = sqlite3.connect(folder / "store.sqlite")
        assert 1 == connection.execute("SELECT count(*) FROM objects").fetchone()[0]
        connection.close()


class TestResults:
    def test_a_result_is_found_by_its_key(self, folder: Path) -> None:
        """Before and after it is committed, and the last one counts."""
        with Store(folder) as store:
            for duration in (1, 2):
                digest = store.add_result(b"key", b'"e"', run=3, duration_s=duration, limit_s=9)
            expected = Result(digest, 3, 2.0, 9.0)
            assert expected == store.result(b"key")
        with Store(folder) as store:
            assert expected == store.result(b"key")

    @pytest.mark.parametrize(
        "change",
        ["limit_s = NULL", "object = x'00'", "run = 2", "duration_s = 'x'", "key = x'6b6579'"],
    )
    def test_a_damaged_row_is_a_miss_and_is_replaced(self, folder: Path, change: str) -> None:
        """A deadline that was forgotten would make a timeout good for ever."""
        warnings: list[str] = []
        with Store(folder) as store:
            store.add_result(b"kez", b'"e"', run=1, duration_s=1.0, limit_s=5.0)
        connection = sqlite3.connect(folder / "store.sqlite")
        connection.execute(f"UPDATE results SET {change}")
        connection.commit()
        connection.close()
        with Store(folder, warnings.append) as store:
            key = b"key" if change.startswith("key") else b"kez"
            assert store.result(key) is None
            assert 1 == len(warnings)
            store.add_result(key, b'"e"', run=2, duration_s=1.0)
        with Store(folder) as store:
            found = store.result(key)
            assert found is not None
            assert 2 == found.run

    @pytest.mark.parametrize(
        ("limit_s", "timeout_s", "reusable"),
        [
            (None, 1.0, True),
            (None, 1e9, True),
            (10.0, 10.0, True),
            (10.0, 5.0, True),
            (10.0, 10.1, False),
            (0.0, 0.1, False),
        ],
    )
    def test_a_timeout_is_good_while_the_deadline_is_not_raised(
        self, limit_s: float | None, timeout_s: float, reusable: bool
    ) -> None:
        """None is good for ever, 0 never again."""
        assert reusable == Result(b"", 1, 0.0, limit_s).reusable(timeout_s)


class TestBatches:
    def test_an_empty_store_says_so(self, folder: Path) -> None:
        """What waits to be committed counts as known; a run or an object alone does not."""
        with Store(folder) as store:
            run = begin(store)
            assert not store.has_results()
            store.add_result(b"k", b"1", run=run, duration_s=0.0)
            assert store.has_results()
            store.commit()
            assert store.has_results()
        with Store(folder) as store:
            assert store.has_results()

    def test_many_results_are_committed_at_once(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another process sees none of them before, and all of them after."""
        monkeypatch.setattr(database, "BATCH_ROWS", 10)
        with Store(folder) as store, Store(folder) as other:
            for n in range(9):
                store.add_result(b"%d" % n, b"%d" % n, run=1, duration_s=0.0)
            assert other.result(b"0") is None
            store.add_result(b"9", b"9", run=1, duration_s=0.0)
            assert all(other.result(b"%d" % n) is not None for n in range(10))

    def test_large_objects_do_not_pile_up(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What waits in memory is bounded by its size too."""
        monkeypatch.setattr(database, "BATCH_BYTES", 10_000)
        with Store(folder) as store, Store(folder) as other:
            first = store.put(os.urandom(6000))
            assert other.get(first) is None
            store.put(os.urandom(6000))
            assert other.get(first) is not None

    def test_nothing_waits_for_ever(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whoever waits for a slow case can ask how long there is, and commit when it is due."""
        monkeypatch.setattr(database, "BATCH_SECONDS", 0.05)
        with Store(folder) as store, Store(folder) as other:
            assert store.patience_s is None
            store.commit_when_due()
            store.add_result(b"key", b'"e"', run=1, duration_s=0.0)
            store.commit_when_due()
            assert store.patience_s is not None
            assert 0 < store.patience_s <= 0.05
            assert other.result(b"key") is None
            time.sleep(store.patience_s)
            store.commit_when_due()
            assert other.result(b"key") is not None
            assert store.patience_s is None

    def test_a_killed_process_loses_only_what_waited(self, folder: Path) -> None:
        """What was committed is there, whole; the store opens as ever."""
        script = f"""
import os, signal
from pathlib import Path
from oloproof.store.database import Store
store = Store(Path({str(folder)!r}))
store.add_result(b"kept", b'"kept"', run=1, duration_s=0.0)
store.commit()
store.add_result(b"lost", b'"lost"', run=1, duration_s=0.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
        done = subprocess.run([sys.executable, "-c", script], check=False)
        assert -9 == done.returncode
        with Store(folder) as store:
            found = store.result(b"kept")
            assert found is not None
            assert b'"kept"' == store.get(found.object)
            assert store.result(b"lost") is None


class TestRuns:
    def test_a_run_goes_from_running_to_its_end(self, folder: Path) -> None:
        """Newest first, each with its manifest and summary."""
        with Store(folder) as store:
            first, second = begin(store, b"1"), begin(store, b"2")
            assert [second, first] == [row.id for row in store.runs()]
            assert "running" == store.runs()[0].status
            store.finish_run(first, status="complete", summary=b'{"n":1}')
            row = store.run(first)
            assert row is not None
            assert row.summary is not None
            assert ("complete", {"n": 1}, {}) == (
                row.status,
                store.get_json(row.summary),
                store.get_json(row.manifest),
            )

    def test_a_run_whose_process_is_gone_reads_as_interrupted(self, folder: Path) -> None:
        """It is found dead, not running."""
        script = f"""
import os
from pathlib import Path
from oloproof.store.database import Store
store = Store(Path({str(folder)!r}))
store.begin_run(started_at="t", manifest=b"{{}}", inputs=b"i")
os._exit(0)
"""
        subprocess.run([sys.executable, "-c", script], check=True)
        with Store(folder) as store:
            assert ["interrupted"] == [row.status for row in store.runs()]
            assert "interrupted" == store.run(1).status  # type: ignore[union-attr]

    def test_only_a_complete_run_stands_for_its_inputs(self, folder: Path) -> None:
        """The newest one over exactly the same."""
        with Store(folder) as store:
            for status in ("complete", "complete", "failed", "interrupted"):
                store.finish_run(begin(store), status=status, summary=b"{}")
            begin(store)
            store.finish_run(begin(store, b"other"), status="complete", summary=b"{}")
            row = store.run_of_inputs(b"i")
            assert row is not None
            assert 2 == row.id

    def test_rows_come_back_in_their_order(self, folder: Path) -> None:
        """Also those that a later run shares."""
        with Store(folder) as store:
            first, second = begin(store), begin(store)
            for number in (1, 0, 2):
                store.add_chunk(first, number, b"[%d]" % number)
            store.share_chunks(first, second)
            assert [b"[0]", b"[1]", b"[2]"] == list(store.chunks(first))
            assert [b"[0]", b"[1]", b"[2]"] == list(store.chunks(second))

    def test_a_damaged_part_is_not_shared_as_a_whole_one(self, folder: Path) -> None:
        """The later run lacks it as the earlier one does."""
        with Store(folder) as store:
            first, second = begin(store), begin(store)
            for number in range(3):
                store.add_chunk(first, number, b"[%d]" % number)
            store.commit()
            other = sqlite3.connect(folder / "store.sqlite")
            other.execute("UPDATE chunks SET object = x'00' WHERE number = 1")
            other.commit()
            other.close()
            store.share_chunks(first, second)
            assert [b"[0]", None, b"[2]"] == list(store.chunks(first))
            assert [b"[0]", None, b"[2]"] == list(store.chunks(second))

    def test_a_part_that_is_damaged_or_gone_is_none(self, folder: Path) -> None:
        """Rows are never silently fewer."""
        with Store(folder) as store:
            run = begin(store)
            for number in range(5):
                store.add_chunk(run, number, b"[%d]" % number)
        damage_object(folder, hashlib.sha256(b"[1]").digest())
        connection = sqlite3.connect(folder / "store.sqlite")
        connection.execute("DELETE FROM chunks WHERE number = 2")
        connection.execute("UPDATE chunks SET number = 9 WHERE number = 4")
        connection.commit()
        connection.close()
        with Store(folder) as store:
            assert [b"[0]", None, None, b"[3]", None] == list(store.chunks(run))

    @pytest.mark.parametrize(
        "change",
        [
            "status = 'complfte'",
            "status = 5",
            "manifest = 'text'",
            "inputs = 5",
            "summary = 7",
            "started_at = x'00'",
        ],
    )
    def test_a_damaged_run_is_said(self, folder: Path, change: str) -> None:
        """It decides nothing, and is no crash."""
        with Store(folder) as store:
            begin(store)
        connection = sqlite3.connect(folder / "store.sqlite")
        connection.execute(f"UPDATE runs SET {change}")
        connection.commit()
        connection.close()
        with (
            Store(folder) as store,
            pytest.raises(StoreError, match="run 1 cannot be read"),
        ):
            store.runs()


class TestNotes:
    def test_the_last_note_counts(self, folder: Path) -> None:
        """A small value between runs."""
        with Store(folder) as store:
            for value in ([1], {"a": None}):
                store.set_note("name", value)
            assert {"a": None} == store.note("name")
        with Store(folder) as store:
            assert {"a": None} == store.note("name")


class TestTogether:
    def test_several_processes_begin_and_write_at_once(self, folder: Path) -> None:
        """Every one waits for the others, and nothing is lost."""
        script = """
import sys, time
from pathlib import Path
from oloproof.store.database import Store
folder, me, at = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
while time.time() < at:
    pass
with Store(folder) as store:
    run = store.begin_run(started_at="t", manifest=b"{}", inputs=b"%d" % me)
    for n in range(40):
        store.add_result(b"%d-%d" % (me, n), b'"shared %d"' % n, run=run, duration_s=0.0)
        store.add_chunk(run, n, b'["%d-%d"]' % (me, n))
        store.commit()
    store.finish_run(run, status="complete", summary=b"{}")
"""
        at = str(time.time() + 0.7)
        processes = [
            subprocess.Popen([sys.executable, "-c", script, str(folder), str(n), at])
            for n in range(5)
        ]
        assert [0] * 5 == [process.wait(60) for process in processes]
        with Store(folder) as store:
            rows = store.runs()
            assert ["complete"] * 5 == [row.status for row in rows]
            for row in rows:
                me = row.inputs.decode()
                assert 40 == len(list(store.chunks(row.id)))
                for n in range(40):
                    found = store.result(f"{me}-{n}".encode())
                    assert found is not None
                    assert (row.id, b'"shared %d"' % n) == (found.run, store.get(found.object))


class StoreMachine(RuleBasedStateMachine):
    """Whatever is done in whatever order, a store holds what a dictionary would."""

    keys = st.sampled_from([b"a", b"b", b"c"])
    values = st.sampled_from([b'"1"', b'"2"', b'"' + b"x" * 2000 + b'"'])

    def __init__(self) -> None:
        super().__init__()
        import tempfile
        from pathlib import Path

        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.store = Store(self.folder)
        self.results: dict[bytes, tuple[bytes, float | None]] = {}
        self.objects: set[bytes] = set()
        self.runs: dict[int, str] = {}

    @rule(key=keys, value=values, limit_s=st.none() | st.just(5.0))
    def add(self, key: bytes, value: bytes, limit_s: float | None) -> None:
        self.store.add_result(key, value, run=1, duration_s=0.5, limit_s=limit_s)
        self.results[key] = (value, limit_s)
        self.objects.add(value)

    @rule(value=values)
    def put(self, value: bytes) -> None:
        self.store.put(value)
        self.objects.add(value)

    @rule()
    def commit(self) -> None:
        self.store.commit()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store(self.folder)

    @rule(value=values)
    def damage(self, value: bytes) -> None:
        self.store.commit()
        damage_object(self.folder, hashlib.sha256(value).digest())
        self.objects.discard(value)

    @rule(status=st.sampled_from(["complete", "failed"]))
    def a_run(self, status: str) -> None:
        run = begin(self.store)
        self.store.finish_run(run, status=status, summary=b"{}")
        self.objects.discard(b"{}")
        self.runs[run] = status

    @rule()
    def look(self) -> None:
        for key in (b"a", b"b", b"c"):
            found = self.store.result(key)
            expected: Any = self.results.get(key)
            assert (found is None) == (expected is None)
            if found is not None:
                value, limit_s = expected
                assert (hashlib.sha256(value).digest(), limit_s) == (found.object, found.limit_s)
                kept = value if value in self.objects else None
                assert kept == self.store.get(found.object)
        assert self.runs == {row.id: row.status for row in self.store.runs()}

    def teardown(self) -> None:
        self.look()
        self.store.close()
        self.scratch.cleanup()


StoreMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
TestStoreMachine = StoreMachine.TestCase
