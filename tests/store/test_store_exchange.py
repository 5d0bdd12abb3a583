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
from oloproof.store.checking import check_store
from oloproof.store.database import Store
from oloproof.store.exchange import ExportedRun, Root, read_root
from oloproof.store.exporting import export
from oloproof.store.importing import Imported, Settlement, import_runs
from oloproof.store.objects import pack
from oloproof.store.references import RunParts

DOCUMENTS = FakeDocuments()

digests = st.binary(min_size=32, max_size=32)
numbers = st.integers(1, 1_000)
texts = st.text(alphabet="abcd", min_size=1, max_size=3)


def send(source: Path, file: Path, **options: Any) -> str:
    """Export a store; the digest of what was written."""
    with Store(source, create=False) as store:
        asked = {"number": None, "notes": lambda _: {}} | options
        return export(store, file, DOCUMENTS, **asked).digest


def take(target: Path, file: Path, settlement: Settlement | None = None) -> Imported:
    """Import a file."""
    with Store(target) as store:
        settled = settlement or Settlement({})
        return import_runs(store, file, DOCUMENTS, project="ours", settle=lambda _: settled)


def is_whole(folder: Path) -> bool:
    with Store(folder, create=False) as store:
        return check_store(store, DOCUMENTS).whole


class TestRoot:
    @given(
        st.dictionaries(numbers, digests),
        st.lists(st.tuples(digests, numbers)),
        st.dictionaries(texts, numbers),
    )
    def test_it_is_read_as_it_was_written(self, runs, pages, notes):
        """Runs, pages and notes come back."""
        root = Root(runs, tuple(pages), notes)
        assert root == Root.from_bytes(root.to_bytes())

    @given(numbers, digests, st.none() | digests, st.lists(digests), texts)
    def test_a_run_is_read_as_it_was_written(self, number, manifest, summary, chunks, status):
        """With or without a summary."""
        parts = RunParts(number, manifest, summary, tuple(chunks))
        run = ExportedRun(parts, "2026-01-01", status, b"inputs")
        assert run == ExportedRun.from_json(run.to_json())

    @pytest.mark.parametrize(
        "said", [[], {}, {"runs": 1, "results": [], "notes": {}}, {"runs": [[1, "x"]]}, "text"]
    )
    def test_a_root_of_another_kind_is_refused(self, tmp_path, said):
        """It is whole, but not what this version writes."""
        file = tmp_path / "evidence"
        with Store(folder_of(tmp_path)) as store:
            add_run(store, {"a": "1"})
        send(folder_of(tmp_path), file)
        put_root(file, dumped(said))
        with pytest.raises(StoreError, match="cannot be understood"):
            read_root(file)


def put_root(file: Path, data: bytes) -> None:
    """Give an export another root."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        row = pack(data)
        connection.execute("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)", row)
        connection.execute("UPDATE root SET digest = ?", (row[0],))


def put_run(file: Path, **changed: Any) -> None:
    """Give an export another entry of its run 1, all of it with digests that are right."""
    from oloproof.canonical import decode, encode

    _, root = read_root(file)
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        found: Any = None
        for digest, codec, data in connection.execute("SELECT * FROM objects"):
            if digest == root.runs[1]:
                assert codec == 0
                found = decode(data)
        row = pack(encode(found | changed))
        connection.execute("INSERT INTO objects VALUES (?, ?, ?)", row)
    put_root(file, Root({1: row[0]}, root.pages, root.notes).to_bytes())


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
                assert (digest, True) == (done.digest, done.whole)
                outcome = "there" if again else "taken"
                wanted = [(n + 1, len(here) + n + 1, outcome) for n in range(len(there))]
                assert wanted == [(r.number, r.here, r.outcome) for r in done.runs]
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
        assert (2, 1, True) == (done.results_refused, done.results, done.whole)
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
        done = take(folder_of(tmp_path, "b"), tmp_path / "evidence")
        assert ["what it says of itself cannot be understood"] == [r.reason for r in done.runs]

    @pytest.mark.parametrize(
        "changed",
        [{"status": "running"}, {"status": "great"}, {"number": 2}, {"chunks": 7}, {"summary": 1}],
    )
    def test_an_entry_that_cannot_be_is_refused(self, tmp_path, changed):
        """However right its digest is."""
        source = folder_of(tmp_path, "a")
        with Store(source) as store:
            add_run(store, {"a": "1"})
        send(source, tmp_path / "evidence")
        put_run(tmp_path / "evidence", **changed)
        done = take(folder_of(tmp_path, "b"), tmp_path / "evidence")
        assert (False, ["its entry is damaged"]) == (done.whole, [r.reason for r in done.runs])
        # Whether gates had to know of it is not known, so its results are not taken either.
        assert (0, 1) == (done.results, done.lost_results)

    def test_a_run_without_all_of_its_rows_is_refused(self, tmp_path):
        """Whole in every part that is there, and still not the run that it was."""
        source = folder_of(tmp_path, "a")
        with Store(source) as store:
            add_run(store, {"a": "1", "b": "2", "c": "3"})
        send(source, tmp_path / "evidence")
        with Store(source, create=False) as store, store.whole() as connection:
            query = "SELECT object FROM chunks ORDER BY number"
            [first, _] = connection.execute(query).fetchall()
        put_run(tmp_path / "evidence", chunks=[first[0].hex()])
        done = take(folder_of(tmp_path, "b"), tmp_path / "evidence")
        assert ["refused"] == [run.outcome for run in done.runs]
        assert (3, 0) == (done.results, done.lost_results)

    def test_a_marked_run_does_not_lend_results_without_itself(self, tmp_path):
        """A gate could not say that it rests on them."""
        source = folder_of(tmp_path, "a")
        with Store(source) as store:
            add_run(store, {"a": "1"}, manifest={"marked": True})
            add_run(store, {"b": "2"}, manifest={"marked": False})
        file = tmp_path / "evidence"
        send(source, file)
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            for name in ("a", "b"):
                state = pack(dumped(["state", name]))[0]
                connection.execute("DELETE FROM objects WHERE digest = ?", (state,))
        done = take(folder_of(tmp_path, "b"), file)
        assert {"refused"} == {run.outcome for run in done.runs}
        assert (1, 1) == (done.results, done.lost_results)

    def test_a_number_is_given_once(self, tmp_path):
        """Also one that only results and counts name: the next run gets another."""
        source, target = folder_of(tmp_path, "a"), folder_of(tmp_path, "b")
        with Store(source) as store:
            add_run(store, {"a": "1"})
            add_run(store, {"a": "1", "b": "2"}, named=(1, 7))
        send(source, tmp_path / "evidence", number=2)
        done = take(target, tmp_path / "evidence")
        assert [(2, 2)] == [(run.number, run.here) for run in done.runs]
        with Store(target) as store:
            assert 4 == add_run(store, {"c": "3"})
            row = store.run(2)
            assert row is not None
            assert row.summary is not None
            assert [1, 3] == store.get_json(row.summary)["runs"]
