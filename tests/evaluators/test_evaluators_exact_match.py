"""A field of the output against a field of what is expected."""

from __future__ import annotations

from typing import Any

import pytest
from evaluator_samples import case, evaluator, evidence

from oloproof.evaluation.contract import Comparison, Context, Verdict
from oloproof.paths import MISSING
from oloproof.records.evidence import Outcome


def verdict(options: dict[str, Any], expected: Any, **given: Any) -> Verdict:
    check = evaluator(type="exact_match", **options)
    return check.evaluate(Context(case(expected=expected), evidence(**given)))


ANSWER = {"field": "answer", "expected_field": "answer"}


@pytest.mark.parametrize(
    ("options", "expected", "output", "code"),
    [
        (ANSWER, {"answer": "refunded"}, {"answer": "refunded"}, "p"),
        (ANSWER, {"answer": "refunded"}, {"answer": "denied"}, "f"),
        (ANSWER, {"answer": 1}, {"answer": 1.0}, "p"),
        (ANSWER, {"answer": 1}, {"answer": True}, "f"),
        (ANSWER, {"answer": None}, {"answer": None}, "p"),
        (ANSWER, {"answer": None}, {}, "f"),
        (ANSWER, {"answer": "x"}, "x", "f"),
        (ANSWER, {}, {"answer": "x"}, "n:no_expected_answer"),
        (ANSWER, None, {"answer": "x"}, "n:no_expected_answer"),
        ({}, {"answer": "x"}, "x", "p"),
        ({}, {"answer": {"a": [1]}}, {"a": [1.0]}, "p"),
        ({}, {"answer": "x"}, {"answer": "x"}, "f"),
        ({}, {"answer": None}, None, "p"),
        (
            {"field": "data.items[0].id"},
            {"data": {"items": [{"id": 7}]}},
            {"data": {"items": [{"id": 7}]}},
            "p",
        ),
        ({"field": "/a~1b", "expected_field": '"x.y"'}, {"x.y": 1}, {"a/b": 1}, "p"),
        ({"expected_field": "code"}, {"code": 3, "answer": 4}, 3, "p"),
    ],
)
def test_the_fields_are_equal_or_not(options: Any, expected: Any, output: Any, code: str) -> None:
    """Equality is by JSON value; without a field the output itself is compared."""
    assert code == verdict(options, expected, output=output).code


def test_a_field_that_is_not_there_is_shown_as_nothing() -> None:
    """A missing field is a failure that says so."""
    said = verdict(ANSWER, {"answer": "x"}, output={"anser": "x"})
    assert (Comparison("answer", "x", MISSING, False),) == said.compared
    assert 'answer is nothing, not "x"' == said.detail


@pytest.mark.parametrize(
    ("outcome", "detail"),
    [
        (Outcome("raised", "ValueError: x"), "the system raised: ValueError: x"),
        (Outcome("exited", "SystemExit: 0"), "the system exited: SystemExit: 0"),
        (
            Outcome("timed_out", "no answer within 2 s"),
            "the system timed out: no answer within 2 s",
        ),
        (Outcome("killed", "signal 9"), "the system was killed: signal 9"),
        (Outcome("not_json", "the output is not JSON: set"), "the output is not JSON: set"),
        (Outcome("raised", "x", phase="reset"), "the system raised in reset(): x"),
        (Outcome("completed"), "the system gave no output"),
    ],
)
def test_without_an_output_it_fails_with_the_cause(outcome: Outcome, detail: str) -> None:
    """A system that gave no output fails, and how it ended is the label."""
    said = verdict(ANSWER, {"answer": "x"}, outcome=outcome)
    label = "no_output" if outcome.status == "completed" else outcome.status
    assert ("fail", label, detail) == (said.status, said.label, said.detail)
    assert (Comparison("answer", "x", MISSING, False),) == said.compared


def test_a_case_without_expectation_is_left_out_whatever_happened() -> None:
    """What is not expected cannot fail."""
    assert "n:no_expected_answer" == verdict(ANSWER, {}, outcome=Outcome("raised", "x")).code
