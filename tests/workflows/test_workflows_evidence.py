"""Evidence that holds: what a run says of systems that misbehave, and what it never says."""

from __future__ import annotations

from typing import Any

import pytest

BOX = """
class Box:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def __call__(self, request):
        {body}
system = Box()
"""
"""A sandbox whose call is still to be written."""

STATE = [{"type": "state_matches"}, {"type": "state_unchanged", "paths": ["other"]}]


def case(name: str, **fields: Any) -> dict[str, Any]:
    """A case over a world with one number and another that nobody should touch."""
    return {
        "id": name,
        "input": {"name": name},
        "initial_state": {"n": 0, "other": 1},
        "expected": {"answer": "done", "state": {"n": 1, "other": 1}},
    } | fields


def test_equal_trajectories_over_different_worlds_share_nothing(tiny):
    """Two cases that differ only in their initial state have results of their own."""
    body = 'return {"answer": "done"}'
    same = {"input": {}, "expected": {"state": {"n": 1}}}
    tiny.write(
        app=BOX.format(body=body),
        cases=[
            {"id": "a", **same, "initial_state": {"n": 1}},
            {"id": "b", **same, "initial_state": {"n": 2}},
        ],
    )
    report = tiny.run()
    assert 2 == report.executed
    assert "pass" == tiny.verdict("a", "state_matches").status
    assert "fail" == tiny.verdict("b", "state_matches").status


def test_a_changed_initial_state_is_run_again_and_a_changed_expectation_is_not(tiny):
    """What the agent sees enters the key; what is expected of it does not."""
    body = 'self.state["n"] += 1; return {"answer": "done"}'
    tiny.write(app=BOX.format(body=body), cases=[case("a"), case("b")])
    assert 2 == tiny.run().executed
    tiny.write_cases([case("a"), case("b", expected={"state": {"n": 7, "other": 1}})])
    judged_again = tiny.run()
    assert 0 == judged_again.executed
    assert "fail" == tiny.verdict("b", "state_matches").status
    tiny.write_cases([case("a"), case("b", initial_state={"n": 6, "other": 1})])
    assert 1 == tiny.run().executed


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("import sys; sys.exit(0)", "exited"),
        ("raise ValueError('no such order')", "raised"),
        ("raise KeyboardInterrupt", "raised"),
        ("import os; os._exit(0)", "exited"),
        ("import datetime; return {'at': [datetime.date(2026, 1, 2)]}", "not_json"),
        ("return {'tags': {1, 2}}", "not_json"),
        ("return {'rate': float('nan')}", "not_json"),
        ("return {'raw': b'x'}", "not_json"),
        ("return {1: 'x'}", "not_json"),
    ],
)
def test_a_case_that_ends_badly_costs_itself_alone(tiny, body, status):
    """However one case ends, the others are run, and its output check fails with the cause."""
    bad = f"if request['name'] == 'bad': {body}"
    app = BOX.format(body=f'{bad}\n        self.state["n"] += 1; return {{"answer": "done"}}')
    answers = {"type": "exact_match", "field": "answer", "expected_field": "answer"}
    tiny.write(
        app=app,
        cases=[case("first"), case("bad"), case("last")],
        evaluators=[answers, *STATE],
        rules=[{"id": "answers", "metric": "exact_match", "max_failures": 0}],
    )
    report = tiny.run()
    assert {"completed": 2, status: 1} == report.outcomes
    assert report.gate is not None
    assert 1 == report.gate.exit_code
    verdict = tiny.verdict("bad", "exact_match")
    assert ("fail", status) == (verdict.status, verdict.label)
    assert "pass" == tiny.verdict("last", "state_matches").status


def test_the_path_of_a_value_that_is_not_json_is_named(tiny):
    """The outcome says which value of the output JSON cannot hold."""
    body = "return {'order': {'lines': [1, {2, 3}]}}"
    tiny.write(app=BOX.format(body=body), cases=[case("a")])
    tiny.run()
    outcome = tiny.panel("a").outcome
    assert ("not_json", "order.lines[1]") == (outcome.status, outcome.where)


def test_a_crash_after_damage_leaves_its_snapshot(tiny):
    """The world is read out after a crash, so that damage is seen and judged."""
    body = 'self.state["other"] = 9; raise RuntimeError("half way")'
    tiny.write(app=BOX.format(body=body), cases=[case("a")], evaluators=STATE)
    tiny.run()
    verdict = tiny.verdict("a", "state_unchanged")
    assert "fail" == verdict.status
    assert [("other", 1, 9)] == [(c.path, c.expected, c.actual) for c in verdict.compared]


def test_what_died_with_its_process_has_no_world(tiny):
    """Without a snapshot a check of the state is missing, never a pass."""
    tiny.write(app=BOX.format(body="import os; os._exit(3)"), cases=[case("a")], evaluators=STATE)
    tiny.run()
    assert "missing" == tiny.verdict("a", "state_matches").status
    assert "missing" == tiny.verdict("a", "state_unchanged").status


def test_a_hanging_call_is_ended_and_the_rest_is_run(tiny):
    """A call past its deadline costs its own case, and is not called again by the next run."""
    body = 'import time; time.sleep(60 if request["name"] == "b" else 0); return {"answer": "done"}'
    tiny.write(
        app=BOX.format(body=body),
        cases=[case("a"), case("b"), case("c")],
        system={"timeout_s": 0.2},
    )
    assert {"completed": 2, "timed_out": 1} == tiny.run().outcomes
    assert 0 == tiny.run().executed
    assert "missing" == tiny.verdict("b", "state_matches").status


