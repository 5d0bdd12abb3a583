"""Runs one after another: what is reused, what is said of it, and what is decided again."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from oloproof.errors import ConfigurationError, GateError, StoreError
from oloproof.evaluation.contract import failed
from oloproof.evaluators.state_matches import StateMatches
from oloproof.workflows import gate as decided
from oloproof.workflows import run as workflow
from oloproof.workflows.events import Progress, RunFinished
from oloproof.workflows.gate import assert_gate, gate
from oloproof.workflows.inspect import list_cases
from oloproof.workflows.pairs import pairs
from oloproof.workflows.run import run
from oloproof.workflows.runs import list_runs

APP = """
from pathlib import Path

class Box:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def __call__(self, request):
        with Path("calls").open("a") as calls: calls.write(request["say"] + "\\n")
        self.state["n"] += 1
        if request["say"].startswith("fail") and not Path("fixed").exists():
            raise RuntimeError("not today")
        return {"answer": request["say"]}

system = Box()
"""
RULES = [{"id": "world", "metric": "state_matches", "max_failures": 0}]


def case(name: str, say: str = "hello") -> dict:
    """A case that adds one."""
    return {
        "id": name,
        "input": {"say": say},
        "initial_state": {"n": 0},
        "expected": {"state": {"n": 1}, "answer": say},
    }


def calls(tiny) -> int:
    """How often the system was called, over all runs."""
    return len((tiny.folder / "calls").read_text().splitlines())


def test_a_run_over_the_same_inputs_does_nothing_and_says_where_results_are_from(tiny):
    """Whatever is reused is reused from the run that made it, however many runs lie between."""
    tiny.write(app=APP, cases=[case("a"), case("b")], rules=RULES)
    assert 2 == tiny.run().executed
    for _ in range(2):
        report = tiny.run()
        assert (0, [(1, 2, 0)]) == (
            report.executed,
            [(r.run, r.cases, r.replays) for r in report.reused],
        )
    assert 2 == calls(tiny)
    assert [3, 2, 1] == [line.run for line in list_runs(tiny.folder).runs]
    assert "pass" == tiny.verdict("b", "state_matches").status


def test_what_a_metric_no_longer_speaks_of_is_said(tiny):
    """A case that a metric leaves out since the run before is told, with and without a policy."""
    tiny.write(app=APP, cases=[case("a"), case("b", say="hi")])
    assert [] == tiny.run().notices
    without = case("b", say="hi")
    without["expected"] = {"answer": "hi"}
    tiny.write(
        app=APP,
        cases=[case("a"), without],
        evaluators=[{"type": "state_matches"}, {"type": "exact_match", "field": "answer"}],
    )
    told = (
        "`state_matches` speaks of 1 result, and spoke of 2 in run 1: "
        "more is excluded (no_expected_state 1)."
    )
    assert told in tiny.run().notices
    (tiny.folder / "release.yaml").write_text(json.dumps({"version": 1, "rules": RULES}))
    assert told in gate(tiny.folder).gate.notes
    assert told not in tiny.run().gate.notes  # the run before speaks of as little


def test_an_added_case_runs_alone(tiny):
    """Of a changed dataset only what is new is called."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    tiny.run()
    tiny.write_cases([case("a"), case("b")])
    report = tiny.run()
    assert (1, [(1, 1)]) == (report.executed, [(r.run, r.cases) for r in report.reused])


