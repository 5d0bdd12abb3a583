"""A copy beside its source, under each relation."""

from __future__ import annotations

from typing import Any

import pytest
from evaluator_samples import RAISED, call, case, evaluator, evidence, result, trajectory

from oloproof.evaluation.contract import Comparison, Context, Verdict
from oloproof.records.evidence import CaseEvidence, Outcome


def verdict(
    relation: str, source: CaseEvidence | None, copy: CaseEvidence, **options: Any
) -> Verdict:
    line = {"type": "metamorphic_relation", "relation": relation, "transform": "loud"}
    check = evaluator(**line, **options)
    beside = None if source is None else Context(case(), source)
    of = case(id="c~loud", source="c", transform="loud")
    return check.evaluate(Context(of, copy, source=beside))


def acted(*steps: dict[str, Any], **fields: Any) -> CaseEvidence:
    return evidence(trajectory=trajectory(*steps), **fields)


@pytest.mark.parametrize(
    ("relation", "source", "copy", "code"),
    [
        ("same_output", evidence(output={"a": 1}), evidence(output={"a": 1.0}), "p"),
        ("same_output", evidence(output={"a": 1}), evidence(output={"a": True}), "f"),
        ("same_output", evidence(output=None), evidence(output=None), "p"),
        ("same_output", evidence(output=1), evidence(outcome=RAISED), "f:raised"),
        ("same_output", evidence(), evidence(output=1), "m:source_without_output"),
        ("same_output", evidence(output=1), evidence(), "f:no_output"),
        ("same_output", None, evidence(output=1), "m:no_source"),
        ("same_state", evidence(state={"a": [1]}), evidence(state={"a": [1]}), "p"),
        ("same_state", evidence(state={"a": [1]}), evidence(state={"a": [1, 2]}), "f"),
        ("same_state", evidence(state={}), evidence(), "m:no_recorded_state"),
        ("same_state", evidence(), evidence(state={}), "m:source_without_state"),
        (
            "same_actions",
            acted(call("a", arguments={"x": 1})),
            acted(call("a", arguments={"x": 1.0}), result("a", result=9)),
            "p",
        ),
        ("same_actions", acted(call("a"), call("b")), acted(call("b"), call("a")), "f"),
        ("same_actions", acted(call("a")), acted(call("a"), call("a")), "f"),
        (
            "same_actions",
            acted(call("a", arguments={"x": 1})),
            acted(call("a", arguments={"x": 2})),
            "f",
        ),
        (
            "same_actions",
            acted(call("a"), call_step := {"kind": "message"}),
            acted(call_step, call("a")),
            "p",
        ),
        ("same_actions", acted(), acted(), "p"),
        ("same_actions", acted(), evidence(), "m:no_recorded_trajectory"),
        ("same_actions", evidence(), acted(), "m:source_without_trajectory"),
    ],
)
def test_a_copy_stands_in_the_relation_or_not(
    relation: str, source: CaseEvidence | None, copy: CaseEvidence, code: str
) -> None:
    """A side that lacks what is compared leaves the pair missing; no output fails."""
    assert code == verdict(relation, source, copy).code


@pytest.mark.parametrize("relation", ["same_output", "same_actions", "same_state"])
@pytest.mark.parametrize("ending", ["raised", "exited", "timed_out", "killed", "not_json"])
def test_a_side_that_did_not_complete_is_like_nothing(relation: str, ending: Any) -> None:
    """Two worlds that are equal because both calls broke off show nothing; one that did fails."""
    whole: Any = {"output": 1, "state": {}, "trajectory": trajectory(call("a"))}
    done, broken = evidence(**whole), evidence(**whole, outcome=Outcome(ending, "as told"))
    for source, copy, code in (
        (done, done, "p"),
        (done, broken, f"f:{ending}"),
        (broken, done, "m:source_did_not_complete"),
        (broken, broken, "m:source_did_not_complete"),
    ):
        said = verdict(relation, source, copy)
        assert code == said.code
        assert code == "p" or "as told" in str(said.detail)


def test_the_differing_action_is_named() -> None:
    """The place of the difference is that in the list of calls."""
    said = verdict(
        "same_actions", acted(call("a", arguments={"x": 1})), acted(call("a", arguments={"x": 2}))
    )
    assert (
        Comparison("calls[0].tool", "a", "a", True),
        Comparison("calls[0].arguments.x", 1, 2, False),
    ) == said.compared
    assert "calls[0].arguments.x is 2, not 1" == said.detail


def test_the_cause_of_a_missing_side_is_told() -> None:
    """Why there is no trajectory stands beside the reason."""
    said = verdict("same_actions", acted(), evidence(trajectory_problem="not reported"))
    assert "not reported" == said.detail


def called(*notes: str, order: str = "x") -> CaseEvidence:
    return acted(*(call("write", arguments={"note": note, "order": order}) for note in notes))


@pytest.mark.parametrize(
    ("options", "relation", "source", "copy", "code"),
    [
        ({}, "same_actions", called("a"), called("b"), "f"),
        ({"ignore": ["calls[*].arguments.note"]}, "same_actions", called("a"), called("b"), "p"),
        (
            {"ignore": ["calls[*].arguments.note"]},
            "same_actions",
            called("a"),
            called("b", order="y"),
            "f",
        ),
        ({"unordered": ["calls"]}, "same_actions", called("a", "b"), called("b", "a"), "p"),
        ({"unordered": ["calls"]}, "same_actions", called("a", "a"), called("a", "b"), "f"),
        (
            {"normalise": {"calls[*].arguments.note": ["casefold"]}},
            "same_actions",
            called("Now"),
            called("now"),
            "p",
        ),
        (
            {"tolerance": {"absolute": 0.5}},
            "same_state",
            evidence(state={"n": 1}),
            evidence(state={"n": 1.5}),
            "p",
        ),
        (
            {"tolerance": {"absolute": 0.5}},
            "same_state",
            evidence(state={"n": 1}),
            evidence(state={"n": 1.6}),
            "f",
        ),
        (
            {"ignore": ["at"]},
            "same_state",
            evidence(state={"n": 1, "at": 3}),
            evidence(state={"n": 1, "at": 4}),
            "p",
        ),
        ({"ignore": ["at"]}, "same_output", evidence(output={"at": 3}), evidence(output={}), "p"),
    ],
)
def test_what_does_not_count_is_said_as_for_states(
    options: dict[str, Any], relation: str, source: CaseEvidence, copy: CaseEvidence, code: str
) -> None:
    """`ignore`, `unordered`, `tolerance` and `normalise`, in the output, the calls or the world."""
    assert code == verdict(relation, source, copy, **options).code
