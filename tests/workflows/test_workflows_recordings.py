"""Runs over what was recorded elsewhere: judged like any other, without its agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.views.stored import open_store
from oloproof.workflows.check import check
from oloproof.workflows.replay import checkpoints, replay

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

EVALUATORS: list[dict[str, Any]] = [
    {"type": "state_matches"},
    {"type": "exact_match"},
    {"type": "fault_recovery", "tool": "refund", "fault": "error"},
]


def case(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "input": {"order": name},
        "initial_state": {"refunds": []},
        "expected": {"state": {"refunds": [name]}, "answer": "refunded"},
    } | fields


def recorded(name: str, **fields: Any) -> dict[str, Any]:
    """A recording of a case that went well."""
    steps = [
        {"index": 1, "kind": "tool_call", "tool_name": "refund", "latency_ms": 4.5},
        {"index": 2, "kind": "final", "result": "refunded"},
    ]
    return {
        "case": name,
        "output": "refunded",
        "trajectory": {"steps": steps, "terminal_status": "success"},
        "states": [{"patch": [{"op": "add", "path": "/refunds/-", "value": name}]}],
    } | fields


def write_recordings(tiny: TinyProject, *lines: dict[str, Any]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tiny.folder / "recorded.jsonl").write_text(text)


def write(tiny: TinyProject, *lines: dict[str, Any], **given: Any) -> None:
    """Cases `a` to `c`, unless others are given, with what was recorded of them."""
    write_recordings(tiny, *lines)
    given = {"cases": [case(name) for name in "abc"], "evaluators": EVALUATORS} | given
    system = {"callable": None, "recorded": "recorded.jsonl"} | given.pop("system", {})
    tiny.write(app="raise RuntimeError('nothing is run')", system=system, **given)


def statuses(tiny: TinyProject, name: str) -> list[tuple[str, str | None]]:
    return [(v.status, v.reason or v.label) for v in tiny.panel(name).verdicts]


def test_recordings_are_judged_like_what_was_run(tiny: TinyProject) -> None:
    """Right, wrong, and broken off each get their verdicts, in whatever order they stand."""
    wrong = recorded("b", output="refused", states=[{"state": {"refunds": []}}])
    broken = recorded("c", outcome={"status": "raised", "error": "ValueError: no"}, states=[])
    del broken["output"]
    write(tiny, broken, wrong, recorded("a"))
    report = tiny.run()
    assert ({"completed": 2, "raised": 1}, 3) == (report.outcomes, report.executed)
    unreplayed = ("missing", "not_replayable")
    assert [("pass", None), ("pass", None), unreplayed] == statuses(tiny, "a")
    assert [("fail", None), ("fail", None), unreplayed] == statuses(tiny, "b")
    assert [("missing", "no_recorded_state"), ("fail", "raised"), unreplayed] == statuses(tiny, "c")


def test_the_panel_shows_what_was_recorded(tiny: TinyProject) -> None:
    """Steps, world and output; what a clock said stays outside of the evidence."""
    write(tiny, *map(recorded, "abc"))
    tiny.run()
    panel = tiny.panel("a")
    assert ["tool_call", "final"] == [step["kind"] for step in panel.steps]
    assert "latency_ms" not in panel.steps[0]
    assert ({"refunds": ["a"]}, "refunded") == (panel.final.state, panel.output)


def test_a_case_that_was_not_recorded_is_missing_everywhere(tiny: TinyProject) -> None:
    """Its outcome says so, no check of it passes, and the run tells how many there are."""
    write(tiny, recorded("a"), rules=[{"id": "r", "metric": "state_matches", "max_failures": 0}])
    report = tiny.run()
    assert {"completed": 1, "not_recorded": 2} == report.outcomes
    assert [("missing", "not_recorded")] * 3 == statuses(tiny, "b")
    assert "recorded.jsonl holds no recording of 2 of 3 cases" in " ".join(report.notices)
    outcome = tiny.panel("b").outcome
    assert ("not_recorded", "there is no recording of it") == (outcome.status, outcome.error)
    assert {"not_recorded": 2} == report.metrics[0].missing


def test_a_copy_is_compared_with_its_recorded_source(tiny: TinyProject) -> None:
    """A pair of which one side was not recorded is missing."""
    reworded = {"name": "kind", "field": "text", "template": "{value}, please"}
    write(
        tiny,
        *(recorded(name) for name in ("a", "a~kind", "b", "c~kind")),
        cases=[case(name, input={"text": "refund"}) for name in "abc"],
        evaluators=[
            {"type": "metamorphic_relation", "relation": "same_output", "transform": "kind"}
        ],
        metamorphic={"transforms": [reworded]},
    )
    tiny.run()
    assert {"a": "pass", "b": "missing", "c": "missing"} == {
        name: tiny.verdict(f"{name}~kind", "same_output_under_kind").status for name in "abc"
    }
    assert "not_recorded" == tiny.verdict("c~kind", "same_output_under_kind").reason


def test_replicates_are_recorded_one_by_one(tiny: TinyProject) -> None:
    """Each counts on its own, and one that is absent is missing."""
    lines = [recorded("a"), recorded("a", replicate=2, output="no")]
    write(tiny, *lines, cases=[case("a")], replicates=3)
    assert {"completed": 2, "not_recorded": 1} == tiny.run().outcomes
    outputs = [tiny.panel("a", replicate=replicate).output for replicate in (1, 2, 3)]
    assert ["refunded", "no", None] == outputs


def test_only_what_changed_is_judged_anew(tiny: TinyProject) -> None:
    """Each line is known by itself, whatever becomes of its neighbours and of the version."""
    write(tiny, *map(recorded, "abc"))
    assert 3 == tiny.run().executed
    assert 0 == tiny.run().executed
    write_recordings(tiny, recorded("c"), recorded("b", output="else"), recorded("a"))
    again = tiny.run()
    assert 1 == again.executed
    assert [] == again.notices
    assert "else" == tiny.panel("b").output


def test_a_fault_cannot_be_tried_by_hand(tiny: TinyProject) -> None:
    """Whatever is asked of replays, the answer is that it was recorded elsewhere."""
    write(tiny, *map(recorded, "abc"))
    tiny.run()
    for ask in (
        lambda: replay(tiny.folder, "a"),
        lambda: replay(tiny.folder, "a", tool="refund", fault="timeout"),
        lambda: checkpoints(tiny.folder, "a"),
    ):
        with pytest.raises(ConfigurationError, match="was recorded elsewhere"):
            ask()
    (reason,) = check(tiny.folder).reasons
    assert "was recorded elsewhere" in reason.detail
    assert "`callable: module:attr`" in reason.fix


def test_secrets_are_taken_out(tiny: TinyProject) -> None:
    """Of everything that was recorded, before it is stored."""
    secret = "sk-12345678"
    line = recorded("a", output=secret, states=[{"state": {"key": secret}}])
    line["trajectory"]["steps"][1]["result"] = secret
    line["active"] = [{"state": [secret]}]
    broken = {"case": "b", "outcome": {"status": "raised", "error": f"bad {secret}"}}
    write(tiny, line, broken, redact=["sk-[0-9]{8}"])
    tiny.run()
    with open_store(tiny.folder, lambda _: None) as (_, store):
        stored = [
            store.get(bytes.fromhex(unit[2]))
            for data in store.chunks(1)
            if data is not None
            for row in json.loads(data)
            for unit in row["units"]
        ]
    assert 3 == len(stored)
    assert all(data is not None and secret.encode() not in data for data in stored)


@pytest.mark.parametrize(
    ("line", "where", "what"),
    [
        ({"case": "d"}, "recorded.jsonl:2: case", "the dataset has no case `d`"),
        ({"case": "b", "outptu": 1}, "recorded.jsonl:2: outptu", "unknown field `outptu`"),
        (
            {"case": "b", "states": [{"patch": [{"op": "remove", "path": "/none"}]}]},
            "recorded.jsonl:2: states[0].patch",
            "none",
        ),
        ({"case": "b", "replicate": 2}, "recorded.jsonl:2: replicate", "declares 1"),
    ],
)
def test_a_wrong_recording_ends_the_run_before_it_begins(
    tiny: TinyProject, line: dict[str, Any], where: str, what: str
) -> None:
    """Nothing is judged, and the line is named."""
    write(tiny, recorded("a"), line)
    with pytest.raises(ConfigurationError, match=what) as caught:
        tiny.run()
    assert caught.value.where is not None
    assert caught.value.where.endswith(where)


def test_a_conversation_is_judged_turn_by_turn(tiny: TinyProject) -> None:
    """States after each turn, replies and working states; what came later is missing."""
    talk = {
        "id": "talk",
        "turns": ["refund a", "and b"],
        "initial_state": {"refunds": []},
        "expected": {
            "turns": {
                "1": {"state": {"refunds": ["a"]}},
                "2": {"state": {}, "active": {"goal": "b"}},
            }
        },
    }
    lines = [
        {
            "case": "talk",
            "replies": ["yes", "done"],
            "states": [{"turn": 1, "state": {"refunds": ["a"]}}],
            "active": [{"turn": 2, "state": {"goal": "b"}}],
            "trajectory": {"steps": [{"index": 1, "kind": "message", "turn": 2}]},
        }
    ]
    checks = [
        {"type": "state_matches", "criterion": "first", "turn": 1},
        {"type": "state_matches", "criterion": "second", "turn": 2},
        {"type": "state_matches", "criterion": "goal", "turn": 2, "of": "active"},
    ]
    write(tiny, *lines, cases=[talk], evaluators=checks)
    tiny.run()
    assert [("pass", None), ("missing", "no_recorded_state"), ("pass", None)] == statuses(
        tiny, "talk"
    )
    assert "done" == tiny.panel("talk").output


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"replies": ["x", "y"]}, "missing"),
        ({}, "missing"),
        ({"outcome": {"status": "killed"}, "replies": ["x"]}, "missing"),
        ({"outcome": {"status": "killed"}}, "pass"),
    ],
)
def test_the_end_is_not_judged_by_a_state_before_it(
    tiny: TinyProject, fields: dict[str, Any], status: str
) -> None:
    """A conversation whose last state was not recorded says nothing of what was left behind."""
    talk = {"id": "talk", "turns": ["a", "b"], "initial_state": {"n": 1}}
    line = {"case": "talk", "states": [{"turn": 1, "state": {"n": 1}}], **fields}
    write(tiny, line, cases=[talk], evaluators=[{"type": "state_unchanged", "paths": ["n"]}])
    tiny.run()
    assert status == tiny.verdict("talk", "state_unchanged").status


def test_a_list_of_recordings_serves_as_well(tiny: TinyProject) -> None:
    """Dataset and recordings take the same forms of file."""
    write(tiny, cases=[case("a")], system={"recorded": "recorded.json"})
    (tiny.folder / "recorded.json").write_text(json.dumps([recorded("a")], indent=2))
    tiny.run()
    assert "pass" == tiny.verdict("a", "state_matches").status
