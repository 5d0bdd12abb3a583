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


NOISE = "m:not_attributable"
OUTAGE = Outcome("outage", "down")


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


LATE = acted(call("a"), state={}, output=1)._replace(late=("send",))


@pytest.mark.parametrize(
    ("relation", "source", "repeat", "copy", "code"),
    [
        ("same_state", evidence(state=1), evidence(state=1), evidence(state=1), "p"),
        ("same_state", evidence(state=1), evidence(state=1), evidence(state=2), "f"),
        ("same_state", evidence(state=1), evidence(state=2), evidence(state=2), NOISE),
        ("same_state", evidence(state=1), evidence(state=2), evidence(state=1), NOISE),
        ("same_state", evidence(state=1), evidence(), evidence(state=1), NOISE),
        ("same_output", evidence(output=1), evidence(output=2), evidence(output=1), NOISE),
        ("same_output", evidence(output=1), evidence(output=2), evidence(outcome=RAISED), NOISE),
        (
            "same_output",
            evidence(output=1),
            evidence(output=1),
            evidence(outcome=RAISED),
            "f:raised",
        ),
        ("same_output", evidence(output=1), evidence(outcome=RAISED), evidence(output=1), NOISE),
        ("same_output", evidence(output=1), evidence(outcome=OUTAGE), evidence(output=1), NOISE),
        ("same_output", evidence(output=1), LATE, evidence(output=1), "p"),
        ("same_state", evidence(state={}), LATE, evidence(state={}), NOISE),
        ("same_actions", acted(call("a")), acted(call("b")), acted(call("a")), NOISE),
        ("same_state", evidence(), evidence(outcome=RAISED), evidence(), NOISE),
        ("same_state", evidence(), evidence(), evidence(outcome=RAISED), "f:raised"),
    ],
)
def test_a_source_that_differs_from_its_repeat_says_nothing_of_a_change(
    relation: str, source: CaseEvidence, repeat: CaseEvidence, copy: CaseEvidence, code: str
) -> None:
    """Whatever the copy did: nobody knows whether the change or the agent's own noise did it."""
    check = evaluator(type="metamorphic_relation", relation=relation, transform="loud")
    beside = Context(case(), source)
    again = Context(case(id="c~identity", source="c", transform="identity"), repeat, source=beside)
    of = case(id="c~loud", source="c", transform="loud")
    assert code == check.evaluate(Context(of, copy, source=beside, baseline=again)).code


def test_what_the_relation_leaves_out_is_no_noise() -> None:
    """Source and repeat are compared as source and copy are."""
    check = evaluator(
        type="metamorphic_relation", relation="same_output", transform="loud", ignore=["at"]
    )
    first, later = evidence(output={"a": 1, "at": 3}), evidence(output={"a": 1, "at": 4})
    beside = Context(case(), first)
    assert (
        "p"
        == check.evaluate(
            Context(case(), later, source=beside, baseline=Context(case(), later))
        ).code
    )


def test_a_pair_that_is_not_attributable_shows_what_differs_of_the_source() -> None:
    """The places are those of the source and its repeat, and the sentence says so."""
    check = evaluator(type="metamorphic_relation", relation="same_state", transform="loud")
    beside = Context(case(), evidence(state={"n": 1}))
    repeat, copy = evidence(state={"n": 2}), evidence(state={"n": 1})
    found = check.evaluate(Context(case(), copy, source=beside, baseline=Context(case(), repeat)))
    assert "run again unchanged, the source differs from itself: n is 2, not 1" == found.detail
    assert (Comparison("n", 1, 2, passed=False),) == found.compared
