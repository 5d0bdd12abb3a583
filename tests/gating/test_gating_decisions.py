from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.gating.decisions import decide, requirement
from oloproof.gating.validity import validity_report
from oloproof.metamorphic.pairs import ValidityCount
from oloproof.statistics.intervals import clopper_pearson
from oloproof.statistics.tally import Tally
from oloproof.suites.policy import Policy, Rule

if TYPE_CHECKING:
    from oloproof.records.report import DecisionReport, ValidityReport


def tally_of(*groups: str) -> Tally:
    """A tally of groups given as letters, each group a cluster of its own."""
    tally = Tally()
    for group in groups:
        tally.add(None, group)
    return tally


def cases(passed: int, failed: int, missing: int = 0) -> Tally:
    return tally_of(*"p" * passed, *"f" * failed, *"m" * missing)


def decided(
    tally: Tally,
    *,
    policy: dict[str, Any] | None = None,
    validity: ValidityReport | None = None,
    transform: str | None = None,
    **rule: Any,
) -> DecisionReport:
    (decision,) = decide(
        Policy(rules=[Rule(id="r", metric="m", **rule)], **(policy or {})),
        {"m": tally},
        {"m": transform},
        {validity.transform: validity} if validity else {},
    )
    return decision


def says(decision: DecisionReport) -> tuple[str, str]:
    return decision.status, decision.reason


def labels(pairs: int, kept: int, minimum: float = 0.85) -> ValidityReport:
    return validity_report(ValidityCount("injected", pairs, kept, kept), minimum=minimum)


def test_a_cleared_minimum_passes() -> None:
    """PASS when the lower bound reaches the minimum, told with its numbers."""
    decision = decided(cases(24, 0), min=0.8)
    assert says(decision) == ("PASS", "requirement_met")
    expected = "24 of 24 passed (1); the 95 % interval 0.858 to 1 does not fall below 0.8."
    assert expected == decision.detail
    assert ("r", "m", "a pass rate of at least 0.8") == (
        decision.rule,
        decision.metric,
        decision.requirement,
    )


def test_a_minimum_out_of_reach_fails() -> None:
    """FAIL when even the upper bound is below the minimum."""
    decision = decided(cases(12, 12), min=0.8)
    assert says(decision) == ("FAIL", "requirement_missed")
    expected = "12 of 24 passed (0.5); the 95 % interval 0.291 to 0.709 lies wholly below 0.8."
    assert expected == decision.detail


def test_a_minimum_between_the_bounds_asks_for_cases() -> None:
    """Between the bounds it is insufficient, with how many cases would settle it."""
    decision = decided(cases(22, 2), min=0.8)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "more_cases_needed")
    expected = (
        "22 of 24 passed (0.917); the 95 % interval 0.73 to 0.99 does not clear 0.8. "
        "48 cases in all would settle it at the observed rate "
        "(a chance of 63 %; 75 cases for one of 80 %)."
    )
    assert expected == decision.detail
    assert says(decided(cases(44, 4), min=0.8))[0] == "PASS"


def test_below_the_minimum_no_number_would_pass() -> None:
    """A rate below the bar within a wide interval is insufficient for good."""
    decision = decided(cases(16, 8), min=0.8)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "no_number_of_cases")
    assert decision.detail.endswith("No number of cases would pass it at the observed rate.")


def test_exactly_at_the_minimum_no_number_would_pass() -> None:
    """A rate equal to the bar never clears it."""
    assert says(decided(cases(19, 1), min=0.95))[1] == "no_number_of_cases"


def test_a_minimum_of_one_is_never_shown() -> None:
    """No interval lies wholly at 1, and the rule that was meant is named."""
    decision = decided(cases(24, 0), min=1.0)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "no_number_of_cases")
    assert "`max_failures: 0`" in decision.detail


