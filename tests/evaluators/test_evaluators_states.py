"""The recorded world against the expected one, and against the initial one."""

from __future__ import annotations

from typing import Any

import pytest
from evaluator_samples import RAISED, case, evaluator, evidence

from oloproof.evaluation.contract import Comparison, Context, Verdict
from oloproof.paths import MISSING

BEFORE: Any = {"orders": {"1": {"s": "open"}, "9": {"s": "open"}}, "a.b": 1}


def matches(expected: Any, state: Any, **options: Any) -> Verdict:
    check = evaluator(type="state_matches", **options)
    return check.evaluate(Context(case(BEFORE, expected=expected), evidence(state=state)))


def unchanged(state: Any, before: Any = BEFORE, **options: Any) -> Verdict:
    check = evaluator(type="state_unchanged", **options)
    return check.evaluate(Context(case(before), evidence(state=state)))


class TestStateMatches:
    @pytest.mark.parametrize(
        ("options", "expected", "state", "code"),
        [
            ({}, {"state": {"a": 1}}, {"a": 1.0}, "p"),
            ({}, {"state": {"a": 1}}, {"a": 1, "b": 2}, "f"),
            ({"mode": "subset"}, {"state": {"a": 1}}, {"a": 1, "b": 2}, "p"),
            ({"mode": "paths", "paths": ["a"]}, {"state": {"a": 1, "b": 3}}, {"a": 1, "b": 2}, "p"),
            (
                {"mode": "tolerance", "tolerance": {"absolute": 1}},
                {"state": {"a": 1}},
                {"a": 2},
                "p",
            ),
            (
                {"mode": "tolerance", "tolerance": {"relative": 0.5}},
                {"state": {"a": 2}},
                {"a": 1},
                "p",
            ),
            (
                {"mode": "tolerance", "tolerance": {"paths": {"a": {"absolute": 1}}}},
                {"state": {"a": 1, "b": 1}},
                {"a": 2, "b": 1},
                "p",
            ),
            ({"ignore": ["t"]}, {"state": {"a": 1}}, {"a": 1, "t": 5}, "p"),
            ({"unordered": ["l"]}, {"state": {"l": [1, 2]}}, {"l": [2, 1]}, "p"),
            ({"normalise": {"n": ["strip", "lower"]}}, {"state": {"n": "A"}}, {"n": " a"}, "p"),
            ({}, {"state": {"a": True}}, {"a": 1}, "f"),
            ({}, {"state": {"a": None}}, {}, "f"),
            ({}, {"alternatives": [{"a": 1}, {"a": 2}]}, {"a": 2}, "p"),
            ({}, {"state": {"a": 0}, "alternatives": [{"a": 1}, {"a": 2}]}, {"a": 3}, "f"),
            ({"alternatives": "also"}, {"state": {"a": 0}, "also": [{"a": 1}]}, {"a": 1}, "p"),
            ({}, {"answer": "x"}, {"a": 1}, "n:no_expected_state"),
            ({}, None, {"a": 1}, "n:no_expected_state"),
            ({}, {"state": {}}, MISSING, "m:no_recorded_state"),
            ({}, {}, MISSING, "n:no_expected_state"),
        ],
    )
    def test_the_world_is_the_expected_one_or_not(
        self, options: Any, expected: Any, state: Any, code: str
    ) -> None:
        """Each mode and option of the line takes effect."""
        assert code == matches(expected, state, **options).code

    @pytest.mark.parametrize(
        ("options", "expected", "state"),
        [
            ({"mode": "paths", "paths": ["o.statsu"]}, {"o": {"status": 1}}, {"o": {"status": 2}}),
            ({"mode": "paths", "paths": ["ordres[*].s"]}, {"orders": {}}, {"orders": {"1": 1}}),
            ({"mode": "paths", "paths": ["orders[*].t"]}, BEFORE, BEFORE),
            ({"mode": "paths", "paths": ["orders[*].s"]}, {"orders": {}}, {"orders": {}}),
            ({"mode": "paths", "paths": ["x"], "ignore": ["x[*]"]}, {"x": [1]}, {"x": [2]}),
            ({"mode": "paths", "paths": ["x"], "ignore": ["x[*]"]}, {"x": [1]}, {"x": [1]}),
            ({"ignore": ["[*]"]}, {"a": 1}, {"a": 2, "b": 3}),
            ({"ignore": ["[*]"]}, {"a": 1}, {"a": 1}),
            ({"ignore": ["[*]"]}, {}, {"a": 1}),
            ({"ignore": ["orders", '"a.b"']}, BEFORE, {"orders": {}, "a.b": 9}),
            ({"ignore": ["[*][*].s", '"a.b"']}, BEFORE, BEFORE),
            ({"mode": "subset"}, {}, {"a": 1}),
            ({"mode": "subset", "ignore": ["a"]}, {"a": 1}, {"a": 2}),
        ],
    )
    def test_a_match_in_which_nothing_was_compared_is_no_pass(
        self, options: Any, expected: Any, state: Any
    ) -> None:
        """A path that is on no side, an `ignore` that covers all, a subset of nothing."""
        said = matches({"state": expected}, state, **options)
        assert "n:nothing_compared" == said.code
        assert said.detail

    @pytest.mark.parametrize(
        ("options", "expected", "state", "code"),
        [
            ({"mode": "paths", "paths": ["x", "a"]}, {"a": 1}, {"a": 1}, "p"),
            ({"mode": "paths", "paths": ["x"]}, {}, {"x": 1}, "f"),
            ({"mode": "paths", "paths": ["orders.9"]}, {"orders": {}}, {"orders": {}}, "p"),
            ({"mode": "paths", "paths": ["x"], "ignore": ["x.t"]}, {"x": {}}, {"x": {"t": 1}}, "p"),
            ({"ignore": ["t"]}, {}, {"t": 1}, "p"),
            ({"ignore": ["[*].t"]}, {"x": {"t": 1}, "y": 1}, {"x": {"t": 2}, "y": 1}, "p"),
            ({"ignore": ["[*]"]}, {"a": 1}, [], "f"),
            ({}, {}, {}, "p"),
            ({"mode": "subset"}, {"a": {}}, {"a": {"b": 1}}, "p"),
        ],
    )
    def test_whatever_was_compared_counts(
        self, options: Any, expected: Any, state: Any, code: str
    ) -> None:
        """One place is enough, also one of the initial state that is gone as it should be."""
        assert code == matches({"state": expected}, state, **options).code

    def test_a_match_in_which_nothing_was_compared_shows_its_places(self) -> None:
        """The panel can tell which path is on no side."""
        said = matches({"state": {"a": 1}}, {"a": 2}, mode="paths", paths=["aa"])
        assert (Comparison("aa", MISSING, MISSING, True, "absent in both"),) == said.compared

    def test_a_failure_names_the_first_difference(self) -> None:
        """The sentence says what is there and what was expected; the places are all there."""
        said = matches({"state": {"a": 1, "b": 2}}, {"a": 9})
        assert "a is 9, not 1 (and 1 more)" == said.detail
        assert (Comparison("a", 1, 9, False), Comparison("b", 2, MISSING, False, "not there")) == (
            said.compared
        )

    def test_several_accepted_states_say_which_one_it_was(self) -> None:
        """The accepted state that matched, or the nearest one, is named."""
        expected = {"state": {"a": 1}, "alternatives": [{"a": 2}]}
        assert "it is accepted state 2 of 2" == matches(expected, {"a": 2}).detail
        assert (
            "none of 2 accepted states; nearest is accepted state 1 of 2: a is 3, not 1"
            == matches(expected, {"a": 3}).detail
        )

    def test_a_missing_state_says_why(self) -> None:
        """The problem with the snapshot, or how the system ended, is told."""
        check = evaluator(type="state_matches")
        of = case({}, expected={"state": {}})
        died = check.evaluate(Context(of, evidence(outcome=RAISED)))
        assert "ValueError: no such order" == died.detail
        failed = check.evaluate(Context(of, evidence(world_problem="snapshot() raised")))
        assert "snapshot() raised" == failed.detail

    def test_a_crash_is_judged_by_the_world_it_left(self) -> None:
        """A state recorded after a crash is compared like any other."""
        check = evaluator(type="state_matches")
        left = evidence(state={"a": 1}, outcome=RAISED)
        assert "p" == check.evaluate(Context(case({}, expected={"state": {"a": 1}}), left)).code


