"""Which checks speak of sources, of copies, and of copies by another transform."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import CaseCheck, Context, NamedPlace, Verdict, passed
from oloproof.evaluation.judging import CaseChecks, judge, needs_initial_state
from oloproof.paths import parse
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence

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
    assert ["picky"] == needs_initial_state([*CHECKS, Picky("picky")], SOURCE)


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
    with pytest.raises(ConfigurationError, match=r"`expected\.stat` of case `c`") as caught:
        CaseChecks(CHECKS).check(case)
    assert "did you mean `state`?" in caught.value.fix


@pytest.mark.parametrize(("line", "where"), [(7, None), (None, "case `c`")])
def test_the_place_of_a_case_at_fault_is_for_who_knows_its_file(
    line: int | None, where: str | None
) -> None:
    """A case that has a line is located by who opened the file; else its id has to do."""
    with pytest.raises(ConfigurationError) as caught:
        CaseChecks(CHECKS).check(Case(id="c", input=1, expected={"stat": {}}, line=line))
    assert where == caught.value.where


class Places(Check):
    """A check that names places of the initial state."""

    def __init__(self, *texts: str, needed: bool = False) -> None:
        super().__init__("places")
        object.__setattr__(
            self,
            "_places",
            tuple(NamedPlace(parse(t), f"suite:{n}", needed) for n, t in enumerate(texts)),
        )

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        return self._places


def checked(check: Places, *states: Any) -> CaseChecks:
    """The checks after they saw a case with each of the states."""
    checks = CaseChecks([check])
    for state in states:
        checks.check(Case(id="c", input=1, initial_state=state))
    return checks


class TestNamedPlaces:
    def test_a_place_that_some_case_has_is_not_told(self) -> None:
        """One case is enough, and null is something."""
        states = {"o": {"s": 1}}, {"l": [{}, {"p": None}]}, {"o": {}}
        assert [] == checked(Places("o.s", "l[*].p", "l[1]"), *states).unseen()

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("oo.s", "oo.s`, which no case's initial state has: did you mean `o.s`?"),
            ("o.status", "o.status`, which no case's initial state has: did you mean `o.statut`?"),
            ("ords[*].p", "ords[*].p`, which no case's initial state has: did you mean `ord[*].p`"),
            ("ord[*].pice", "did you mean `ord[*].price`?"),
            ("o.n.o.p.e", "which no case's initial state has: it can only find what appears there"),
            ("o.s.x", "it can only find what appears there"),
            ("ord[7]", "it can only find what appears there"),
            ("none[*]", "it can only find what appears there"),
        ],
    )
    def test_a_place_that_no_case_has_is_told(self, path: str, told: str) -> None:
        """The nearest key where the path breaks off furthest in is most likely what was meant."""
        states = {"o": {"s": 1, "statut": 2}, "ord": []}, {"ord": [{"price": 1}]}, {}
        (sentence,) = checked(Places(path), *states).unseen()
        assert sentence.startswith(f"`places` names the path `{path}`, which no case's initial")
        assert told in sentence

    def test_a_place_that_must_be_there_is_refused(self) -> None:
        """Where a check compares nothing without it, its line is named."""
        checks = checked(Places("o", "o.statsu", needed=True), {"o": {"status": 1}})
        with pytest.raises(ConfigurationError) as caught:
            checks.unseen()
        assert (
            "`places` compares the path `o.statsu`, which no case's initial or expected state has"
            == caught.value.what
        )
        assert ("suite:1", "did you mean `o.status`?") == (caught.value.where, caught.value.fix)

    def test_a_refusal_without_a_near_key_says_what_to_do(self) -> None:
        """Nothing like it is there."""
        checks = checked(Places("zzz", needed=True), {"o": 1})
        with pytest.raises(ConfigurationError) as caught:
            checks.unseen()
        assert "`state_unchanged`" in str(caught.value.fix)

    def test_without_any_state_nothing_is_said(self) -> None:
        """What no case could have shown is not misspelt."""
        assert [] == checked(Places("a", needed=True), None).unseen()

    def test_one_line_is_told_once(self) -> None:
        """A line that makes several metrics names its places once."""
        checks = CaseChecks([Places("a"), Places("a")])
        checks.check(Case(id="c", input=1, initial_state={}))
        assert 1 == len(checks.unseen())

    def test_many_keys_cost_no_memory(self) -> None:
        """However many keys there are beside it, a bounded number is kept to name the nearest."""
        checks = checked(Places("o.x"), *({"o": {f"key-{n}": 1}} for n in range(5000)))
        (watch,) = checks._unseen
        assert 1000 >= len(watch._keys)