def test_bounds_nobody_can_miss() -> None:
    """A minimum of 0 and a maximum of 1 pass with any observation."""
    assert says(decided(cases(0, 1), min=0.0))[0] == "PASS"
    assert says(decided(cases(1, 0), max=1.0))[0] == "PASS"


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (cases(0, 72), ("PASS", "requirement_met")),
        (cases(0, 71), ("INSUFFICIENT_EVIDENCE", "more_cases_needed")),
        (cases(1, 19), ("INSUFFICIENT_EVIDENCE", "no_number_of_cases")),
        (cases(10, 10), ("FAIL", "requirement_missed")),
    ],
)
def test_a_maximum_is_the_mirror_image(tally: Tally, expected: tuple[str, str]) -> None:
    """A maximum passes when the upper bound stays below it and fails when the lower exceeds it."""
    assert expected == says(decided(tally, max=0.05))


def test_a_maximum_of_zero_is_never_shown() -> None:
    """No interval lies wholly at 0."""
    assert says(decided(cases(0, 24), max=0.0)) == ("INSUFFICIENT_EVIDENCE", "no_number_of_cases")


def test_bounds_are_not_rounded_onto_the_bar() -> None:
    """A bound just below the bar is shown with the digits that tell."""
    assert clopper_pearson(24, 24, 0.95).low < 0.857527
    decision = decided(cases(24, 0), min=0.857527)
    assert decision.status == "INSUFFICIENT_EVIDENCE"
    assert "the 95 % interval 0.8575 to 1 does not clear 0.857527" in decision.detail


def test_missing_alone_keeps_it_open() -> None:
    """Where the observed cases would pass, the missing ones are named as the cause."""
    decision = decided(cases(24, 0, missing=3), min=0.8)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "missing_undecides")
    assert decision.detail.endswith(
        "What was observed would pass it alone; the 3 missing verdicts leave it open."
    )


def test_too_few_with_some_missing() -> None:
    """Where more cases are needed and some are missing, both are said."""
    decision = decided(cases(10, 0, missing=1), min=0.8)
    assert says(decision)[1] == "more_cases_needed"
    expected = "17 cases in all would settle it at the observed rate with none missing."
    assert decision.detail.endswith(expected)


@pytest.mark.parametrize(
    ("tally", "rule", "expected"),
    [
        # Already likely enough: no second number.
        (
            cases(23, 1),
            {"min": 0.8},
            "34 cases in all would settle it at the observed rate (a chance of 83 %).",
        ),
        # Where all pass the observed rate leaves no doubt.
        (cases(24, 0), {"min": 0.9}, "36 cases in all would settle it at the observed rate."),
        (
            cases(1, 23),
            {"max": 0.2},
            "34 cases in all would settle it at the observed rate (a chance of 83 %).",
        ),
        (
            cases(901, 99),
            {"min": 0.9},
            "346,000 cases in all would settle it at the observed rate "
            "(a chance of 50 %; 703,734 cases for one of 80 %).",
        ),
        (
            cases(9007, 993),
            {"min": 0.9},
            "more than 1,000,000 cases for one of 80 %).",
        ),
    ],
)
def test_more_cases_have_a_chance(tally: Tally, rule: dict[str, float], expected: str) -> None:
    """Beside the number stands its chance at the observed rate, and the number for 80 %."""
    assert decided(tally, **rule).detail.endswith(expected)


def test_more_cases_than_anybody_runs() -> None:
    """A number beyond what is searched is told as more than that."""
    assert "More than 1,000,000 cases in all would" in decided(cases(1, 0), min=0.999_999).detail


@pytest.mark.parametrize("missing", [1, 24, 1000])
@pytest.mark.parametrize("rule", [{"min": 0.0}, {"max": 1.0}, {"max_failures": 5000}])
def test_nothing_observed_never_passes(missing: int, rule: dict[str, Any]) -> None:
    """A metric of zero observations never passes, however little is asked."""
    for tally in (cases(0, 0, missing), tally_of("n"), Tally()):
        decision = decided(tally, **rule, requires_manual_review=True)
        assert says(decision) == ("INSUFFICIENT_EVIDENCE", "nothing_observed")


def test_nothing_observed_says_what_there_is() -> None:
    """Missing and excluded verdicts are told with their reasons."""
    tally = Tally()
    tally.add(None, ["m:not_replayable", "n:metamorphic_copy"])
    expected = (
        "Nothing was observed: 1 missing (not_replayable 1), 1 excluded (metamorphic_copy 1)."
    )
    assert expected == decided(tally, min=0.8).detail
    assert decided(Tally(), min=0.8).detail == "Nothing was observed: no case has a verdict."