def test_state_unchanged_knows_absent_places_and_dotted_keys(tiny):
    """Absent in both is unchanged, one that appears is a change, and keys may hold dots."""
    body = 'self.state["made"] = 1; self.state["a.b"] = 2; return {"answer": "done"}'
    checks = [
        {"type": "state_unchanged", "criterion": "still_absent", "paths": ["never.there"]},
        {"type": "state_unchanged", "criterion": "appeared", "paths": ["made"]},
        {"type": "state_unchanged", "criterion": "dotted", "paths": ['"a.b"']},
    ]
    start = {"n": 0, "a.b": 1}
    tiny.write(app=BOX.format(body=body), cases=[case("a", initial_state=start)], evaluators=checks)
    tiny.run()
    assert "pass" == tiny.verdict("a", "still_absent").status
    assert "fail" == tiny.verdict("a", "appeared").status
    assert "fail" == tiny.verdict("a", "dotted").status


def test_true_is_not_one_and_one_is_one_point_zero(tiny):
    """States are compared by JSON value."""
    body = 'self.state["n"] = request["name"] == "t" or 1.0; return {"answer": "done"}'
    tiny.write(app=BOX.format(body=body), cases=[case("t"), case("f")])
    tiny.run()
    assert "fail" == tiny.verdict("t", "state_matches").status
    assert "pass" == tiny.verdict("f", "state_matches").status


KINDS = {
    "class": "class System:\n    def __call__(self, _): return {'answer': 'done'}\nsystem = System",
    "instance": (
        "class System:\n    def __call__(self, _): return {'answer': 'done'}\nsystem = System()"
    ),
    "factory": "def system():\n    return lambda request: {'answer': 'done'}",
    "function": "def system(request): return {'answer': 'done'}",
    "bound method": (
        "class System:\n    def ask(self, _): return {'answer': 'done'}\nsystem = System().ask"
    ),
    "async function": "async def system(request): return {'answer': 'done'}",
    "async instance": (
        "class System:\n    async def __call__(self, request): return {'answer': 'done'}\n"
        "system = System()"
    ),
    "async bound method": (
        "class System:\n    async def ask(self, request): return {'answer': 'done'}\n"
        "system = System().ask"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_callable_is_called(tiny, kind):
    """A class, an instance, a factory, a function and a bound method work, sync and async."""
    answers = {"type": "exact_match", "field": "answer", "expected_field": "answer"}
    plain = {"id": "a", "input": {}, "expected": {"answer": "done"}}
    tiny.write(app=KINDS[kind], cases=[plain], evaluators=[answers])
    report = tiny.run()
    assert [(1, 1)] == [(metric.passed, metric.observed) for metric in report.metrics]


def test_replicates_and_pairs_still_decide(tiny):
    """With replicates beside metamorphic copies the clustered interval decides."""
    body = 'self.state["n"] += 1; return {"answer": "done"}'
    cases = [case(f"c{n:02d}", input={"message": f"Please do {n}."}) for n in range(24)]
    tiny.write(
        app=BOX.format(body=body),
        cases=cases,
        evaluators=[
            {"type": "state_matches"},
            {"type": "metamorphic_relation", "relation": "same_state", "transform": "polite"},
        ],
        rules=[
            {"id": "world", "metric": "state_matches", "min": 0.8},
            {"id": "pairs", "metric": "same_state_under_polite", "min": 0.8},
        ],
        replicates=3,
        metamorphic={
            "transforms": [
                {
                    "name": "polite",
                    "field": "message",
                    "template": "Hello. {value}",
                    "validity_labels": "labels.jsonl",
                }
            ]
        },
    )
    (tiny.folder / "labels.jsonl").touch()
    label_all(tiny.folder, "polite")
    report = tiny.run()
    assert report.gate is not None
    assert ["PASS", "PASS"] == [decision.status for decision in report.gate.decisions]
    assert [(72, 24)] * 3 == [(m.observed, m.clusters) for m in report.metrics]
    assert 216 == report.executed


def label_all(folder: Any, transform: str) -> None:
    """Label every pair as kept, as a person would who had read them."""
    import json

    from oloproof.workflows.pairs import pairs

    lines = [
        {"case": pair.case, "digest": pair.digest, "kept": True, "labeller": "the test"}
        for pair in pairs(folder, transform, write=False).unlabelled
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "labels.jsonl").write_text(text)


def test_what_is_redacted_never_reaches_the_disk_and_is_compared_redacted(tiny, monkeypatch):
    """A secret in the input, the world and the output is gone from the store, and still matches."""
    secret = "hunter2-and-more"
    monkeypatch.setenv("DESK_TOKEN", secret)
    body = 'self.state["seen"] = request["token"]; return {"answer": request["token"]}'
    pad = {f"k{n}": "x" * 20 for n in range(60)}  # large enough to be kept as a patch
    tiny.write(
        app=BOX.format(body=body),
        cases=[
            {
                "id": "a",
                "input": {"token": secret},
                "initial_state": {"was": secret, **pad},
                "expected": {"answer": secret, "state": {"was": secret, "seen": secret, **pad}},
            }
        ],
        evaluators=[
            {"type": "state_matches"},
            {"type": "exact_match", "field": "answer"},
            {"type": "state_unchanged", "paths": ["was"]},
        ],
        redact=["DESK_TOKEN"],
    )
    tiny.run()
    statuses = {v.metric: v.status for v in tiny.panel("a").verdicts}
    assert {"state_matches": "pass", "exact_match": "pass", "state_unchanged": "pass"} == statuses
    import sqlite3
    import zlib

    with sqlite3.connect(tiny.folder / ".oloproof" / "store.sqlite") as store:
        rows = store.execute("SELECT codec, data FROM objects").fetchall()
    kept = b"".join(zlib.decompress(data) if codec else data for codec, data in rows)
    assert secret.encode() not in kept
    assert b"[redacted:DESK_TOKEN]" in kept
