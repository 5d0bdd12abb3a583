"""Runs that travel from one store to another, whole or damaged on the way."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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

from oloproof.errors import ConfigurationError, OloproofError, StoreError
from oloproof.store.exchange import EXPORT_FORMAT
from oloproof.store.processes import this_process
from oloproof.workflows.cache import export_cache, import_cache, prune_cache, verify_cache
from oloproof.workflows.gate import gate
from oloproof.workflows.inspect import inspect_case, list_cases
from oloproof.workflows.replay import replay
from oloproof.workflows.runs import list_runs


@pytest.fixture
def there(tiny):
    """A second project with the same files, in which nothing has been run."""

    def make(name: str = "there"):
        folder = tiny.folder / name
        folder.mkdir()
        for file in ("app.py", "cases.jsonl", "oloproof.yaml", "release.yaml"):
            shutil.copy(tiny.folder / file, folder / file)
        return type(tiny)(folder)

    return make


def exported(tiny, name: str = "evidence", **options) -> Path:
    """A file with what a project's store holds."""
    file = tiny.folder / name
    export_cache(tiny.folder, file, **options)
    return file


def runs_of(tiny) -> list[int]:
    return [line.run for line in list_runs(tiny.folder).runs]


class TestTheWayThere:
    def test_everything_arrives(self, tiny, there):
        """Gates, cases and replays say there what they say here, and nothing runs again."""
        expected = essence(desk(tiny, "a", "b").run())
        other = there()
        done = import_cache(other.folder, exported(tiny))
        assert 10 == done.results
        assert [(1, 1, "taken")] == [(r.run_there, r.run, r.status) for r in done.runs]
        assert expected == essence(gate(other.folder))
        for folder in (tiny.folder, other.folder):
            assert list_cases(folder) == list_cases(tiny.folder)
            assert inspect_case(folder, "1", "a") == inspect_case(tiny.folder, "1", "a")
            assert replay(folder, "b") == replay(tiny.folder, "b")
        assert verify_cache(other.folder).whole
        report = other.run()
        assert (0, [(1, 6, 4)]) == (
            report.executed,
            [(r.run, r.cases, r.replays) for r in report.reused],
        )
        assert 0 == calls(other.folder)

    def test_runs_get_new_numbers_and_what_names_them_follows(self, tiny, there):
        """Whose results were reused is still told right, among other runs."""
        desk(tiny, "a").run()
        tiny.write_cases([case("a"), case("b")])
        tiny.run()
        file = exported(tiny)
        other = there()
        other.write_cases([case("c")])
        other.run()
        other.run()
        done = import_cache(other.folder, file)
        assert [(1, 3), (2, 4)] == [(r.run_there, r.run) for r in done.runs]
        assert [(3, 3, 2)] == [
            (r.run, r.cases, r.replays) for r in gate(other.folder, run="4").reused
        ]
        other.write_cases([case("a"), case("b"), case("c")])
        report = other.run()
        assert (5, 0) == (report.run, report.executed)
        assert [(1, 3, 2), (3, 3, 2), (4, 3, 2)] == [
            (r.run, r.cases, r.replays) for r in report.reused
        ]

    def test_a_run_that_did_not_come_along_keeps_a_number(self, tiny, there):
        """What it made is never put down to another run."""
        desk(tiny, "a").run()
        tiny.write_cases([case("a"), case("b")])
        tiny.run()
        file = exported(tiny, run="2")
        other = there()
        done = import_cache(other.folder, file)
        assert [(2, 2)] == [(r.run_there, r.run) for r in done.runs]
        assert [1] == [r.run for r in gate(other.folder).reused]
        other.write_cases([case("c")])
        assert 3 == other.run().run

    def test_one_run_comes_with_its_own_alone(self, tiny, there):
        """What other runs had of cases and results stays behind."""
        desk(tiny, "a").run()
        desk(tiny, "b").run()
        done = export_cache(tiny.folder, tiny.folder / "evidence", run="latest")
        assert ([2], [], 5) == (done.runs, done.added, done.results)
        other = there()
        import_cache(other.folder, tiny.folder / "evidence")
        assert ["b"] == [
            line.case for line in list_cases(other.folder).cases if "~" not in line.case
        ]
        counts = {kind.kind: kind.checked for kind in verify_cache(other.folder).kinds}
        assert (1, 0) == (counts["case"], counts["unreferenced"])

    def test_a_run_that_tried_again_comes_along(self, tiny, there):
        """Gates on what rests on it go on saying so."""
        (tiny.folder / "broken").touch()
        desk(tiny, "a").run()
        (tiny.folder / "broken").unlink()
        tiny.run(rerun_failed=True)
        tiny.write_cases([case("a"), case("b")])
        tiny.run()
        done = export_cache(tiny.folder, tiny.folder / "evidence", run="3")
        assert ([2, 3], [2]) == (done.runs, done.added)
        other = there()
        import_cache(other.folder, tiny.folder / "evidence")
        other.write_cases([case("a"), case("c")])
        told = [gate(other.folder), other.run()]
        assert all("were tried again" in " ".join(report.gate.notes) for report in told)

    def test_a_killed_run_arrives_as_interrupted(self, tiny, there):
        """With the results that it had finished."""
        desk(tiny, "a").run()
        path = tiny.folder / STORE
        sql(path, "UPDATE runs SET status = 'running', process = '', summary = NULL")
        sql(path, "DELETE FROM chunks")
        other = there()
        import_cache(other.folder, exported(tiny))
        assert ["interrupted"] == [line.status for line in list_runs(other.folder).runs]
        assert 0 == other.run().executed

    def test_a_run_that_goes_on_stays_behind(self, tiny):
        """It is not what it will be; and alone it is nothing to export."""
        desk(tiny, "a").run()
        tiny.run()
        sql(
            tiny.folder / STORE,
            "UPDATE runs SET status = 'running', process = ? WHERE id = 2",
            this_process(),
        )
        done = export_cache(tiny.folder, tiny.folder / "evidence")
        assert ([1], [2], True) == (done.runs, done.running, done.whole)
        with pytest.raises(ConfigurationError, match="run 2 is running"):
            export_cache(tiny.folder, tiny.folder / "alone", run="2")

    def test_a_missing_module_note_is_no_excuse(self, tiny, there):
        """A module that was loaded by name belongs to the system where it arrives, too."""
        app = "import importlib; importlib.import_module('plug' + 'in')\n" + DESK
        (tiny.folder / "plugin.py").write_text("ADD = 1\n")
        desk(tiny, "a", app=app).run()
        file = exported(tiny)
        same, newer = there("same"), there("newer")
        (same.folder / "plugin.py").write_text("ADD = 1\n")
        (newer.folder / "plugin.py").write_text("ADD = 2\n")
        for project, executed in ((same, 0), (newer, 3)):
            import_cache(project.folder, file)
            assert executed == project.run().executed

    def test_results_with_another_module_under_the_same_digest_are_refused(self, tiny, there):
        """The run can be looked at, and nothing of it is taken for a result of this system."""
        app = "import importlib; importlib.import_module('plug' + 'in')\n" + DESK
        (tiny.folder / "plugin.py").write_text("ADD = 1\n")
        desk(tiny, "a", "b", app=app).run()
        file = exported(tiny)
        other = there()
        (other.folder / "plugin.py").write_text("ADD = 2\n")
        other.write_cases([case("a")])
        other.run()
        done = import_cache(other.folder, file)
        assert (10, 0) == (done.results_refused, done.results)
        assert "pass" == other.verdict("b", "state_matches", run="2").status
        other.write_cases([case("a"), case("b")])
        assert 3 == other.run().executed

    def test_runs_of_another_project_are_refused(self, tiny, there):
        """No command could do anything with them but say so."""
        desk(tiny, "a").run()
        suite = (tiny.folder / "oloproof.yaml").read_text()
        (tiny.folder / "oloproof.yaml").write_text(suite.replace("tiny\n", "small\n", 1))
        with pytest.raises(ConfigurationError, match="`tiny`, and this is `small`"):
            import_cache(there().folder, exported(tiny))
        tiny.write_cases([case("b")])
        tiny.run()
        other = there("other")
        done = import_cache(other.folder, exported(tiny, "both"))
        assert [("refused", "it is one of the project `tiny`, and this is `small`")] == [
            (r.status, r.reason) for r in done.runs if r.run is None
        ]
        assert (5, 0, [1]) == (
            done.results,
            done.results_refused,
            [run.run for run in done.runs if run.run],
        )

    def test_a_run_that_goes_on_meanwhile_is_not_disturbed(self, tiny, there):
        """Exports and imports share the store with it, and nothing is pruned under it."""
        app = DESK.replace(
            "        if Path", "        __import__('time').sleep(0.05)\n        if Path"
        )
        desk(tiny, "a", app=app).run()
        file = exported(tiny)
        other = there()
        other.write_cases([case(f"c{n}") for n in range(30)])
        script = "import sys; from oloproof.cli import main; sys.exit(main(['run', '--json']))"
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=other.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        while not calls(other.folder):
            time.sleep(0.01)
        assert [2] == [run.run for run in import_cache(other.folder, file).runs]
        with pytest.raises(ConfigurationError, match="run 1 is running"):
            prune_cache(other.folder, keep_runs=1)
        done = export_cache(other.folder, other.folder / "meanwhile")
        assert ([2], [1]) == (done.runs, done.running)
        assert verify_cache(other.folder).whole
        out, _ = process.communicate(timeout=120)
        assert (90, "complete") == (json.loads(out)["executed"], json.loads(out)["status"])
        assert verify_cache(other.folder).whole


