"""A field of the output against a field of what is expected."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import conversation, judged
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


BY_TURN = {"turns": {"1": {"answer": "6 pm?"}, "3": {"answer": "booked"}}}


@pytest.mark.parametrize(
    ("options", "replies", "code"),
    [
        ({}, ["6 pm?", "whatever", "booked"], "p"),
        ({}, ["7 pm?", "whatever", "booked"], "f"),
        ({"turn": 3}, ["7 pm?", "whatever", "booked"], "p"),
        ({"after": 1}, ["7 pm?", "whatever", "booked"], "p"),
        ({"turn": 2}, ["6 pm?", "whatever", "booked"], "n:no_expected_answer"),
        ({"final": True}, ["6 pm?", "whatever", "no"], "f"),
        ({"field": "text", "expected_field": "answer", "turn": 1}, [{"text": "6 pm?"}, 2, 3], "p"),
    ],
)
def test_in_a_conversation_each_reply_of_which_something_is_expected(
    options: Any, replies: Any, code: str
) -> None:
    """Only those of the selected turns; the reply itself is compared, or a field of it."""
    context = conversation([], [], [], expected=BY_TURN, replies=replies)
    assert code == judged({"type": "exact_match", **options}, context).code


def test_a_wrong_reply_is_told_with_its_turn() -> None:
    """In the sentence and in the comparison."""
    context = conversation([], [], [], expected=BY_TURN, replies=["6 pm?", "", "no"])
    said = judged({"type": "exact_match"}, context)
    assert 'the reply of turn 3 is "no", not "booked"' == said.detail
    assert [(1, True), (3, False)] == [(place.turn, place.passed) for place in said.compared]


def test_what_is_expected_without_a_turn_is_expected_of_the_last() -> None:
    """What a turn says of itself comes first."""
    line = {"type": "exact_match"}
    for expected in ({"answer": "b"}, {"answer": "x", "turns": {"2": {"answer": "b"}}}):
        context = conversation([], [], expected=expected, replies=["a", "b"])
        assert "p" == judged(line, context).code


def test_a_turn_without_a_reply_fails_with_the_cause() -> None:
    """The conversation broke off, or the recording holds none."""
    broken: Any = {"outcome": Outcome("raised", "x"), "asked_for": 3, "expected": BY_TURN}
    said = judged({"type": "exact_match"}, conversation([], replies=["6 pm?"], **broken))
    assert ("f:raised", "the system raised: x") == (said.code, said.detail)
    assert Comparison("", "booked", MISSING, False, turn=3) in said.compared
    in_time = conversation([], replies=["6 pm?"], **broken)
    assert "p" == judged({"type": "exact_match", "turn": 1}, in_time).code
    silent = conversation([], [], [], expected=BY_TURN, replies=["6 pm?"])
    said = judged({"type": "exact_match"}, silent)
    assert ("f:no_output", "turn 3 got no reply") == (said.code, said.detail)


def test_a_case_without_expectation_is_left_out_whatever_happened() -> None:
    """What is not expected cannot fail."""
    assert "n:no_expected_answer" == verdict(ANSWER, {}, outcome=Outcome("raised", "x")).code