def test_changed_code_under_an_unchanged_version_is_said_and_not_reused(tiny):
    """A version that did not move does not hide that the code did."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    assert [] == tiny.run().notices
    tiny.write(app=APP + "\n# a comment\n", cases=[case("a")], rules=RULES)
    report = tiny.run()
    assert 1 == report.executed
    assert any("changed but its version is still" in notice for notice in report.notices)


def test_an_imported_module_and_a_prompt_belong_to_the_system(tiny):
    """The source digest covers what the module imports and what `code_paths` names."""
    (tiny.folder / "prompts").mkdir()
    (tiny.folder / "prompts" / "system.txt").write_text("Be kind.")
    (tiny.folder / "helper.py").write_text("ADD = 1\n")
    suite = {
        "app": "import helper\n" + APP,
        "cases": [case("a")],
        "system": {"code_paths": ["prompts/**"]},
    }
    tiny.write(**suite)
    assert 1 == tiny.run().executed
    assert 0 == tiny.run().executed
    (tiny.folder / "helper.py").write_text("ADD = 2\n")
    assert 1 == tiny.run().executed
    (tiny.folder / "prompts" / "system.txt").write_text("Be brief.")
    assert 1 == tiny.run().executed


def test_code_paths_that_match_nothing_are_named_with_their_line(tiny):
    """A pattern is refused where it is written."""
    tiny.write(app=APP, cases=[case("a")], system={"code_paths": ["prompts/**"]})
    with pytest.raises(ConfigurationError, match="matches no file") as caught:
        tiny.run()
    assert re.search(r"oloproof\.yaml:\d+: system\.code_paths$", caught.value.where)


def test_a_module_imported_at_run_time_belongs_to_the_system_too(tiny):
    """What reading the imports cannot see is known from the run before."""
    (tiny.folder / "late.py").write_text("ADD = 1\n")
    body = APP.replace('self.state["n"] += 1', 'self.state["n"] += __import__("late").ADD')
    tiny.write(app=body, cases=[case("a")])
    assert 1 == tiny.run().executed
    assert 0 == tiny.run().executed
    (tiny.folder / "late.py").write_text("ADD = 2\n")
    assert 1 == tiny.run().executed
    (tiny.folder / "late.py").write_text("ADD = 1\n")
    assert 0 == tiny.run().executed


def test_failed_cases_are_tried_again_only_when_asked_and_every_gate_says_so(tiny):
    """Trying until it works leaves a mark that later runs cannot wash off."""
    tiny.write(app=APP, cases=[case("a"), case("b", "fail")], rules=RULES)
    tiny.run()
    assert 0 == tiny.run().executed
    (tiny.folder / "fixed").touch()
    report = tiny.run(rerun_failed=True)
    assert 1 == report.executed
    note = "Failed cases were tried again (--rerun-failed) in run 3."
    assert note in report.gate.notes
    assert note in gate(tiny.folder).gate.notes
    later = tiny.run()
    assert 0 == later.executed
    assert note in later.gate.notes


def test_a_run_that_tried_nothing_again_says_so_and_leaves_no_mark(tiny):
    """A wrong answer is no call that did not complete: what makes a fresh sample is said."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    tiny.run()
    report = tiny.run(rerun_failed=True)
    assert 0 == report.executed
    assert ["--rerun-failed found no case"] == [n[:28] for n in report.notices]
    assert "`version` of the system is raised" in report.notices[0]
    assert [] == [n for n in report.gate.notes if "tried again" in n]
    assert [] == [n for n in tiny.run().gate.notes if "tried again" in n]


def test_a_gate_decides_a_stored_run_under_another_policy_and_runs_nothing(tiny, tmp_path):
    """The policy is no part of a run."""
    tiny.write(app=APP, cases=[case("a"), case("b")], rules=RULES)
    tiny.run()
    strict = tiny.folder / "strict.yaml"
    strict.write_text("version: 1\nrules: [{id: world, metric: state_matches, min: 0.99}]\n")
    assert "ALLOW" == gate(tiny.folder).gate.verdict
    decided = gate(tiny.folder, policy=strict).gate
    assert ("BLOCK", 3) == (decided.verdict, decided.exit_code)
    assert_gate(tiny.folder)
    with pytest.raises(GateError, match="BLOCK"):
        assert_gate(tiny.folder, policy=strict)
    assert 2 == calls(tiny)


def test_a_rule_that_names_no_metric_is_refused_before_anything_runs(tiny):
    """The nearest metric is named, and the line of the rule."""
    tiny.write(app=APP, cases=[case("a")], rules=[{**RULES[0], "metric": "state_match"}])
    with pytest.raises(ConfigurationError) as caught:
        tiny.run()
    assert "state_matches" in caught.value.fix
    assert "release.yaml:" in caught.value.where
    assert not (tiny.folder / "calls").exists()


def test_a_gate_without_runs_or_without_policy_is_a_usage_error(tiny):
    """There is nothing to decide, or nothing to decide it by."""
    tiny.write(app=APP, cases=[case("a")])
    with pytest.raises(ConfigurationError, match="nothing has been run"):
        gate(tiny.folder)
    report = tiny.run()
    assert report.gate is None
    with pytest.raises(ConfigurationError, match="no policy"):
        gate(tiny.folder)
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    with pytest.raises(ConfigurationError, match="no run"):
        gate(tiny.folder, run="7")