def test_a_metric_without_a_tally_counted_nothing() -> None:
    """A metric that no verdict ever named is decided as one without observations."""
    policy = Policy(rules=[Rule(id="r", metric="m", min=0.0)])
    assert decide(policy, {}, {}, {})[0].reason == "nothing_observed"


@pytest.mark.parametrize(
    ("tally", "allowed", "expected"),
    [
        (cases(24, 0), 0, ("PASS", "requirement_met")),
        (cases(23, 1), 0, ("FAIL", "requirement_missed")),
        (cases(22, 2), 2, ("PASS", "requirement_met")),
        (cases(23, 0, missing=1), 0, ("INSUFFICIENT_EVIDENCE", "missing_could_fail")),
        (cases(20, 2, missing=2), 3, ("INSUFFICIENT_EVIDENCE", "missing_could_fail")),
        (cases(20, 2, missing=2), 4, ("PASS", "requirement_met")),
        (cases(20, 3, missing=9), 2, ("FAIL", "requirement_missed")),
    ],
)
def test_failures_are_counted(tally: Tally, allowed: int, expected: tuple[str, str]) -> None:
    """`max_failures` counts what was observed; what is missing could be a failure."""
    assert expected == says(decided(tally, max_failures=allowed))


def test_failures_need_no_interval() -> None:
    """An observed count is decided on clusters too, without leave for an approximate method."""
    assert says(decided(tally_of("ppp", "pp"), max_failures=0))[0] == "PASS"


def test_failures_are_told_by_label() -> None:
    """The detail of a count names what the failures were."""
    tally = Tally()
    tally.add(None, ["f:false_success", "p"])
    expected = "1 failure (false_success 1) among 2 observed, 0 allowed."
    assert expected == decided(tally, max_failures=0).detail


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (cases(19, 0, missing=1), "PASS"),  # exactly the fraction allowed
        (cases(18, 0, missing=1), "INSUFFICIENT_EVIDENCE"),
        (cases(0, 18, missing=2), "FAIL"),
    ],
)
def test_too_much_missing(tally: Tally, expected: str) -> None:
    """More missing than allowed cannot pass, but what fails in spite of it has failed."""
    assert expected == decided(tally, min=0.5, max_missing_fraction=0.05).status


def test_too_much_missing_says_how_much() -> None:
    """The fraction that is missing stands beside the one allowed."""
    decision = decided(cases(40, 0, missing=4), max_failures=9, max_missing_fraction=0.05)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "too_much_missing")
    expected = (
        "40 of 40 passed (1), 4 missing (unspecified 4): "
        "0.091 of it is missing, at most 0.05 is allowed."
    )
    assert expected == decision.detail


@pytest.mark.parametrize(
    ("excluded", "rule", "expected"),
    [
        (2, {"min": 0.8}, "PASS"),  # exactly the fraction allowed
        (3, {"min": 0.8}, "INSUFFICIENT_EVIDENCE"),
        (3, {"max_failures": 0}, "INSUFFICIENT_EVIDENCE"),
        (3, {"requires_manual_review": True}, "INSUFFICIENT_EVIDENCE"),
        (3, {"max": 0.5}, "FAIL"),
    ],
)
def test_too_much_excluded(excluded: int, rule: dict[str, Any], expected: str) -> None:
    """More excluded than allowed cannot pass, but what fails in spite of it has failed."""
    tally = tally_of(*"p" * 18)
    for _ in range(excluded):
        tally.add(None, ["n:fault_target_not_called"])
    assert expected == decided(tally, max_excluded_fraction=0.1, **rule).status


def test_too_much_excluded_says_how_much_and_why() -> None:
    """The fraction that is excluded stands beside the one allowed, with its reasons."""
    tally = tally_of(*"p" * 18)
    tally.add(None, ["n:fault_target_not_called"] * 6)
    decision = decided(tally, min=0.8, max_excluded_fraction=0.1)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "too_much_excluded")
    expected = (
        "18 of 18 passed (1), 6 excluded (fault_target_not_called 6): "
        "0.25 is excluded, at most 0.1 is allowed."
    )
    assert expected == decision.detail


