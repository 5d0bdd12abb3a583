"""Values that were replaced and come up again inside of texts, artefacts and messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conversation_samples import called, conversation, judged, made, places, said, updated

LINE = {"type": "superseded_absent", "paths": ["folder", "people"]}
BEFORE = {"folder": "out/reports", "people": 12}
AFTER = {"folder": "out/final", "people": 9}


def expecting(*states: Any) -> dict[str, Any]:
    return {"turns": {str(turn): {"state": state} for turn, state in enumerate(states, 1)}}


def verdict_on(
    *steps: Any, before: Any = BEFORE, after: Any = AFTER, **options: Any
) -> tuple[str, str]:
    """What is said of some steps behind a change; without `paths` of all that changed."""
    line = {"type": "superseded_absent", "paths": sorted({**before, **after}), **options}
    found = judged(line, conversation([], list(steps), expected=expecting(before, after)))
    return found.code, found.detail or ""


def given(*values: Any, **more: Any) -> tuple[str, str]:
    return verdict_on(*(called("t", {"x": value}) for value in values), **more)


def to_agent(text: Any, **fields: Any) -> dict[str, Any]:
    return {"kind": "message", "to_agent": "writer", "result": text, **fields}


FAILING = [
    called("shell", {"command": "mkdir -p out/reports && ls"}),
    called("write", {"path": "out/reports/may.txt"}),
    called("write", {"path": ["out/reports/may.txt"]}),
    called("write", {"files": {"out/reports/may.txt": "…"}}),
    called("write", {"files": {"12": "…"}}),
    called("write", {"spec": {"deep": [{"target": "out/reports"}]}}),
    called("write", {"spec": json.dumps({"cmd": "cd x\ncp y\tout/reports"})}),
    called("write", {"spec": json.dumps([{"n": 12}])}),
    called("write", json.dumps({"folder": "out/reports"})),
    called("copies", {"n": "12"}),
    called("copies", {"n": 12.0}),
    called("hand_over", {"task": "Write the report for 12 people."}),
    called("t", {"x": "out/reports"}, status="queued"),
    {"kind": "tool_result", "tool_name": "t", "arguments": {"x": "out/reports"}},
    made("agenda", "document", "An agenda for 12 people"),
    made("agenda", "document", {"seats": [12]}),
    made("agenda", "document", {"out/reports/may.txt": "…"}),
    made("out/reports/may.txt", "file"),
    to_agent("Put it into out/reports."),
    to_agent({"task": {"folder": "out/reports"}}),
    to_agent("Put it into out/reports.", kind="decision"),
    {"kind": "handoff", "arguments": {"people": 12}},
    {"kind": "handoff", "to_agent": "writer", "result": "For 12 people."},
    {**to_agent("For 12 people."), "agent": "planner"},
]


@pytest.mark.parametrize("step", FAILING)
def test_an_old_value_fails_wherever_it_stands_as_a_whole_part(step: Any) -> None:
    """In commands, paths, instructions, keys, artefacts and messages to other agents."""
    code, detail = verdict_on(step)
    assert "f" == code
    old = 'has "out/reports"' if "out/reports" in str(step) else "has 12"
    assert old in detail
    assert "step 1 of turn 2" in detail


@pytest.mark.parametrize(
    "step",
    [
        called("shell", {"command": "mkdir -p out/final && cp x out/final/12.txt"}),
        called("write", {"name": "out/reports-index.md", "id": "A-1204"}),
        called("write", {"out/final/may.txt": 112}),
        called("write", {"at": "2026-05-12T12:00:00", "version": "12.5"}),
        called("t", {"x": "out/reports"}, status="cancelled"),
        made("agenda", "document", "An agenda for 9 people"),
        to_agent("Put it into out/final."),
        {"kind": "handoff", "to_agent": "writer"},
        said("It was for 12 people, and is for 9."),
        said("It was for 12 people.", to_agent="user"),
        {"kind": "message", "agent": "user", "to_agent": "planner", "result": "No, not 12."},
        {"kind": "observation", "result": "12 rooms"},
    ],
)
def test_other_values_and_what_is_said_to_the_user_do_not_fail(step: Any) -> None:
    """Longer names that begin alike, numbers in identifiers, and explanations."""
    assert verdict_on(step)[0] in ("p", "n:no_later_call")


@pytest.mark.parametrize(
    "step",
    [
        called("t", {"x": "mv out/reports out/final"}),
        to_agent("Not for 12 people, for 9."),
        called("t", {"x": "12,5"}),
        called("t", {"x": "12,000"}),
    ],
)
def test_what_may_explain_the_change_or_be_read_otherwise_is_missing(step: Any) -> None:
    """Neither is ever a silent pass."""
    code, detail = verdict_on(step)
    assert "m:value_unclear" == code
    assert ": what replaced it stands beside it" in detail or "read otherwise" in detail


def test_a_failure_stands_beside_what_is_unclear() -> None:
    """Whatever came first."""
    unclear, wrong = "mv out/reports out/final", "ls out/reports"
    assert "f" == given(unclear, wrong)[0]
    assert "m:value_unclear" == given(unclear, "ls out/final")[0]


@pytest.mark.parametrize(
    ("old", "new", "text", "code"),
    [
        ("out", "out/final", "cp x out/final/a", "p"),
        ("out", "out/final", "cp x out/a", "f"),
        ("out", "out/final", "cp out/a out/final/a", "m:value_unclear"),
        ("out/final", "out", "cp x out/final/a", "f"),
        ("out/final", "out", "cp x out/a", "p"),
        ("Berlin", "Berlin Mitte", "to Berlin  Mitte.", "p"),
        ("on", "off", "a report on May", "m:value_unclear"),
        ("on", "off", "on", "f"),
        ("12", 9, 12, "f"),
        (12, None, "for 12 people", "f"),
        ("a", "b", {"a": 1}, "m:value_unclear"),
        ([1, 2], [1], [2, [1, 2]], "f"),
        ([1, 2], [1], "[1, 2]", "f"),
        ([1, 2], [1], "1, 2", "p"),
    ],
)
def test_a_part_of_what_replaced_it_is_no_old_value(
    old: Any, new: Any, text: Any, code: str
) -> None:
    """A text that holds both is missing: it may tell of the change."""
    assert code == given(text, before={"v": old}, after={"v": new})[0]


def test_a_part_of_a_current_value_is_no_old_value() -> None:
    """The state holds a path or a title that contains it; alone it still counts."""
    before = {"people": 12, "film": "12 Angry Men", "file": "out/reports/may.txt"}
    after = {**before, "people": 9}
    assert "p" == given("Show 12 Angry Men", before=before, after=after)[0]
    assert "f" == given("12 Angry Men, for 12", before=before, after=after)[0]
    named = {"arguments": ["x"], "before": before, "after": after}
    assert "f" == given("Show 12 Angry Men", **named)[0]
    moved = {"before": {"folder": "out/reports", **before}, "after": {"folder": "new", **before}}
    assert "p" == given("cat out/reports/may.txt", **moved)[0]
    assert "f" == given("cat out/reports/june.txt", **moved)[0]


def test_names_of_arguments_are_no_values_and_those_of_fields_may_be_none() -> None:
    """A tool has its own names."""
    changed: Any = {"before": {"by": "email"}, "after": {"by": "phone"}}
    assert "p" == verdict_on(called("t", {"email": "a@x.org"}), **changed)[0]
    assert "p" == verdict_on(called("t", json.dumps({"email": "a@x.org"})), **changed)[0]
    assert "m:value_unclear" == verdict_on(called("t", {"to": {"email": 1}}), **changed)[0]
    assert "f" == verdict_on(called("t", {"to": {"x": "email"}}), **changed)[0]


def test_where_tools_or_arguments_are_named_only_such_calls_count() -> None:
    """Artefacts and messages are no calls of theirs."""
    steps = [made("agenda", "document", "for 12"), to_agent("for 12"), called("t", {"x": 9})]
    assert "f" == verdict_on(*steps)[0]
    assert "p" == verdict_on(*steps, tools=["t"])[0]
    assert "p" == verdict_on(*steps, arguments=["x"])[0]
    assert "f" == verdict_on(called("t", {"x": "for 12"}), arguments=["x"])[0]
    assert "n:no_later_call" == verdict_on(*steps, compare_turns=[2])[0]


def test_an_artefact_and_a_message_are_judged_by_the_working_state_of_their_step() -> None:
    """What was made before the change is not judged, and after it is a fault of planning."""
    line = {**LINE, "of": "active"}
    old, update = made("agenda", "document", "for 12"), updated(2, people=9)
    for step, name in ((old, "artefact.content"), (to_agent("for 12"), "message.result")):
        early = conversation([], [step, update], active=[BEFORE, {**BEFORE, "people": 9}])
        assert "n:no_later_call" == judged(line, early).code
        late = conversation([], [update, step], active=[BEFORE, {**BEFORE, "people": 9}])
        assert "f:planning" == judged(line, late).code
        assert [(name, 2, False)] == places(judged(line, late))


def test_a_text_of_json_may_be_nested_as_deep_as_it_will() -> None:
    """It is looked through without a limit of its own."""
    assert "f" == given("[" * 900 + '"out/reports"' + "]" * 900)[0]
    assert "f" == given("[" * 9000 + '"out/reports"' + "]" * 9000)[0]
    assert "f" == given('{"out/reports')[0]
