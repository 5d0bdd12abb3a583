"""`oloproof cache` on stores that runs have made: what is listed, found damaged, and dropped."""

from __future__ import annotations

import hashlib

import pytest
from cache_projects import (
    DESK,
    STORE,
    calls,
    case,
    desk,
    essence,
    flip,
    not_whole,
    objects_of,
    remove,
    sql,
)

from oloproof.errors import ConfigurationError, StoreError
from oloproof.store.processes import this_process
from oloproof.workflows.cache import list_cache, prune_cache, verify_cache
from oloproof.workflows.gate import gate
from oloproof.workflows.runs import list_runs

KINDS = {
    *("run", "manifest", "summary", "rows", "pairs", "case", "state"),
    *("evidence", "replay", "result", "note", "unreferenced"),
}
DOCUMENTS = sorted(KINDS - {"run", "result", "unreferenced"})


def run_killed_in_the_middle(tiny) -> None:
    """Leave a run behind as it is after `kill -9`: results, but neither counts nor rows."""
    report = tiny.run()
    path = tiny.folder / STORE
    gone = "UPDATE runs SET status = 'running', process = '', summary = NULL WHERE id = ?"
    sql(path, gone, report.run)
    sql(path, "DELETE FROM chunks WHERE run = ?", report.run)


class TestList:
    def test_it_says_what_each_run_holds(self, tiny):
        """Results and their size stand with the run that made them."""
        desk(tiny, "a", "b").run()
        tiny.run()
        found = list_cache(tiny.folder)
        assert [(2, 2, 0), (1, 2, 10)] == [(r.run, r.cases, r.results) for r in found.runs]
        assert 10 == found.results
        assert found.runs[0].size_bytes == 0 < found.runs[1].size_bytes < found.size_bytes
        assert (".oloproof/store.sqlite", [], []) == (found.path, found.journals, found.set_aside)

    def test_it_says_what_lies_beside(self, tiny):
        """Journals of dead runs and stores that were set aside, with their sizes."""
        desk(tiny, "a").run()
        (tiny.folder / ".oloproof/journal").mkdir(exist_ok=True)
        (tiny.folder / ".oloproof/journal/1-0-77-0.journal").write_bytes(b"12345")
        (tiny.folder / ".oloproof/store.damaged-1.sqlite").write_bytes(b"123")
        found = list_cache(tiny.folder)
        told = [(f.name, f.size_bytes) for f in (*found.journals, *found.set_aside)]
        assert [
            (".oloproof/journal/1-0-77-0.journal", 5),
            (".oloproof/store.damaged-1.sqlite", 3),
        ] == told

    def test_damaged_counts_are_told_and_hide_no_other_run(self, tiny):
        """A list is what one looks at when something is wrong."""
        desk(tiny, "a").run()
        tiny.run()
        flip(tiny.folder / STORE, objects_of(tiny.folder, "summary")[0])
        assert {None, 1} == {run.cases for run in list_cache(tiny.folder).runs}

    def test_where_nothing_ran_there_is_nothing(self, tiny):
        """And nothing is made by looking."""
        desk(tiny, "a")
        with pytest.raises(ConfigurationError, match="nothing has been run"):
            list_cache(tiny.folder)
        assert not (tiny.folder / ".oloproof").exists()