@pytest.mark.parametrize(
    "reason", ["metamorphic_copy", "not_a_metamorphic_pair", "another_transform", "another_case"]
)
def test_what_the_suite_gives_to_other_checks_is_not_too_much(reason: str) -> None:
    """A verdict that was never due, as that of a check of single cases on a copy, has no limit."""
    tally = tally_of(*"p" * 24)
    tally.add(None, [f"n:{reason}"] * 48)
    assert decided(tally, min=0.8, max_excluded_fraction=0).status == "PASS"


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (cases(24, 0), "MANUAL_REVIEW"),
        (cases(22, 2), "INSUFFICIENT_EVIDENCE"),
        (cases(1, 23), "FAIL"),
    ],
)
def test_a_review_replaces_only_a_pass(tally: Tally, expected: str) -> None:
    """Where a person is asked for, what would pass waits for one; all else stays as it is."""
    assert expected == decided(tally, min=0.8, requires_manual_review=True).status


def test_a_rule_that_asks_only_for_a_person() -> None:
    """A rule with nothing but a review is a review, unless too much is missing."""
    decision = decided(cases(1, 1, missing=1), requires_manual_review=True)
    assert says(decision) == ("MANUAL_REVIEW", "manual_review_required")
    assert decision.detail.endswith("A person must review it.")
    limited = decided(cases(1, 1, missing=1), requires_manual_review=True, max_missing_fraction=0.1)
    assert says(limited) == ("INSUFFICIENT_EVIDENCE", "too_much_missing")


@pytest.mark.parametrize("validity", [None, labels(0, 0), labels(24, 0), labels(24, 23)], ids=str)
@pytest.mark.parametrize(
    "rule", [{"min": 0.8}, {"max": 0.1}, {"max_failures": 0}, {"requires_manual_review": True}]
)
def test_nothing_is_said_of_an_unchecked_transform(
    validity: ValidityReport | None, rule: dict[str, Any]
) -> None:
    """Neither passes nor failures count before labels show the transform valid."""
    for tally in (cases(24, 0), cases(0, 24)):
        decision = decided(tally, transform="injected", validity=validity, **rule)
        assert says(decision) == ("INSUFFICIENT_EVIDENCE", "transform_not_checked")


@pytest.mark.parametrize(
    ("validity", "expected"),
    [
        (
            labels(24, 23),
            "of 24 pairs, 23 labelled, 23 kept, 24 kept needed for a lower bound of 0.85.",
        ),
        (
            labels(10, 10),
            "of 10 pairs, 10 labelled, 10 kept; with all kept, so few do not reach "
            "a lower bound of 0.85: 23 are needed.",
        ),
        (
            labels(10, 10, minimum=1.0),
            "of 10 pairs, 10 labelled, 10 kept; with all kept, so few do not reach "
            "a lower bound of 1: no number would do.",
        ),
        (None, "it has no pairs."),
    ],
)
def test_an_unchecked_transform_says_what_is_needed(
    validity: ValidityReport | None, expected: str
) -> None:
    """The counts of labels stand beside what is needed."""
    decision = decided(cases(24, 0), min=0.8, transform="injected", validity=validity)
    start = "No labels show yet that `injected` keeps what a request means: "
    assert start + expected == decision.detail


def test_a_valid_transform_is_decided() -> None:
    """A transform that labels show valid is decided like any metric."""
    for tally, expected in ((cases(24, 0), "PASS"), (cases(0, 24), "FAIL")):
        decision = decided(tally, min=0.8, transform="injected", validity=labels(24, 24))
        assert expected == decision.status


def test_clusters_need_leave() -> None:
    """Without leave for an approximate method clusters are not decided, and the way is told."""
    decision = decided(tally_of(*["pp"] * 24), min=0.8)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "approximate_methods_not_allowed")
    assert "`allow_approximate_methods: true`" in decision.detail
    assert "24 clusters" in decision.detail


def test_clusters_must_be_enough() -> None:
    """Fewer clusters than the policy asks for give no interval."""
    decision = decided(tally_of(*["pp"] * 19), min=0.5, policy={"allow_approximate_methods": True})
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "too_few_clusters")
    assert decision.detail == (
        "38 of 38 passed (1) in 19 clusters; an interval over clusters needs at least 20."
    )