class TestWhatIsThere:
    def test_it_is_not_taken_twice(self, tiny, there):
        """Not by importing again, and not where the runs came from."""
        desk(tiny, "a").run()
        tiny.run()
        file = exported(tiny)
        other = there()
        import_cache(other.folder, file)
        for folder in (other.folder, tiny.folder):
            done = import_cache(folder, file)
            assert [(1, 1, "there"), (2, 2, "there")] == [
                (r.run_there, r.run, r.status) for r in done.runs
            ]
            assert (0, 5, 0) == (done.results, done.results_there, done.objects)
            assert [2, 1] == [line.run for line in list_runs(folder).runs]

    def test_it_stays_as_it_is(self, tiny, there):
        """A result that is there already is evidence here, whatever another store has."""
        app = DESK.replace('{"answer": "done"}', '{"answer": open("say").read()}')
        (tiny.folder / "say").write_text("there")
        desk(tiny, "a", app=app).run()
        file = exported(tiny)
        other = there()
        (other.folder / "say").write_text("here")
        other.run()
        done = import_cache(other.folder, file)
        # Of its recording here, a replay of the recording there says nothing.
        assert (2, 3) == (done.results, done.results_there)
        other.write_cases([case("a"), case("b")])
        other.run()
        assert {"answer": "here"} == other.panel("a").output
        assert {"answer": "there"} == other.panel("a", run="2").output

    def test_what_was_damaged_here_becomes_whole(self, tiny, there):
        """An object that arrives whole takes the place of a damaged one."""
        desk(tiny, "a").run()
        file = exported(tiny)
        evidence = objects_of(tiny.folder, "evidence")[0]
        flip(tiny.folder / STORE, evidence)
        remove(tiny.folder / STORE, objects_of(tiny.folder, "case")[0])
        assert not verify_cache(tiny.folder).whole
        import_cache(tiny.folder, file)
        assert {} == not_whole(verify_cache(tiny.folder))

    def test_what_was_pruned_comes_back(self, tiny):
        """That is what an export is for."""
        desk(tiny, "a").run()
        file = exported(tiny)
        desk(tiny, "b").run()
        prune_cache(tiny.folder, keep_runs=1)
        done = import_cache(tiny.folder, file)
        assert [(1, 3, "taken")] == [(r.run_there, r.run, r.status) for r in done.runs]
        desk(tiny, "a")
        assert 0 == tiny.run().executed