def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(tiny):
    """Ctrl-C ends a run with exit code 5; the next one calls only what was left."""
    tiny.write(app=APP, cases=[case(f"c{n}") for n in range(40)], rules=RULES)
    events = run(tiny.folder)
    for event in events:
        if isinstance(event, Progress) and event.done == 3:
            break
    finished = None
    try:
        event = events.throw(KeyboardInterrupt)
        while True:
            finished = event if isinstance(event, RunFinished) else finished
            event = next(events)
    except StopIteration:
        pass
    assert finished is not None
    assert ("interrupted", 5) == (finished.report.status, finished.exit_code)
    assert 3 == finished.report.cases
    assert "BLOCK" == gate(tiny.folder).gate.verdict
    before = calls(tiny)
    report = tiny.run()
    assert ("complete", 40) == (report.status, report.cases)
    assert calls(tiny) - before == report.executed < 40


def test_the_list_of_failures_names_the_checks_and_their_causes(tiny):
    """Only cases with something failed or missing are listed."""
    tiny.write(
        app=APP,
        cases=[case("a"), case("b", "fail")],
        evaluators=[{"type": "exact_match", "field": "answer"}, {"type": "state_matches"}],
    )
    tiny.run()
    assert ["a", "b"] == [line.case for line in list_cases(tiny.folder).cases]
    (line,) = list_cases(tiny.folder, failures=True).cases
    assert ("b", "raised", {"exact_match": "raised"}) == (line.case, line.outcome, line.failed)


TRANSFORMS = {
    "transforms": [
        {
            "name": "polite",
            "field": "say",
            "template": "Please: {value}",
            "validity_labels": "labels.jsonl",
        }
    ]
}
RELATION = {"type": "metamorphic_relation", "relation": "same_state", "transform": "polite"}


