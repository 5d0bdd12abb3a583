"""Checks that are for some cases only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evaluator_samples import case, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.chosen import fits
from oloproof.evaluation.contract import Context
from oloproof.evaluation.judging import CaseChecks, judge, needs_initial_state
from oloproof.evaluation.registry import bind_all, lines_of
from oloproof.paths import MISSING

LINE = {"type": "state_matches", "cases": ["V?", "F1"]}


def checks(*lines: dict[str, Any]) -> list[Any]:
    return bind_all(lines_of(lines, Path("given")), [])


def verdict(name: str, **fields: Any) -> str:
    of = case({"n": 1}, expected={"state": {"n": 1}})._replace(id=name, **fields)
    source = Context(of, evidence(state={"n": 2})) if fields else None
    (found,) = judge(checks(LINE), Context(of, evidence(state={"n": 2}), source=source))
    return found.code


@pytest.mark.parametrize(
    ("name", "code"),
    [("V1", "f"), ("F1", "f"), ("V12", "n:another_case"), ("F2", "n:another_case")],
)
def test_only_the_cases_that_are_named_are_judged(name: str, code: str) -> None:
    """The others are not applicable, with the reason counted."""
    assert code == verdict(name)


def test_the_other_cases_need_not_fit_the_check() -> None:
    """A turn that they do not have is no mistake."""
    found = CaseChecks(checks({**LINE, "turn": 2, "cases": ["V1"]}))
    turns = ({"user": "a"}, {"user": "b"})
    found.check(case({"n": 1})._replace(id="V1", turns=turns))
    found.check(case({"n": 1})._replace(id="F9"))
    with pytest.raises(ConfigurationError, match="speaks of turn 2"):
        found.check(case({"n": 1})._replace(id="V1"))


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("V*", ["V", "V1", "V1/a", "V\n1"], ["v1", "AV1"]),
        ("V?", ["V1", "V[", "V "], ["V", "V12"]),
        ("a[1]", ["a[1]"], ["a1"]),
        ("a[!b]", ["a[!b]"], ["ac"]),
        ("a.b", ["a.b"], ["a-b", "axb"]),
        ("(a|b)+$", ["(a|b)+$"], ["a", "ab"]),
        ("*[x]*", ["1[x]2"], ["x"]),
    ],
)
def test_a_pattern_has_two_signs_and_no_more(
    pattern: str, names: list[str], others: list[str]
) -> None:
    """Brackets, dots and the like stand for themselves, as ids have them."""
    assert [True] * len(names) == [fits(pattern, name) for name in names]
    assert [False] * len(others) == [fits(pattern, name) for name in others]


def test_only_the_cases_of_a_check_need_an_initial_state() -> None:
    """Another case is nothing to it."""
    found = checks({"type": "state_unchanged", "cases": ["V?"]})
    mine, other = (case(MISSING)._replace(id=name) for name in ("V1", "F1"))
    assert ["state_unchanged"] == needs_initial_state(found, mine)
    assert [] == needs_initial_state(found, other)


@pytest.mark.parametrize(
    ("of_schema", "of_check", "refused"),
    [
        ({}, {}, True),
        ({}, {"cases": ["F*"]}, True),
        ({"cases": ["V*"]}, {"cases": ["V*"]}, True),
        ({"cases": ["V*", "F*"]}, {"cases": ["F*"]}, True),
        ({"cases": ["V*"]}, {"cases": ["F*"]}, False),
        ({"cases": ["V*"]}, {}, False),
    ],
)
def test_a_schema_says_nothing_of_the_states_of_other_cases(
    of_schema: Any, of_check: Any, *, refused: bool
) -> None:
    """A place that it does not know may be known there."""
    schema = {"properties": {"a": {}}, "additionalProperties": False}
    lines = (
        {"type": "state_schema", "schema": schema, **of_schema},
        {"type": "state_preserved", "paths": ["b"], **of_check},
    )
    if not refused:
        assert 2 == len(checks(*lines))
        return
    with pytest.raises(ConfigurationError, match="`b` is nowhere in the states of"):
        checks(*lines)


def test_a_pattern_that_fits_no_case_is_refused() -> None:
    """It is most likely misspelt, and the check would judge nothing."""
    found = CaseChecks(checks(LINE))
    found.check(case({"n": 1}, expected={"state": {"n": 1}})._replace(id="V1"))
    with pytest.raises(ConfigurationError, match="for the cases `F1`, and no case has such an id"):
        found.unseen()