class TestStateUnchanged:
    @pytest.mark.parametrize(
        ("options", "state", "code"),
        [
            ({"paths": ["orders.9"]}, {"orders": {"9": {"s": "open"}}}, "p"),
            ({"paths": ["orders.9"]}, {"orders": {"9": {"s": "closed"}}}, "f"),
            ({"paths": ["orders.9"]}, {"orders": {}}, "f"),
            ({"paths": ["orders.5"]}, {"orders": {}}, "p"),
            ({"paths": ["orders.5"]}, {"orders": {"5": None}}, "f"),
            ({"paths": ['"a.b"']}, {"a.b": 1.0}, "p"),
            ({"paths": ['"a.b"']}, {"a.b": True}, "f"),
            ({"paths": ["/a.b"]}, {"a.b": 2}, "f"),
            ({"paths": ["orders[*].s"]}, {"orders": {"1": {"s": "open"}, "9": {"s": "x"}}}, "f"),
            (
                {"paths": ["orders"], "except": ["orders.1"]},
                {"orders": {"1": 5, "9": {"s": "open"}}},
                "p",
            ),
            ({"paths": ["orders"], "except": ["orders.1"]}, {"orders": {"1": 5, "9": {}}}, "f"),
            (
                {"paths": ["orders"], "except": ["orders[*].t"]},
                {"orders": {"1": {"s": "open", "t": 1}, "9": {"s": "open"}}},
                "p",
            ),
            ({}, BEFORE, "p"),
            ({}, {**BEFORE, "new": 1}, "f"),
            ({"except": ["new"]}, {**BEFORE, "new": 1}, "p"),
            ({"paths": ["orders"]}, MISSING, "m:no_recorded_state"),
        ],
    )
    def test_a_place_is_as_it_was_or_not(self, options: Any, state: Any, code: str) -> None:
        """Absent in both is unchanged; what appears or goes is a change."""
        assert code == unchanged(state, **options).code

    def test_every_declared_place_is_listed(self) -> None:
        """The verdict shows each place with the value before and after."""
        said = unchanged({"orders": {"1": {"s": "open"}}}, paths=["orders.1", "orders.9", "x"])
        assert (
            Comparison("orders.1", {"s": "open"}, {"s": "open"}, True),
            Comparison("orders.9", {"s": "open"}, MISSING, False, "not there"),
            Comparison("x", MISSING, MISSING, True, "absent in both"),
        ) == said.compared

    def test_damage_before_a_crash_is_found(self) -> None:
        """The world after a crash is judged."""
        check = evaluator(type="state_unchanged", paths=["orders.9"])
        left = evidence(state={"orders": {"9": "gone"}}, outcome=RAISED)
        assert "f" == check.evaluate(Context(case(BEFORE), left)).code