def test_pairs_are_written_once_and_count_once_labelled(tiny):
    """Lines that wait to be filled in are not written again, and labels count at the gate."""
    tiny.write(
        app=APP,
        cases=[case(f"c{n:02d}", f"text {n}") for n in range(24)],
        evaluators=[RELATION],
        rules=[{"id": "pairs", "metric": "same_state_under_polite", "min": 0.8}],
        metamorphic=TRANSFORMS,
    )
    assert "labels.jsonl" == tiny.run().validity[0].absent
    path = tiny.folder / "labels.jsonl"
    assert 24 == len(pairs(tiny.folder, "polite", write=True).unlabelled)
    pairs(tiny.folder, "polite", write=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert 24 == len(lines)
    assert "transform_not_checked" == tiny.run().gate.decisions[0].reason
    nobody = [line | {"kept": True} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in nobody))
    unsigned = gate(tiny.folder).validity[0]
    assert (0, 24, None, False) == (
        unsigned.labelled,
        unsigned.unsigned,
        unsigned.absent,
        unsigned.valid,
    )
    kept = [line | {"kept": True, "labeller": "the test"} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    assert "ALLOW" == gate(tiny.folder).gate.verdict
    tiny.write_cases([case(f"c{n:02d}", f"text {n}" + "!" * (n == 0)) for n in range(24)])
    edited = tiny.run()
    assert ("transform_not_checked", 1, 23) == (
        edited.gate.decisions[0].reason,
        edited.validity[0].unmatched,
        edited.validity[0].labelled,
    )


def test_a_transform_that_changes_nothing_is_refused(tiny):
    """Before anything runs, with the line of the transform."""
    idle = {"name": "idle", "field": "say", "replace": [["nowhere", "anywhere"]]}
    tiny.write(
        app=APP,
        cases=[case("a")],
        evaluators=[RELATION | {"transform": "idle"}],
        metamorphic={"transforms": [idle]},
    )
    with pytest.raises(ConfigurationError, match="changes nothing in any of the 1 cases") as caught:
        tiny.run()
    assert "oloproof.yaml:" in caught.value.where


def test_a_case_without_a_world_is_refused_where_a_world_is_needed(tiny):
    """A check that needs it, or a system with a sandbox: no case may see another's world."""
    stateless = {"id": "b", "input": {"say": "x"}}
    tiny.write(
        app=APP,
        cases=[case("a"), stateless],
        evaluators=[{"type": "state_unchanged", "paths": ["n"]}],
    )
    with pytest.raises(ConfigurationError, match="`state_unchanged` needs one") as caught:
        tiny.run()
    assert caught.value.where.endswith("cases.jsonl:2: initial_state")
    null = stateless | {"initial_state": None}
    untouched = [{"type": "state_unchanged", "paths": ["n"]}]
    tiny.write(app=APP.replace('self.state["n"] += 1', "pass"), cases=[null], evaluators=untouched)
    assert "complete" == tiny.run().status
    tiny.write(app=APP, cases=[case("a"), stateless])
    with pytest.raises(ConfigurationError, match="has a sandbox to reset"):
        tiny.run()


def test_a_system_that_cannot_be_loaded_is_a_usage_error(tiny):
    """What is wrong with the callable is said as with any other name."""
    tiny.write(app="sistem = print", cases=[case("a")])
    with pytest.raises(ConfigurationError, match="has no `system`") as caught:
        tiny.run()
    assert "sistem" in caught.value.fix


def test_damaged_evidence_is_made_anew_and_never_shown(tiny):
    """A flipped byte in the store costs one more call and no wrong verdict."""
    import sqlite3

    tiny.write(app=APP, cases=[case("a"), case("b")], rules=RULES)
    tiny.run()
    path = tiny.folder / ".oloproof" / "store.sqlite"
    with sqlite3.connect(path) as store:
        store.execute(
            "UPDATE objects SET data = CAST('x' AS BLOB) "
            "WHERE digest IN (SELECT object FROM results)"
        )
    with pytest.raises(StoreError, match="damaged"):
        tiny.panel("a")
    assert 2 == tiny.run().executed
    assert 0 == tiny.run().executed
    assert "pass" == tiny.verdict("a", "state_matches").status


def test_a_dataset_that_changes_while_it_is_run_decides_nothing(tiny):
    """What was looked through is what has to be run, or the run has failed."""
    tiny.write(app=APP, cases=[case(f"c{n:03d}") for n in range(300)], rules=RULES)
    events = run(tiny.folder)
    for event in events:
        if isinstance(event, Progress):
            with (tiny.folder / "cases.jsonl").open("a") as dataset:
                dataset.write(json.dumps(case("one more")) + "\n")
            break
    (finished,) = [event for event in events if isinstance(event, RunFinished)]
    assert ("failed", 5) == (finished.report.status, finished.exit_code)
    assert any("the dataset changed" in notice for notice in finished.report.notices)


def test_code_that_changes_while_it_is_run_leaves_nothing_to_reuse(tiny):
    """Which code made which result is not known, so none of them is good again."""
    tiny.write(app=APP, cases=[case("a"), case("b")], rules=RULES)
    events = run(tiny.folder)
    for event in events:
        if isinstance(event, Progress):
            (tiny.folder / "app.py").write_text(APP + "\n# edited\n")
    (tiny.folder / "app.py").write_text(APP)
    assert "failed" == gate_status(tiny)
    assert 2 == tiny.run().executed


def gate_status(tiny) -> str:
    """The status of the latest run."""
    return gate(tiny.folder).status


def test_a_refused_system_leaves_no_run_behind(tiny):
    """What never began is not the latest run."""
    tiny.write(app="sistem = print", cases=[case("a")], rules=RULES)
    with pytest.raises(ConfigurationError):
        tiny.run()
    assert [] == list_runs(tiny.folder).runs


def test_a_gate_says_when_the_project_is_not_what_was_run(tiny):
    """A stored run decides what was run then; asserting the latest needs it to be of now."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    tiny.run()
    assert [] == gate(tiny.folder).gate.notes
    tiny.write(app=APP + "\n# edited\n", cases=[case("a")], rules=RULES)
    assert any("has changed since run 1" in note for note in gate(tiny.folder).gate.notes)
    with pytest.raises(GateError, match="has changed since run 1"):
        assert_gate(tiny.folder)
    assert_gate(tiny.folder, run="1")


def test_another_projects_store_decides_nothing(tiny, tmp_path):
    """A run names the project that it is of."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    tiny.run()
    document = (tiny.folder / "oloproof.yaml").read_text()
    (tiny.folder / "oloproof.yaml").write_text(document.replace("project: tiny", "project: other"))
    with pytest.raises(ConfigurationError, match="is one of the project `tiny`"):
        gate(tiny.folder)


def test_a_run_in_which_calls_did_not_complete_is_never_simply_allowed(tiny):
    """Rules may pass although calls raised: then the gate warns, and says how many."""
    tiny.write(app=APP, cases=[case("a"), case("b", "fail")], rules=RULES)
    decided = tiny.run().gate
    assert ("WARN", 0) == (decided.verdict, decided.exit_code)
    assert "Of 2 calls not all were completed: 1 raised." in decided.notes


def test_a_broken_file_of_labels_is_refused_before_anything_runs(tiny):
    """Labels are read at the gate, but what is wrong with them is said at once."""
    tiny.write(app=APP, cases=[case("a")], evaluators=[RELATION], metamorphic=TRANSFORMS)
    (tiny.folder / "labels.jsonl").write_text('{"case": "a", "digest": "x", "kept": "yes"}\n')
    with pytest.raises(ConfigurationError, match="kept") as caught:
        tiny.run()
    assert "labels.jsonl:1" in caught.value.where
    assert not (tiny.folder / "calls").exists()


FLAKY = APP.replace(
    'raise RuntimeError("not today")',
    'from oloproof import TransientError; raise TransientError("busy")',
)


def test_declared_retries_are_made_recorded_and_told(tiny):
    """A transient error is tried again in a sandbox freshly reset, and no wrong world is hidden."""
    fix = 'if len(Path("calls").read_text().split()) > 1: Path("fixed").touch()'
    app = FLAKY.replace('self.state["n"] += 1', f'self.state["n"] += 1\n        {fix}')
    tiny.write(
        app=app,
        cases=[case("a", "fail")],
        rules=RULES,
        retries={"attempts": 3, "wait_s": 0.01},
    )
    report = tiny.run()
    assert {"completed": 1} == report.outcomes
    assert 2 == calls(tiny)
    assert any("tried more than once" in note for note in report.gate.notes)
    panel = tiny.panel("a")
    assert ["raised", "completed"] == [attempt.status for attempt in panel.attempts]
    assert "pass" == tiny.verdict("a", "state_matches").status


@pytest.mark.parametrize("place", ["src", "elsewhere"])
def test_a_system_that_lies_elsewhere_on_the_path_is_covered_too(
    tiny, tmp_path_factory, monkeypatch, place
):
    """In `src/`, or installed outside of the project, its package makes the source digest."""
    base = tiny.folder / "src" if place == "src" else tmp_path_factory.mktemp("site")
    (base / "desk_package").mkdir(parents=True)
    (base / "desk_package" / "__init__.py").touch()
    (base / "desk_package" / "rules.py").write_text("ADD = 1\n")
    module = base / "desk_package" / "agent.py"
    module.write_text("from desk_package import rules\n" + APP)
    monkeypatch.syspath_prepend(str(base))
    monkeypatch.setenv("PYTHONPATH", str(base))
    callable_ = "desk_package.agent:system"
    tiny.write(app="", cases=[case("a")], system={"callable": callable_, "version": "auto"})
    assert 1 == tiny.run().executed
    assert 0 == tiny.run().executed
    (base / "desk_package" / "rules.py").write_text("ADD = 2\n")
    assert 1 == tiny.run().executed


def test_a_run_that_was_killed_can_be_listed_and_decided(tiny):
    """Without a summary there is nothing to decide on, which blocks, and nothing crashes."""
    from oloproof.store.database import Store

    tiny.write(app=APP, cases=[case("a")], evaluators=[RELATION], rules=[], metamorphic=TRANSFORMS)
    rules = "version: 1\nrules: [{id: p, metric: same_state_under_polite, min: 0.8}]\n"
    (tiny.folder / "release.yaml").write_text(rules)
    (tiny.folder / "labels.jsonl").touch()
    events = run(tiny.folder)
    next(events)
    with Store(tiny.folder / ".oloproof") as store:
        (row,) = store.runs()
        assert "running" == row.status
    assert [5] == [gate(tiny.folder).gate.exit_code]
    assert ["BLOCK"] == [line.verdict or "BLOCK" for line in list_runs(tiny.folder).runs]
    events.close()


def test_a_metric_that_failed_without_a_rule_is_named_at_the_gate(tiny):
    """What nobody decides on is said, so that it is left out on purpose."""
    tiny.write(
        app=APP,
        cases=[case("a") | {"expected": {"answer": "other", "state": {"n": 1}}}],
        evaluators=[{"type": "exact_match", "field": "answer"}, {"type": "state_matches"}],
        rules=RULES,
    )
    assert "No rule speaks of `exact_match`: 0 of 1 passed." in tiny.run().gate.notes


def test_a_module_that_python_has_already_is_not_taken_for_the_users(tiny):
    """A project's random.py is never loaded: its name is Python's."""
    (tiny.folder / "random.py").write_text("system = print\n")
    tiny.write(app="", cases=[case("a")], system={"callable": "random:system"})
    with pytest.raises(ConfigurationError, match="another module is called `random` too") as caught:
        tiny.run()
    assert "oloproof.yaml" in caught.value.where


def test_a_path_that_no_case_has_is_refused_or_told(tiny):
    """A check that would compare nothing is refused; one that guards nothing yet is told."""
    by_path = {"type": "state_matches", "mode": "paths", "paths": ["nn"]}
    tiny.write(app=APP, cases=[case("a")], evaluators=[by_path])
    with pytest.raises(ConfigurationError, match="which no case's initial or expected state has"):
        tiny.run()
    untouched = {"type": "state_unchanged", "paths": ["m"]}
    tiny.write(app=APP, cases=[case("a")], evaluators=[untouched])
    assert any("names the path `m`" in notice for notice in tiny.run().notices)


def test_another_object_of_the_same_module_is_another_system(tiny):
    """Name, version and source are the same, and nothing of the one counts for the other."""
    app = APP + "\nclass Idle(Box):\n    def __call__(self, request): return {}\n"
    expected = {"expected": {"state": {"n": 1}}}
    tiny.write(app=app, cases=[case("a") | expected], system={"callable": "app:Box"}).run()
    assert "pass" == tiny.verdict("a", "state_matches").status
    tiny.write(app=app, cases=[case("a") | expected], system={"callable": "app:Idle"})
    assert 1 == tiny.run().executed
    assert "fail" == tiny.verdict("a", "state_matches").status


def test_what_needed_a_retry_is_not_taken_for_what_needs_none(tiny):
    """Declared attempts are part of how evidence was made; other waits make none other."""
    write = lambda **retries: tiny.write(app=APP, cases=[case("a")], retries=retries)  # noqa: E731
    write(attempts=3, on=["RuntimeError"], wait_s=0).run()
    assert 0 == write(attempts=3, on=["RuntimeError"], wait_s=1).run().executed
    assert 1 == write(attempts=1).run().executed


FAULTY = """
import oloproof

class Box:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    @oloproof.tool
    def add(self): self.state["n"] += 1
    def __call__(self, request):
        try: self.add()
        except RuntimeError: return {"answer": "no"}
        return {"answer": "yes"}

system = Box()
"""


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("contract", 99, (1, 2)),
        ("python", "another", (1, 2)),
        ("replay", 99, (0, 2)),
        ("judging", "another", (0, 0)),
    ],
)
def test_another_release_makes_anew_what_it_would_make_otherwise(
    tiny, monkeypatch, field, value, expected
):
    """A raised contract runs again, a raised replay version replays, another judge judges."""
    fault = {"type": "fault_recovery", "tool": "add", "fault": "error"}
    tiny.write(app=FAULTY, cases=[case("a")], evaluators=[{"type": "state_matches"}, fault])
    first = tiny.run()
    assert (1, 2) == (first.executed, first.replayed)
    of_files = workflow.fingerprint_of
    monkeypatch.setattr(
        workflow, "fingerprint_of", lambda *args: replace(of_files(*args), **{field: value})
    )
    again = tiny.run()
    assert expected == (again.executed, again.replayed)
    assert (0, 0) == ((last := tiny.run()).executed, last.replayed)