def test_replicates_of_pairs_decide() -> None:
    """Three replicates of each pair, one of which fails now and then, are decided as clusters."""
    tally = tally_of(*["ppp"] * 30, *["ppf"] * 6)
    decision = decided(tally, min=0.8, policy={"allow_approximate_methods": True})
    assert decision.status == "PASS"
    assert "102 of 108 passed (0.944) in 36 clusters" in decision.detail


def test_agreeing_clusters_count_once() -> None:
    """Where all observations agree each cluster counts once, and more clusters are asked for."""
    decision = decided(tally_of(*["ppp"] * 24), min=0.9, policy={"allow_approximate_methods": True})
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "more_cases_needed")
    assert "72 of 72 passed (1) in 24 clusters; the 95 % interval 0.858 to 1" in decision.detail
    expected = "36 cases, each in a cluster of its own, would settle it at the observed rate."
    assert decision.detail.endswith(expected)


CLUSTERED = {"allow_approximate_methods": True}


def test_a_cluster_without_an_observation_does_not_count() -> None:
    """Nineteen clusters are too few, and a twentieth that is wholly missing makes no difference."""
    decision = decided(tally_of(*["pp"] * 19, "mm"), min=0.5, policy=CLUSTERED)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "too_few_clusters")
    assert "in 20 clusters worth 19 equal ones" in decision.detail
    assert decided(tally_of(*["pp"] * 20, "mm"), min=0.5, policy=CLUSTERED).status == "PASS"


@pytest.mark.parametrize("large", ["p" * 20, "p" * 19 + "f"])
def test_a_few_large_clusters_are_not_many(large: str) -> None:
    """Where clusters are unequal, it is told how many equal ones they are worth."""
    decision = decided(tally_of(*"p" * 35, *[large] * 5), min=0.5, policy=CLUSTERED)
    assert says(decision) == ("INSUFFICIENT_EVIDENCE", "too_few_clusters")
    assert decision.detail.endswith(
        "in 40 clusters worth 8.956 equal ones; an interval over clusters needs at least 20."
    )


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (["fff", *["ppp"] * 23], ["fff", "ppf", *["ppp"] * 22]),
        (["fff", *["ppp"] * 23], ["fff", "ppm", *["ppp"] * 22]),
        (["fffpp", *["ppppp"] * 19], ["mmmpp", *["ppppp"] * 19]),
        (["ppppf", *["ppppp"] * 19], ["ppppf", "ppmmm", *["ppppp"] * 18]),
        (["ppp"] * 24, ["ppf", *["ppp"] * 23]),
    ],
)
def test_a_failure_or_a_missing_value_never_allows(better: list[str], worse: list[str]) -> None:
    """At no bar does a rule pass because something failed or is missing."""
    for step in range(500, 1000, 5):
        bar = {"min": step / 1000, "policy": CLUSTERED}
        before, after = decided(tally_of(*better), **bar), decided(tally_of(*worse), **bar)
        assert (before.status == "PASS") >= (after.status == "PASS")


def test_the_policy_sets_the_level() -> None:
    """The interval has the policy's level, and a lower one decides sooner."""
    assert decided(cases(11, 0), min=0.8).status == "INSUFFICIENT_EVIDENCE"
    decision = decided(cases(11, 0), min=0.8, policy={"confidence_level": 0.8})
    assert decision.status == "PASS"
    assert "the 80 % interval" in decision.detail


def test_requirements_in_words() -> None:
    """A requirement names each of its parts."""
    rules = [
        Rule(id="a", metric="m", min=0.8, max_missing_fraction=0.05),
        Rule(id="b", metric="m", max=0.25, requires_manual_review=True),
        Rule(id="c", metric="m", max_failures=0),
        Rule(id="d", metric="m", max_failures=2),
        Rule(id="e", metric="m", requires_manual_review=True),
        Rule(id="f", metric="m", max_failures=0, max_excluded_fraction=0.1),
    ]
    assert [
        "a pass rate of at least 0.8, at most 0.05 of it missing",
        "a pass rate of at most 0.25, a person's review",
        "no failure",
        "at most 2 failures",
        "a person's review",
        "no failure, at most 0.1 excluded",
    ] == [requirement(rule) for rule in rules]


