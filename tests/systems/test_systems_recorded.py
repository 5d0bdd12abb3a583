"""What was recorded elsewhere, read case by case, and refused where it cannot be right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from oloproof.errors import ConfigurationError
from oloproof.paths import MISSING
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, Moment, Outcome
from oloproof.systems.recorded import Recordings, recordings_digest

if TYPE_CHECKING:
    from pathlib import Path

CALL = Case("call", "hello", {"n": 0})
TALK = Case(
    "talk",
    {"turns": [{"user": "a"}, {"user": "b"}, {"user": "c"}]},
    {"n": 0},
    turns=({"user": "a"}, {"user": "b"}, {"user": "c"}),
)
CASES = {case.id: case for case in (CALL, TALK)}


def recordings(folder: Path, *lines: Any, name: str = "r.jsonl", replicates: int = 1) -> Recordings:
    """The recordings in a file of that form, found."""
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        text = (
            yaml.safe_dump(list(lines)) if name.endswith(".yaml") else json.dumps(lines, indent=1)
        )
        path.write_text(text)
    found = Recordings(path)
    found.scan(replicates)
    return found


def step(**fields: Any) -> dict[str, Any]:
    return {"index": 1, "kind": "message", **fields}


def refusal(folder: Path, line: Any, name: str = "r.jsonl") -> ConfigurationError:
    """Why a recording is refused, at the latest beside its case."""
    with pytest.raises(ConfigurationError) as caught:
        recordings(folder, {"case": "other"}, line, name=name).read(CASES[line["case"]], 1)
    return caught.value


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.yaml"])
def test_a_recording_is_found_by_case_and_replicate(tmp_path: Path, name: str) -> None:
    """In whatever order and form they stand; one that is not there is None."""
    found = recordings(
        tmp_path,
        {"case": "call", "replicate": 2, "output": "second"},
        {"case": "talk"},
        {"case": "call", "output": "first"},
        name=name,
        replicates=3,
    )
    outputs = [found.read(CALL, replicate) for replicate in (1, 2, 3)]
    assert ["first", "second", None] == [made and made.output for made in outputs]
    assert 3 == len(found)


def test_everything_that_a_single_call_left(tmp_path: Path) -> None:
    """Output, trajectory, world and working state; a patch is against the initial state."""
    found = recordings(
        tmp_path,
        {
            "case": "call",
            "output": None,
            "trajectory": {"steps": [step(result="hi")], "terminal_status": "success"},
            "states": [{"patch": [{"op": "replace", "path": "/n", "value": 1}]}],
            "active": [{"state": {"goal": 1}}],
        },
    ).read(CALL, 1)
    assert found is not None
    assert (COMPLETED, None, None) == (found.outcome, found.output, found.replies)
    assert found.trajectory is not None
    assert "success" == found.trajectory.terminal_status
    assert ((Moment({"n": 1}),), (Moment({"goal": 1}),)) == (found.worlds, found.active)


def test_everything_that_a_conversation_left(tmp_path: Path) -> None:
    """Its output is the last reply; states say after which turn they were."""
    found = recordings(
        tmp_path,
        {
            "case": "talk",
            "replies": ["x", "y", "z"],
            "states": [{"turn": 1, "state": {"n": 1}}, {"turn": 3, "state": {"n": 3}}],
            "active": [{"turn": 2, "state": {}}],
        },
    ).read(TALK, 1)
    assert found is not None
    assert ("z", ["x", "y", "z"]) == (found.output, found.replies)
    assert (Moment({"n": 1}, 1), Moment({"n": 3}, 3)) == found.worlds
    assert (Moment({}, 2),) == found.active


def test_the_state_of_a_whole_conversation_is_that_after_its_last_turn(tmp_path: Path) -> None:
    """`state` alone says no turn."""
    found = recordings(tmp_path, {"case": "talk", "state": None}).read(TALK, 1)
    assert found is not None
    assert (Moment(None, 3),) == found.worlds


def test_a_conversation_that_broke_off_has_the_replies_until_then(tmp_path: Path) -> None:
    """And no output."""
    line = {"case": "talk", "outcome": {"status": "raised", "error": "no"}, "replies": ["x"]}
    found = recordings(tmp_path, line).read(TALK, 1)
    assert found is not None
    assert (Outcome("raised", "no"), MISSING, ["x"]) == (found.outcome, found.output, found.replies)


@pytest.mark.parametrize(
    ("fields", "where", "what", "fix"),
    [
        ({"ouput": 1}, "ouput", "unknown field `ouput`", "`output`"),
        ({"replicate": 0}, "replicate", "must be a whole number", "whole number"),
        ({"replicate": True}, "replicate", "must be a whole number", "whole number"),
        ({"replicate": 2}, "replicate", "declares 1", "replicates: 2"),
        ({"outcome": "raised"}, "outcome", "must be an object", "object"),
        ({"outcome": {"status": "raise"}}, "outcome.status", "`raise`", "`raised`"),
        ({"outcome": {"status": "not_recorded"}}, "outcome.status", "cannot be", "not_json"),
        ({"outcome": {"status": "raised", "why": 1}}, "outcome.why", "unknown field", "known"),
        ({"outcome": {"status": "raised", "error": 1}}, "outcome.error", "must be text", "text"),
        ({"outcome": {"status": "raised"}, "output": 1}, "output", "did not complete", "leave"),
        ({"replies": ["x"]}, "replies", "single call", "`output`"),
        ({"trajectory": []}, "trajectory", "must be an object", "object"),
        ({"trajectory": {"steps": [], "step": 1}}, "trajectory.step", "unknown field", "`steps`"),
        (
            {"trajectory": {"steps": [step(kind="toolcall")]}},
            "trajectory.steps[0].kind",
            "cannot be `toolcall`",
            "`tool_call`",
        ),
        ({"trajectory": {"steps": [step(index=2)]}}, "trajectory", "numbered 1, 2, 3", "correct"),
        (
            {"trajectory": {"steps": [step(turn=2)]}},
            "trajectory.steps[0].turn",
            "turn 2 is recorded of case `call`, which has 1 turn",
            "from 1 to 1",
        ),
        ({"state": 1, "states": []}, "state", "both", "keep `states`"),
        ({"states": {}}, "states", "must be a list", "list"),
        ({"states": [1]}, "states[0]", "must be an object", "object"),
        ({"states": [{"state": 1}, {"state": 2}]}, "states[1]", "stands behind", "one state"),
        ({"states": [{"state": 1, "patch": []}]}, "states[0]", "given once", "write"),
        ({"states": [{"patch": {}}]}, "states[0].patch", "must be a list", "list"),
        (
            {"states": [{"patch": [{"op": "remove", "path": "/x"}]}]},
            "states[0].patch",
            "x",
            "",
        ),
        ({"active": [{"patch": []}]}, "active[0].patch", "unknown field", "`state`"),
    ],
)
def test_a_wrong_recording_is_refused(
    tmp_path: Path, fields: dict[str, Any], where: str, what: str, fix: str
) -> None:
    """With its line, its field and the way out."""
    error = refusal(tmp_path, {"case": "call"} | fields)
    assert error.where is not None
    assert f"r.jsonl:2: {where}" == error.where.rpartition("/")[2]
    assert what in error.what
    assert fix in (error.fix or "")


@pytest.mark.parametrize(
    ("fields", "where", "what"),
    [
        ({"output": 1}, "output", "has no one output"),
        ({"replies": ["x"]}, "replies", "are 1, and it has 3 turns"),
        ({"replies": list("wxyz")}, "replies", "are 4, and"),
        ({"replies": "x"}, "replies", "must be a list"),
        ({"states": [{"state": 1}]}, "states[0]", "a state names no `turn`"),
        ({"outcome": {}}, "outcome.status", "an outcome names no `status`"),
        ({"states": [{"turn": "1", "state": 1}]}, "states[0].turn", "the number of a turn"),
        ({"states": [{"turn": 4, "state": 1}]}, "states[0].turn", "turn 4 is recorded"),
        ({"active": [{"turn": 0, "state": 1}]}, "active[0].turn", "turn 0 is recorded"),
        ({"outcome": {"status": "killed"}, "state": 1}, "state", "does not say when"),
        (
            {"states": [{"turn": 2, "state": 1}, {"turn": 1, "state": 1}]},
            "states[1]",
            "after turn 1 stands behind that after turn 2",
        ),
    ],
)
def test_a_wrong_conversation_is_refused(
    tmp_path: Path, fields: dict[str, Any], where: str, what: str
) -> None:
    """Its turns are those of its case."""
    error = refusal(tmp_path, {"case": "talk"} | fields)
    assert error.where is not None
    assert f"r.jsonl:2: {where}" == error.where.rpartition("/")[2]
    assert what in error.what


def test_a_field_of_a_list_is_refused_with_its_own_line(tmp_path: Path) -> None:
    """A document knows more lines than that of the recording."""
    error = refusal(tmp_path, {"case": "call", "trajectory": {"steps": [{}]}}, name="r.json")
    assert error.where is not None
    assert "r.json:9: trajectory.steps[0].index" == error.where.rpartition("/")[2]


@pytest.mark.parametrize(
    ("line", "what"),
    [([], "must be an object"), ({}, "names no `case`"), ({"case": 1}, "names no `case`")],
)
def test_a_recording_of_nothing_is_refused(tmp_path: Path, line: Any, what: str) -> None:
    """It has to name its case."""
    with pytest.raises(ConfigurationError, match=what):
        recordings(tmp_path, line)


def test_two_recordings_of_one_replicate_are_refused(tmp_path: Path) -> None:
    """With both lines."""
    with pytest.raises(ConfigurationError, match="recorded twice as replicate 1: first in line 1"):
        recordings(tmp_path, {"case": "call"}, {"case": "call", "replicate": 1})


def test_a_patch_needs_an_initial_state(tmp_path: Path) -> None:
    """There is nothing that it could be applied to."""
    found = recordings(tmp_path, {"case": "bare", "states": [{"patch": []}]})
    with pytest.raises(ConfigurationError, match="has no `initial_state`"):
        found.read(Case("bare", 1), 1)


def test_a_patch_makes_no_state_that_is_too_deep(tmp_path: Path) -> None:
    """However flat the line and the initial state are."""
    deep: Any = 0
    for _ in range(150):
        deep = [deep]
    grow = [{"op": "add", "path": "/a", "value": deep}]
    grow.append({"op": "copy", "from": "/a", "path": "/a" + "/0" * 149 + "/0"})
    found = recordings(tmp_path, {"case": "call", "states": [{"patch": grow}]})
    with pytest.raises(ConfigurationError, match="levels deep"):
        found.read(CALL._replace(initial_state={}), 1)


def test_strangers_are_refused_with_the_nearest_case(tmp_path: Path) -> None:
    """A recording that nobody asks for is most likely misspelt."""
    found = recordings(tmp_path, {"case": "call"}, {"case": "takl"})
    with pytest.raises(ConfigurationError, match="the dataset has no case `takl`") as caught:
        found.refuse_strangers(CASES)
    assert "did you mean `talk`?" == caught.value.fix


def test_each_recording_has_a_digest_of_its_own(tmp_path: Path) -> None:
    """One that is changed leaves that of another as it was; the file's covers both."""
    first, second = {"case": "call", "output": 1}, {"case": "talk"}
    before = recordings(tmp_path, first, second)
    digests = [before.digest("call", 1), before.digest("talk", 1), before.digest("none", 1)]
    whole = recordings_digest(before.path)
    after = recordings(tmp_path, second, first | {"output": 2})
    assert digests[0] != after.digest("call", 1)
    assert [digests[1], b""] == [after.digest("talk", 1), after.digest("none", 1)]
    assert whole != recordings_digest(after.path)