def test_no_old_verdict_survives_a_judge_that_changed(tiny, monkeypatch):
    """The evidence is reused, and judged by what judges now; until then the gate says it."""
    tiny.write(app=APP, cases=[case("a")], rules=RULES)
    assert "ALLOW" == tiny.run().gate.verdict
    of_files = workflow.fingerprint_of
    monkeypatch.setattr(StateMatches, "evaluate", lambda *_: failed(detail="made to fail"))
    for place in (workflow, decided):
        monkeypatch.setattr(
            place, "fingerprint_of", lambda *args: replace(of_files(*args), judging="another")
        )
    assert any("judged by another Oloproof" in note for note in gate(tiny.folder).gate.notes)
    report = tiny.run()
    assert ("BLOCK", 0) == (report.gate.verdict, report.executed)
    assert [] == gate(tiny.folder).gate.notes


def test_a_run_that_was_refused_does_not_swallow_that_the_code_changed(tiny):
    """The next run that begins says it, for it is the one that runs the new code."""
    tiny.write(app=APP, cases=[case("a")])
    tiny.run()
    tiny.write(app=APP + "\nLIMIT = 3\n", cases=[case("a") | {"initial_state": 3, "extra": 1}])
    with pytest.raises(ConfigurationError):
        tiny.run()
    tiny.write_cases([case("a")])
    assert any("changed but its version" in notice for notice in tiny.run().notices)
    assert not any("changed but its version" in notice for notice in tiny.run().notices)
