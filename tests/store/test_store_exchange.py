"""Runs from one store into another, with documents that are only pretended."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_documents import FakeDocuments, add_run, dumped, folder_of

from oloproof.errors import StoreError
from oloproof.records.store_report import CacheImport
from oloproof.store.checking import check_store
from oloproof.store.database import Store
from oloproof.store.exchange import Settlement, check_export, content_digest
from oloproof.store.exporting import export
from oloproof.store.importing import import_runs

DOCUMENTS = FakeDocuments()

digests = st.binary(min_size=32, max_size=32)
numbers = st.integers(1, 1_000)
texts = st.text(alphabet="abcd", min_size=1, max_size=3)


def send(source: Path, file: Path, **options: Any) -> str:
    """Export a store; the digest of what was written."""
    with Store(source, create=False) as store:
        asked = {"number": None, "notes": lambda _: {}} | options
        return export(store, file, DOCUMENTS, **asked).digest


def take(target: Path, file: Path, settlement: Settlement | None = None) -> CacheImport:
    """Import a file."""
    digest = check_export(file)
    with Store(target) as store:
        settled = settlement or Settlement({})
        return import_runs(store, file, digest, DOCUMENTS, project="ours", settle=lambda _: settled)


def is_whole(folder: Path) -> bool:
    with Store(folder, create=False) as store:
        return check_store(store, DOCUMENTS).whole


def put_run(file: Path, **changed: Any) -> None:
    """Give an export another entry of its run 1, under a digest that is right."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        for name, value in changed.items():
            connection.execute(f"UPDATE runs SET {name} = ? WHERE id = 1", (value,))
        connection.execute("UPDATE content SET digest = ?", (content_digest(connection),))


