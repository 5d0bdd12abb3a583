"""The scorecard: 1, 0 or null a dimension, and a hard one that fails the case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import (
    CaseCheck,
    Context,
    Verdict,
    failed,
    missing,
    not_applicable,
    passed,
)
from oloproof.evaluation.dimensions import HARD, DimensionSpec, summaries
from oloproof.evaluation.judging import judge
from oloproof.evaluation.registry import bind_all, lines_of
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence

if TYPE_CHECKING:
    from pathlib import Path

ONE, ZERO = passed(), failed(label="planning", detail="a call that was forbidden")
NULL, UNKNOWN = not_applicable("no_expected_state"), missing("no_trajectory")


@dataclass(frozen=True, slots=True)
class Fixed(CaseCheck):
    """A check that says what it is told to say."""

    verdict: Verdict

    def evaluate(self, context: Context) -> Verdict:
        return self.verdict


def scorecard(*verdicts: tuple[str, Verdict], hard: tuple[str, ...] = ()) -> dict[str, Verdict]:
    """What the dimensions come to; a metric is `dimension.number`."""
    checks: list[Any] = [Fixed(f"{name}.{n}", v) for n, (name, v) in enumerate(verdicts)]
    names = dict.fromkeys(name for name, _ in verdicts)
    specs = [DimensionSpec(name, name in hard) for name in names]
    dimension_of = {check.metric: check.metric.partition(".")[0] for check in checks}
    everything = checks + summaries(checks, dimension_of, specs)
    context = Context(Case("c", None), CaseEvidence(COMPLETED))
    found = judge(everything, context)
    return {
        evaluator.metric: verdict
        for evaluator, verdict in zip(everything, found, strict=True)
        if "." not in evaluator.metric
    }


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ([ONE], "pass"),
        ([ONE, ONE, NULL], "pass"),
        ([ONE, ZERO, UNKNOWN], "fail"),
        ([ONE, UNKNOWN], "missing"),
        ([NULL, NULL], "not_applicable"),
    ],
)
def test_a_dimension_is_what_its_checks_come_to(verdicts: list[Verdict], status: str) -> None:
    """One failure is enough, and what is missing never passes."""
    assert status == scorecard(*(("state", verdict) for verdict in verdicts))["state"].status


def test_dimensions_are_independent() -> None:
    """None makes up for another, and there is no score over all."""
    found = scorecard(("state", ONE), ("function", ZERO), ("response", ONE))
    assert {"state": "pass", "function": "fail", "response": "pass"} == {
        name: verdict.status for name, verdict in found.items()
    }


@pytest.mark.parametrize(
    ("function", "status"),
    [(ONE, "pass"), (ZERO, "fail"), (UNKNOWN, "missing"), (NULL, "not_applicable")],
)
def test_a_hard_dimension_fails_the_case_whatever_the_rest(function: Verdict, status: str) -> None:
    """And nobody else does."""
    found = scorecard(("state", ZERO), ("function", function), ("a", ONE), hard=("function",))
    assert status == found[HARD].status
    assert HARD not in scorecard(("function", function))


def test_a_failure_names_its_check_and_its_locus() -> None:
    """Of several the first, with the others beside it."""
    found = scorecard(("function", ZERO), ("function", ONE), ("function", ZERO))["function"]
    assert ("planning", "function.0 (and function.2): a call that was forbidden") == (
        found.label,
        found.detail,
    )


@pytest.mark.parametrize(
    ("line", "what", "fix"),
    [
        ({"dimension": "functoin"}, "no dimension `functoin`", "did you mean `function`?"),
        ({"criterion": "state"}, "belongs to the scorecard", "a name of its own"),
        ({"criterion": HARD}, "belongs to the scorecard", "a name of its own"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    tmp_path: Path, line: dict[str, Any], what: str, fix: str
) -> None:
    """A dimension that nobody declared, and a metric called like one."""
    lines = lines_of([{"type": "state_matches", **line}], tmp_path / "suite.yaml")
    specs = [DimensionSpec("state"), DimensionSpec("function", hard=True)]
    with pytest.raises(ConfigurationError, match=what) as caught:
        bind_all(lines, [], specs)
    assert fix in str(caught.value.fix)