class TestTheFile:
    def test_the_same_runs_make_the_same_file(self, tiny, there):
        """To the last byte; and other runs make another."""
        desk(tiny, *(f"c{n}" for n in range(30))).run()
        first, second = exported(tiny, "first"), exported(tiny, "second")
        assert first.read_bytes() == second.read_bytes()
        other = there()
        import_cache(other.folder, first)
        again = export_cache(other.folder, other.folder / "again")
        here = export_cache(tiny.folder, tiny.folder / "third")
        assert here.digest == again.digest
        tiny.run()
        assert here.digest != export_cache(tiny.folder, tiny.folder / "fourth").digest

    def test_it_overwrites_nothing_and_leaves_nothing_half(self, tiny):
        """A name that is taken, or a folder that is not there, is refused."""
        desk(tiny, "a").run()
        before = set(tiny.folder.iterdir())
        with pytest.raises(ConfigurationError, match="a file of this name already"):
            export_cache(tiny.folder, tiny.folder / "app.py")
        with pytest.raises(ConfigurationError, match="folder of the file does not exist"):
            export_cache(tiny.folder, tiny.folder / "no" / "evidence")
        with pytest.raises(OloproofError, match="cannot be written"):
            export_cache(tiny.folder, tiny.folder / ("x" * 300))
        assert before == set(tiny.folder.iterdir())

    def test_a_file_that_was_cut_off_is_told_as_that(self, tiny):
        """It is an export, of which only the beginning came along."""
        desk(tiny, "a").run()
        path = tiny.folder / "evidence"
        export_cache(tiny.folder, path)
        path.write_bytes(path.read_bytes()[:6000])
        with pytest.raises(OloproofError, match="it is cut off, 6000 of its"):
            import_cache(tiny.folder, path)

    @pytest.mark.parametrize(
        ("change", "what"),
        [
            (f"PRAGMA user_version = {EXPORT_FORMAT + 1}", "with the version that wrote it"),
            ("PRAGMA user_version = 1", "has format 1; this version.*reads format 2"),
            ("PRAGMA application_id = 0", "no export of a store"),
            ("DELETE FROM content", "rows are not those"),
            ("UPDATE content SET digest = x'00'", "rows are not those"),
            ("DROP TABLE content", "tables are not those of a store"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_refused(self, tiny, there, change, what):
        """And makes no store."""
        desk(tiny, "a").run()
        file = exported(tiny)
        sql(file, change)
        other = there()
        with pytest.raises(OloproofError, match=what):
            import_cache(other.folder, file)
        assert not (other.folder / ".oloproof").exists()

    def test_what_is_no_export_is_refused(self, tiny, there):
        """A text, a store, a folder, nothing at all."""
        desk(tiny, "a").run()
        other = there()
        for name in ("app.py", STORE, ".oloproof", "nothing"):
            with pytest.raises(ConfigurationError, match=r"no (export|such file)"):
                import_cache(other.folder, tiny.folder / name)
        assert not (other.folder / ".oloproof").exists()

    def test_it_has_no_lock_and_no_file_beside_it(self, tiny, there):
        """An export may lie where nobody can write."""
        desk(tiny, "a").run()
        place = tiny.folder / "archive"
        place.mkdir()
        file = exported(tiny, "archive/evidence")
        file.chmod(0o444)
        place.chmod(0o555)
        import_cache(there().folder, file)
        assert [file] == list(place.iterdir())
        place.chmod(0o755)


class TestDamage:
    @pytest.mark.parametrize("hurt", [flip, remove])
    @pytest.mark.parametrize(
        "kind", ["manifest", "summary", "rows", "pairs", "case", "state", "evidence", "replay"]
    )
    def test_a_file_of_which_something_is_damaged_is_refused_whole(self, tiny, there, kind, hurt):
        """Nothing of it is taken, also of the run that is whole, and the store stays as it was."""
        desk(tiny, "a").run()
        desk(tiny, "b").run()
        file = exported(tiny)
        hurt(file, objects_of(tiny.folder, kind, runs=(1,))[0])
        other = there()
        other.write_cases([case("c")])
        expected = essence(other.run())
        with pytest.raises(StoreError, match=r"the export is damaged: (object|its rows)") as caught:
            import_cache(other.folder, file)
        assert (str(file), 2) == (caught.value.where, caught.value.exit_code)
        assert [1] == runs_of(other)
        assert expected == essence(gate(other.folder))
        found = verify_cache(other.folder)
        assert found.whole
        assert 0 == {kind.kind: kind.checked for kind in found.kinds}["unreferenced"]

    @pytest.mark.parametrize("seed", range(25))
    def test_nothing_damaged_is_ever_imported(self, tiny, there, seed):
        """Bits flip anywhere in the file, or its end is missing."""
        names = [f"c{n}" for n in range(12)]
        expected = essence(desk(tiny, *names).run())
        file = exported(tiny)
        chance = random.Random(seed)
        data = bytearray(file.read_bytes())
        if seed % 5 == 0:
            del data[chance.randrange(len(data)) :]
        for _ in range(0 if seed % 5 == 0 else chance.choice((1, 5, 60))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(data)
        other = there()
        try:
            import_cache(other.folder, file)
        except OloproofError:
            assert other.run().executed == 3 * len(names)
            return
        assert verify_cache(other.folder).whole  # the flipped bits are where nothing stands
        assert expected == essence(gate(other.folder))
        assert expected == essence(other.run())

    def test_an_export_leaves_out_what_is_damaged_and_says_so(self, tiny, there):
        """Who deletes the store after it has been told."""
        desk(tiny, "a").run()
        evidence = objects_of(tiny.folder, "case")[0]
        desk(tiny, "b").run()
        flip(tiny.folder / STORE, evidence)
        done = export_cache(tiny.folder, tiny.folder / "evidence")
        assert (False, [2], [1]) == (done.whole, done.runs, done.left_out)
        with pytest.raises(StoreError, match="not whole: there is nothing to export"):
            export_cache(tiny.folder, tiny.folder / "damaged", run="1")
        other = there()
        assert [2] == [
            run.run_there for run in import_cache(other.folder, tiny.folder / "evidence").runs
        ]

    def test_a_run_without_all_of_its_rows_is_left_out(self, tiny):
        """What is left of it would look whole."""
        desk(tiny, "a").run()
        sql(tiny.folder / STORE, "DELETE FROM chunks")
        with pytest.raises(StoreError, match="no run of this store is whole"):
            export_cache(tiny.folder, tiny.folder / "evidence")

    def test_results_without_evidence_are_left_out(self, tiny):
        """Also those that no row refers to yet."""
        desk(tiny, "a").run()
        evidence = objects_of(tiny.folder, "evidence")[0]
        path = tiny.folder / STORE
        sql(path, "UPDATE runs SET status = 'running', process = '', summary = NULL")
        sql(path, "DELETE FROM chunks")
        flip(path, evidence)
        done = export_cache(tiny.folder, tiny.folder / "evidence")
        assert (False, 1, 4) == (done.whole, done.lost_results, done.results)


KILLED = """
import os, sys
from pathlib import Path
from oloproof.store import importing, pruning
from oloproof.workflows.cache import import_cache, prune_cache

owner, name = {place}
whole = getattr(owner, name)

def until(*arguments, **options):
    if {after}: whole(*arguments, **options)
    os.kill(os.getpid(), 9)

setattr(owner, name, until)
{act}
"""


def killed(folder: Path, *, place: str, after: bool, act: str) -> None:
    """Do something in a process that is killed at some place."""
    script = KILLED.format(place=place, after=after, act=act)
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, check=False)
    assert -9 == done.returncode


class TestKilled:
    @pytest.mark.parametrize("after", [False, True])
    @pytest.mark.parametrize(
        "place", ["read_export", "_Import._copy_objects", "_Import._add_run", "_Import._add_notes"]
    )
    def test_an_import_that_is_killed_leaves_the_store_as_it_was(self, tiny, there, place, after):
        """All of it arrives, or nothing; then it can be imported again."""
        desk(tiny, "a", "b").run()
        file = exported(tiny)
        other = there()
        other.write_cases([case("c")])
        expected = essence(other.run())
        owner, _, name = f"importing.{place}".rpartition(".")
        act = f"import_cache(Path('.'), Path({str(file)!r}))"
        killed(other.folder, place=f"{owner}, {name!r}", after=after, act=act)
        assert [1] == runs_of(other)
        assert expected == essence(gate(other.folder))
        found = verify_cache(other.folder)
        assert found.whole
        assert 0 == {kind.kind: kind.checked for kind in found.kinds}["unreferenced"]
        assert [2] == [run.run for run in import_cache(other.folder, file).runs]

    @pytest.mark.parametrize("after", [False, True])
    @pytest.mark.parametrize("place", ["_drop", "_give_back"])
    def test_a_prune_that_is_killed_has_done_all_or_nothing(self, tiny, place, after):
        """The runs that stay are whole in any case."""
        desk(tiny, "a").run()
        expected = essence(desk(tiny, "b").run())
        act = "prune_cache(Path('.'), keep_runs=1)"
        killed(tiny.folder, place=f"pruning, {place!r}", after=after, act=act)
        assert ([2, 1] if place == "_drop" else [2]) == runs_of(tiny)
        assert expected == essence(gate(tiny.folder))
        assert verify_cache(tiny.folder).whole

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(40))
    def test_an_import_killed_at_any_moment(self, tiny, there, seed):
        """Wherever the process is, the store stays usable."""
        desk(tiny, *(f"c{n}" for n in range(400))).run()
        file = exported(tiny)
        other = there()
        act = (
            f"from oloproof.workflows.cache import *; import_cache(Path('.'), Path({str(file)!r}))"
        )
        script = f"from pathlib import Path; {act}"
        process = subprocess.Popen([sys.executable, "-c", script], cwd=other.folder)
        time.sleep(random.Random(seed).uniform(0.1, 0.8))
        process.kill()
        process.wait()
        # A store that was only just begun holds nothing, and says so.
        with contextlib.suppress(ConfigurationError):
            assert runs_of(other) in ([], [1])
            assert verify_cache(other.folder).whole
        import_cache(other.folder, file)
        assert 0 == other.run().executed


# Python itself may lie where nobody may read: what is imported late has to be there before.
READ_ONLY = """
import importlib.metadata
import os
from pathlib import Path
import pydantic
pydantic.TypeAdapter(int)  # nobody may read where it is installed, and it loads more when used
from oloproof.workflows.cache import export_cache, list_cache, verify_cache
if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)
here = Path("project")
print(list_cache(here).results, verify_cache(here).whole, export_cache(here, Path("out/x")).whole)
"""


def test_a_read_only_project_can_be_listed_verified_and_exported(tiny, there):
    """And is left as it is."""
    desk(tiny, "a").run()
    with tempfile.TemporaryDirectory() as name:
        public = Path(name)
        project = public / "project"
        shutil.copytree(tiny.folder, project)
        (public / "out").mkdir()
        (public / "out").chmod(0o777)
        for path in (*project.rglob("*"), project):
            path.chmod(0o555 if path.is_dir() else 0o444)
        public.chmod(0o755)
        held = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY], cwd=public, capture_output=True, text=True
        )
        assert ("5 True True\n", "") == (done.stdout, done.stderr)
        assert held == {path: path.stat().st_mtime_ns for path in project.rglob("*")}
        other = there()
        assert 5 == import_cache(other.folder, public / "out" / "x").results
        for path in (project, *project.rglob("*")):
            path.chmod(0o755)