class TestExchange:
    @settings(max_examples=25)
    @given(
        st.lists(st.dictionaries(texts, texts, min_size=1, max_size=5), min_size=1, max_size=4),
        st.lists(st.dictionaries(texts, texts, min_size=1, max_size=5), max_size=3),
    )
    def test_what_arrives_is_what_was_sent(self, there, here):
        """Into whatever store: its own runs stay, and the others are added, each once."""
        with tempfile.TemporaryDirectory() as name:
            source, target = folder_of(Path(name), "a"), folder_of(Path(name), "b")
            for folder, runs in ((source, there), (target, here)):
                with Store(folder) as store:
                    for number, cases in enumerate(runs):
                        # Each is a run of its own, also where it has the cases of another.
                        add_run(store, cases, manifest={"of": str(folder), "number": number})
            file = Path(name) / "evidence"
            digest = send(source, file)
            for again in (False, True):
                done = take(target, file)
                assert digest == done.digest
                outcome = "there" if again else "taken"
                wanted = [(n + 1, len(here) + n + 1, outcome) for n in range(len(there))]
                assert wanted == [(r.run_there, r.run, r.status) for r in done.runs]
                assert is_whole(target)
            with Store(target, create=False) as store:
                for cases in (*there, *here):
                    for case, evidence in cases.items():
                        found = store.result(dumped([case, evidence]))
                        assert found is not None
                        assert evidence == store.get_json(found.object)

    def test_a_system_that_is_another_here_gives_no_results(self, tmp_path):
        """Its runs arrive, and no run takes them over."""
        source, target = folder_of(tmp_path, "a"), folder_of(tmp_path, "b")
        with Store(source) as store:
            add_run(store, {"a": "1", "b": "2"}, manifest={"system": "x"})
            add_run(store, {"c": "3"}, manifest={"system": "y"})
        send(source, tmp_path / "evidence")
        settlement = Settlement({"note": 1}, frozenset({"x"}))
        done = take(target, tmp_path / "evidence", settlement)
        assert (2, 1) == (done.results_refused, done.results)
        with Store(target, create=False) as store:
            assert [b"inputs", b""] == [row.inputs for row in store.runs()]
            assert 1 == store.note("note")

    def test_a_run_of_another_version_is_refused(self, tmp_path):
        """Its documents are whole, and cannot be understood."""
        source = folder_of(tmp_path, "a")
        with Store(source) as store:
            number = store.begin_run(started_at="t", manifest=b"[]", inputs=b"")
            store.finish_run(number, status="complete", summary=b"{}")
        send(source, tmp_path / "evidence")
        with pytest.raises(StoreError, match="run 1 says of itself cannot be understood"):
            take(folder_of(tmp_path, "b"), tmp_path / "evidence")

    @pytest.mark.parametrize(
        ("changed", "what"),
        [
            ({"status": "running"}, "the entry of run 1"),
            ({"status": "great"}, "the entry of run 1"),
            ({"started_at": b"now"}, "the entry of run 1"),
            ({"manifest": "text"}, "the entry of run 1"),
            ({"inputs": "text"}, "the entry of run 1"),
            ({"summary": b"1" * 32}, "object 313131313131 is missing"),
            ({"id": 2}, "part of the rows of run 2"),
        ],
    )
    def test_an_entry_that_cannot_be_is_refused(self, tmp_path, changed, what):
        """However right its digest is."""
        source = folder_of(tmp_path, "a")
        with Store(source) as store:
            add_run(store, {"a": "1"})
        send(source, tmp_path / "evidence")
        put_run(tmp_path / "evidence", **changed)
        with pytest.raises(StoreError, match=what):
            take(folder_of(tmp_path, "b"), tmp_path / "evidence")

    @pytest.mark.parametrize(
        "change",
        [
            "DROP TABLE results; CREATE VIEW results AS SELECT * FROM chunks",
            "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM runs; END",
            "CREATE TABLE more (a)",
            "ALTER TABLE runs ADD COLUMN more",
            "DROP TABLE content",
            "CREATE INDEX i ON runs (status)",
        ],
    )
    def test_tables_that_are_not_those_of_a_store_are_refused(self, tmp_path, change):
        """Nothing that a file brings along is run or read in the place of a table."""
        with Store(folder_of(tmp_path)) as store:
            add_run(store, {"a": "1"})
        send(folder_of(tmp_path), tmp_path / "evidence")
        with contextlib.closing(sqlite3.connect(tmp_path / "evidence")) as connection:
            connection.executescript(change)
        with pytest.raises(StoreError, match="its tables are not those of a store"):
            take(folder_of(tmp_path, "b"), tmp_path / "evidence")

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE runs SET status = 'failed'",
            "UPDATE results SET duration_s = 9.0",
            "DELETE FROM chunks WHERE number = 1",
            "DELETE FROM objects WHERE rowid = 1",
            "UPDATE content SET digest = x'00'",
            "DELETE FROM content",
            "INSERT INTO content SELECT digest FROM content",
        ],
    )
    def test_rows_that_changed_are_refused(self, tmp_path, change):
        """Whatever a row says: it is not what was written."""
        with Store(folder_of(tmp_path)) as store:
            add_run(store, {"a": "1", "b": "2", "c": "3"})
        send(folder_of(tmp_path), tmp_path / "evidence")
        with contextlib.closing(sqlite3.connect(tmp_path / "evidence")) as connection, connection:
            connection.execute(change)
        with pytest.raises(StoreError, match="its rows are not those that it was made with"):
            take(folder_of(tmp_path, "b"), tmp_path / "evidence")

    def test_a_run_without_all_of_its_rows_is_refused(self, tmp_path):
        """Whole in every part that is there, and still not the run that it was."""
        source, file = folder_of(tmp_path, "a"), tmp_path / "evidence"
        with Store(source) as store:
            add_run(store, {"a": "1", "b": "2", "c": "3"})
        send(source, file)
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("DELETE FROM chunks WHERE number = 1")
        put_run(file)
        with pytest.raises(StoreError, match="part of the rows of run 1 is not there"):
            take(folder_of(tmp_path, "b"), file)

    def test_a_number_is_given_once(self, tmp_path):
        """Also one that only results and counts name: the next run gets another."""
        source, target = folder_of(tmp_path, "a"), folder_of(tmp_path, "b")
        with Store(source) as store:
            add_run(store, {"a": "1"})
            add_run(store, {"a": "1", "b": "2"}, named=(1, 7))
        send(source, tmp_path / "evidence", number=2)
        done = take(target, tmp_path / "evidence")
        assert [(2, 2)] == [(run.run_there, run.run) for run in done.runs]
        with Store(target) as store:
            assert 4 == add_run(store, {"c": "3"})
            row = store.run(2)
            assert row is not None
            assert row.summary is not None
            assert [1, 3] == store.get_json(row.summary)["runs"]
