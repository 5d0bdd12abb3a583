"""Checks that are for some cases only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evaluator_samples import case, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context
from oloproof.evaluation.judging import CaseChecks, judge
from oloproof.evaluation.registry import bind_all, lines_of

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


def test_a_pattern_that_fits_no_case_is_refused() -> None:
    """It is most likely misspelt, and the check would judge nothing."""
    found = CaseChecks(checks(LINE))
    found.check(case({"n": 1}, expected={"state": {"n": 1}})._replace(id="V1"))
    with pytest.raises(ConfigurationError, match="for the cases `F1`, and no case has such an id"):
        found.unseen()