def test_rules_are_decided_in_order() -> None:
    """There is one decision for each rule, in the order of the policy."""
    policy = Policy(rules=[Rule(id=name, metric=name, max_failures=0) for name in ("b", "a", "c")])
    decisions = decide(policy, {"a": cases(1, 0), "b": cases(0, 1)}, {}, {})
    assert [("b", "FAIL"), ("a", "PASS"), ("c", "INSUFFICIENT_EVIDENCE")] == [
        (decision.rule, decision.status) for decision in decisions
    ]


letters = st.lists(st.text("pfm", min_size=1, max_size=3), min_size=1, max_size=30)
RANK = {"FAIL": 0, "INSUFFICIENT_EVIDENCE": 1, "PASS": 2}


@given(drawn=letters, bar=st.floats(0, 1), data=st.data())
def test_a_pass_more_never_turns_pass_into_fail(
    drawn: list[str], bar: float, data: st.DataObject
) -> None:
    """Where one verdict becomes a pass, clustered or not, a PASS does not become a FAIL."""
    policy = {"allow_approximate_methods": True}
    place = data.draw(st.integers(0, len(drawn) - 1))
    better = [*drawn]
    better[place] = "p" * len(drawn[place])
    before = decided(tally_of(*drawn), policy=policy, min=bar)
    after = decided(tally_of(*better), policy=policy, min=bar)
    assert (before.status, after.status) != ("PASS", "FAIL")


@given(
    passed=st.integers(0, 40),
    failed=st.integers(1, 40),
    missing=st.integers(0, 5),
    rule=st.one_of(
        st.floats(0, 1).map(lambda bar: {"min": bar}),
        st.integers(0, 40).map(lambda allowed: {"max_failures": allowed}),
    ),
)
def test_single_cases_are_monotone(
    passed: int, failed: int, missing: int, rule: dict[str, Any]
) -> None:
    """With clusters of one, a failure that becomes a pass never makes a decision worse."""
    before = decided(cases(passed, failed, missing), **rule)
    after = decided(cases(passed + 1, failed - 1, missing), **rule)
    assert RANK[before.status] <= RANK[after.status]


@given(passed=st.integers(0, 60), failed=st.integers(0, 60), bar=st.floats(0.01, 0.99))
def test_what_would_settle_it_does(passed: int, failed: int, bar: float) -> None:
    """A number of cases told as sufficient makes the rule pass."""
    decision = decided(cases(passed, failed), min=bar)
    if decision.reason != "more_cases_needed" or "More than" in decision.detail:
        return
    needed = int(decision.detail.split(". ")[-1].split(" case")[0].replace(",", ""))
    if needed > 3000:
        return
    share = needed * passed // (passed + failed)
    assert needed > passed + failed
    assert decided(cases(share, needed - share), min=bar).status == "PASS"


@given(
    drawn=st.lists(st.text("pfmn", max_size=4), max_size=30),
    rule=st.one_of(
        st.floats(0, 1).map(lambda bar: {"min": bar}),
        st.floats(0, 1).map(lambda bar: {"max": bar}),
        st.integers(0, 5).map(lambda allowed: {"max_failures": allowed}),
    ),
    level=st.floats(0.5, 0.9999),
    review=st.booleans(),
    fraction=st.none() | st.floats(0, 1),
)
def test_every_decision_is_told(
    drawn: list[str],
    rule: dict[str, Any],
    level: float,
    review: bool,
    fraction: float | None,
) -> None:
    """Whatever was counted is decided, in whole sentences, and nothing observed never passes."""
    tally = tally_of(*drawn)
    decision = decided(
        tally,
        policy={"allow_approximate_methods": True, "confidence_level": level},
        requires_manual_review=review,
        max_missing_fraction=fraction,
        **rule,
    )
    assert decision.detail.endswith(".")
    assert tally.observed or decision.status == "INSUFFICIENT_EVIDENCE"
    assert decision.status != "PASS" or not review
