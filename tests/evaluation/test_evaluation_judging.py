"""Which checks speak of sources, of copies, and of copies by another transform."""

from __future__ import annotations

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import CaseCheck, Context, Verdict, passed
from oloproof.evaluation.judging import CaseChecks, judge, needs_initial_state
from oloproof.records.evidence import COMPLETED, CaseEvidence
from oloproof.suites.case import Case

SOURCE = Case(id="c", input="text")
COPY = Case(id="c~loud", input="TEXT", source="c", transform="loud")


class Check(CaseCheck):
    """A check of single cases that always passes."""

    def evaluate(self, context: Context) -> Verdict:
        return passed()


class Picky(Check):
    @property
    def needs_initial_state(self) -> bool:
        return True

    def check_case(self, case: Case) -> None:
        raise ConfigurationError(f"never {case.id}")


class Relation(Check):
    """A check of the copies that the transform of its name makes."""

    @property
    def transform(self) -> str | None:
        return self.metric


CHECKS = [Check("single"), Relation("loud"), Relation("quiet")]


def codes(case: Case) -> list[str]:
    context = Context(case, CaseEvidence(COMPLETED))
    return [verdict.code for verdict in judge(CHECKS, context)]


def test_a_source_is_judged_by_single_checks() -> None:
    """Relations say that a source is not a pair."""
    assert ["p", "n:not_a_metamorphic_pair", "n:not_a_metamorphic_pair"] == codes(SOURCE)


def test_a_copy_is_judged_by_the_relations_of_its_transform() -> None:
    """Everything else leaves it out, with its own reason."""
    assert ["n:metamorphic_copy", "p", "n:another_transform"] == codes(COPY)


def test_checks_that_need_an_initial_state_are_named() -> None:
    """The caller can refuse a case without one, and say for what."""
    assert ["picky"] == needs_initial_state([*CHECKS, Picky("picky")])


def test_a_case_that_can_never_be_judged_is_refused() -> None:
    """Each check may look at a case before anything runs."""
    CaseChecks(CHECKS).check(SOURCE)
    with pytest.raises(ConfigurationError, match="never c"):
        CaseChecks([*CHECKS, Picky("picky")]).check(SOURCE)


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (Verdict("pass"), "p"),
        (Verdict("pass", label="escalated"), "p:escalated"),
        (Verdict("fail", label="false_success"), "f:false_success"),
        (Verdict("missing", reason="not_replayable"), "m:not_replayable"),
        (Verdict("not_applicable", reason="no_expected_state"), "n:no_expected_state"),
    ],
)
def test_a_verdict_has_a_short_word(verdict: Verdict, code: str) -> None:
    """The word holds the status and the reason or label."""
    assert code == verdict.code


def test_a_field_of_expected_that_nothing_reads_is_refused():
    """A misspelt field would quietly exclude its case: the nearest known one is named."""
    case = Case(id="c", input="text", expected={"stat": {}})
    with pytest.raises(ConfigurationError, match=r"no check reads `expected\.stat`") as caught:
        CaseChecks(CHECKS).check(case)
    assert "did you mean `state`?" in caught.value.mend