class TestVerify:
    def test_a_store_that_runs_made_is_whole(self, tiny):
        """Something of every kind is there, and checked."""
        desk(tiny, "a", "b").run()
        tiny.run()
        found = verify_cache(tiny.folder)
        assert found.whole
        assert {kind.kind for kind in found.kinds} == KINDS
        assert ([], [], []) == (found.runs, found.problems, found.made_anew)
        counts = {kind.kind: kind.checked for kind in found.kinds}
        assert (2, 2, 1, 10) == tuple(counts[k] for k in ("run", "case", "state", "result"))

    @pytest.mark.parametrize("hurt", [flip, remove])
    @pytest.mark.parametrize("kind", DOCUMENTS)
    def test_what_is_hurt_is_told_by_kind(self, tiny, kind, hurt):
        """One damaged or missing object is found, and no other is suspected."""
        desk(tiny, "a", "b").run()
        digest = objects_of(tiny.folder, kind)[0]
        hurt(tiny.folder / STORE, digest)
        found = verify_cache(tiny.folder)
        assert not found.whole
        counts = (1, 0) if hurt is flip else (0, 1)
        told = not_whole(found)
        assert counts == told.pop(kind)
        # Evidence is also what results are, and lies behind nothing else.
        assert set(told) <= ({"result"} if kind in ("evidence", "replay") else set())
        assert ([] if kind == "note" else [1]) == found.runs
        assert [] != found.made_anew

    @pytest.mark.parametrize("kind", ["rows", "pairs", "case", "state", "evidence", "replay"])
    def test_the_next_run_makes_it_anew(self, tiny, kind):
        """Over unchanged files too, where a run would otherwise look at no object."""
        expected = essence(desk(tiny, "a", "b").run())
        before = calls(tiny.folder)
        for digest in objects_of(tiny.folder, kind):
            flip(tiny.folder / STORE, digest)
        assert not verify_cache(tiny.folder).whole
        assert expected == essence(tiny.run())
        assert verify_cache(tiny.folder).whole
        assert (6 if kind == "evidence" else 0) == calls(tiny.folder) - before

    def test_a_result_that_was_changed_is_made_anew(self, tiny):
        """Its row has a seal: the evidence alone does not show what became of the rest."""
        desk(tiny, "a").run()
        sql(tiny.folder / STORE, "UPDATE results SET limit_s = 9000.0")
        assert {"result": (5, 0)} == not_whole(verify_cache(tiny.folder))
        assert 3 == tiny.run().executed
        assert verify_cache(tiny.folder).whole

    def test_rows_that_are_gone_are_missed(self, tiny):
        """A part that is there is not yet a whole run."""
        desk(tiny, "a").run()
        sql(tiny.folder / STORE, "DELETE FROM chunks")
        found = verify_cache(tiny.folder)
        assert {"run": (0, 1)} == not_whole(found)
        assert [1] == found.runs

    def test_a_killed_run_is_no_damage(self, tiny):
        """It has neither counts nor all of its rows, and that is how it is."""
        desk(tiny, "a")
        run_killed_in_the_middle(tiny)
        assert verify_cache(tiny.folder).whole

    def test_results_that_were_given_up_are_no_damage(self, tiny):
        """Code that changed under a run spoils its results, and they are still what they were."""
        app = DESK.replace(
            "        if Path",
            '        Path("app.py").write_text(Path("app.py").read_text() + "#")\n        if Path',
        )
        assert "failed" == desk(tiny, "a", app=app).run().status
        assert verify_cache(tiny.folder).whole

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE runs SET status = 'compleat'",
            "UPDATE runs SET manifest = 'text'",
            "UPDATE results SET run = 'one'",
            "UPDATE results SET object = CAST(x'ff' AS TEXT)",
            "UPDATE objects SET data = CAST(x'ff' AS TEXT)",
            "UPDATE objects SET codec = 7",
        ],
    )
    def test_nothing_that_a_damaged_row_says_is_believed(self, tiny, change):
        """SQLite gives out whatever is written, also what is no text."""
        desk(tiny, "a").run()
        sql(tiny.folder / STORE, change)
        assert not verify_cache(tiny.folder).whole

    def test_a_file_that_is_no_store_is_not_whole(self, tiny):
        """It is told, and left as it is."""
        desk(tiny, "a").run()
        path = tiny.folder / STORE
        path.write_bytes(b"no database" * 1000)
        found = verify_cache(tiny.folder)
        assert (False, ["the store is damaged: file is not a database"]) == (
            found.whole,
            found.problems,
        )
        assert path.read_bytes().startswith(b"no database")
        assert 3 == tiny.run().executed

    @pytest.mark.parametrize("seed", range(12))
    def test_pages_that_are_hurt_are_found(self, tiny, seed):
        """Wherever in the file: what is told is never that all is well when it is not."""
        import random

        desk(tiny, *(f"c{n}" for n in range(20))).run()
        path = tiny.folder / STORE
        chance = random.Random(seed)
        data = bytearray(path.read_bytes())
        for _ in range(40):
            data[chance.randrange(4096, len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        found = verify_cache(tiny.folder)
        assert not found.whole
        assert [] != found.made_anew


class TestPrune:
    def test_the_newest_runs_stay_and_work(self, tiny):
        """What only older runs needed is gone, and nothing that later runs could reuse."""
        desk(tiny, "a", "b").run()
        tiny.write_cases([case("b"), case("c")])
        expected = essence(tiny.run())
        done = prune_cache(tiny.folder, keep_runs=1)
        assert ([2], [1], []) == (done.kept, done.dropped, done.kept_beyond)
        # Of case a: three executions and the control. The faulted replay came to the same as those
        # of b, which the second run reused: which of the two it was, rows do not say.
        assert 4 == done.results
        assert expected == essence(gate(tiny.folder))
        assert "pass" == tiny.verdict("b", "state_matches").status
        assert verify_cache(tiny.folder).whole
        before = calls(tiny.folder)
        assert 0 == tiny.run().executed
        tiny.write_cases([case("a"), case("c")])
        assert 3 == tiny.run().executed
        assert 3 == calls(tiny.folder) - before

    def test_nothing_unreferenced_is_left(self, tiny):
        """And the file gives back what it no longer needs."""
        for name in ("a", "b", "c"):
            desk(tiny, *(f"{name}{n}" for n in range(60))).run()
        done = prune_cache(tiny.folder, keep_runs=1)
        counts = {kind.kind: kind.checked for kind in verify_cache(tiny.folder).kinds}
        assert (1, 60, 0) == (counts["run"], counts["case"], counts["unreferenced"])
        assert done.size_after_bytes < done.size_before_bytes / 2
        assert (None, 0) == (done.not_smaller, list_cache(tiny.folder).unused_bytes)

    def test_results_of_an_earlier_version_go(self, tiny):
        """Though the system came to the same evidence again, they stand under other keys."""
        desk(tiny, "a").run()
        suite = (tiny.folder / "oloproof.yaml").read_text()
        (tiny.folder / "oloproof.yaml").write_text(suite.replace("version: '1'", "version: '2'"))
        assert 3 == tiny.run().executed
        assert 5 == prune_cache(tiny.folder, keep_runs=1).results
        assert 0 == tiny.run().executed

    def test_a_dry_run_tells_the_same_and_does_nothing(self, tiny):
        """The counts are those of the real thing."""
        desk(tiny, "a").run()
        desk(tiny, "b").run()
        path = tiny.folder / STORE
        before = hashlib.sha256(path.read_bytes()).digest()
        dry = prune_cache(tiny.folder, keep_runs=1, dry_run=True)
        assert before == hashlib.sha256(path.read_bytes()).digest()
        done = prune_cache(tiny.folder, keep_runs=1)
        skip = {"dry_run", "size_after_bytes", "size_before_bytes"}
        assert dry.model_dump(exclude=skip) == done.model_dump(exclude=skip)

    def test_more_runs_than_there_are_all_stay(self, tiny):
        """Nothing to drop is no error."""
        desk(tiny, "a").run()
        done = prune_cache(tiny.folder)
        assert ([1], [], 0) == (done.kept, done.dropped, done.results)

    def test_what_a_killed_run_had_finished_stays_with_it(self, tiny):
        """No row refers to it yet: the next run goes on there."""
        desk(tiny, "a")
        run_killed_in_the_middle(tiny)
        before = calls(tiny.folder)
        prune_cache(tiny.folder, keep_runs=1)
        assert 0 == tiny.run().executed
        assert before == calls(tiny.folder)

    def test_a_run_that_tried_again_stays_while_others_rest_on_it(self, tiny):
        """Or no gate could say any more that failed cases were tried again."""
        (tiny.folder / "broken").touch()
        desk(tiny, "a").run()
        (tiny.folder / "broken").unlink()
        tiny.run(rerun_failed=True)
        tiny.write_cases([case("a"), case("b")])
        tiny.run()
        done = prune_cache(tiny.folder, keep_runs=1)
        assert ([2, 3], [2], [1]) == (done.kept, done.kept_beyond, done.dropped)
        tiny.write_cases([case("a"), case("c")])
        report = tiny.run()
        assert report.gate is not None
        assert "in run 2" in report.gate.notes[0]

    def test_journals_are_left_to_the_next_run(self, tiny):
        """What was finished when a run was killed is nobody's to drop."""
        desk(tiny, "a").run()
        journal = tiny.folder / ".oloproof/journal/1-0-77-0.journal"
        journal.parent.mkdir(exist_ok=True)
        journal.write_bytes(b"")
        prune_cache(tiny.folder, keep_runs=1)
        assert journal.exists()

    def test_results_that_do_not_count_go(self, tiny):
        """They would only be met and passed over."""
        desk(tiny, "a").run()
        sql(tiny.folder / STORE, "UPDATE results SET seal = seal + 1")
        assert 5 == prune_cache(tiny.folder).results
        assert verify_cache(tiny.folder).whole

    def test_nothing_is_dropped_while_a_run_goes_on(self, tiny):
        """It may be about to reuse what would go."""
        desk(tiny, "a").run()
        sql(
            tiny.folder / STORE,
            "UPDATE runs SET status = 'running', process = ?",
            this_process(),
        )
        with pytest.raises(ConfigurationError, match="run 1 is running"):
            prune_cache(tiny.folder)

    def test_a_run_that_tried_again_goes_when_nothing_rests_on_it(self, tiny):
        """That others came to the same evidence does not keep it."""
        desk(tiny, "a").run(rerun_failed=True)
        suite = (tiny.folder / "oloproof.yaml").read_text()
        (tiny.folder / "oloproof.yaml").write_text(suite.replace("version: '1'", "version: '2'"))
        tiny.run()
        assert [1] == prune_cache(tiny.folder, keep_runs=1).dropped

    @pytest.mark.parametrize("kind", ["rows", "summary", "no rows"])
    def test_a_damaged_run_is_not_kept_as_if_it_were_whole(self, tiny, kind):
        """What it rests on cannot be told, so nothing is dropped until the run itself may go."""
        desk(tiny, "a").run()
        if kind == "no rows":
            sql(tiny.folder / STORE, "DELETE FROM chunks")
        else:
            flip(tiny.folder / STORE, objects_of(tiny.folder, kind)[0])
        with pytest.raises(StoreError, match="what it rests on cannot be told") as caught:
            prune_cache(tiny.folder)
        assert "run again, then drop it: `oloproof cache prune --keep-runs 1`" == caught.value.fix
        desk(tiny, "b").run()
        with pytest.raises(StoreError) as caught:
            prune_cache(tiny.folder)
        assert "drop it: `oloproof cache prune --keep-runs 1`" == caught.value.fix
        prune_cache(tiny.folder, keep_runs=1)
        assert [2] == [line.run for line in list_runs(tiny.folder).runs]
        assert verify_cache(tiny.folder).whole

    def test_numbers_of_dropped_runs_are_not_given_again(self, tiny):
        """A result's run must not become another one."""
        desk(tiny, "a").run()
        tiny.run()
        tiny.run()
        prune_cache(tiny.folder, keep_runs=1)
        assert 4 == tiny.run().run
