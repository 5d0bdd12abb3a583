"""States compared in each mode, with each option, and the properties that hold for all."""

from __future__ import annotations

import copy
import itertools
from typing import Any, ClassVar

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from oloproof.canonical import equal
from oloproof.errors import ConfigurationError
from oloproof.evaluation.comparing.multisets import form, unmatched_by_pairing
from oloproof.evaluation.comparing.rules import EXACTLY, Rule, Scope, Tolerance
from oloproof.evaluation.comparing.values import compare_values, equal_parts
from oloproof.evaluation.contract import Comparison
from oloproof.evaluation.states.comparison import EXACT, StateComparison
from oloproof.evaluation.states.options import names_item
from oloproof.paths import MISSING, parse
from oloproof.records.case import Case

scalars = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, 1.0, "", "a", "A "])
keys = st.sampled_from(["a", "b", "c.d"])
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=10,
)
path_texts = st.lists(
    st.sampled_from(['."a"', '."b"', '."c.d"', "[0]", "[1]", "[*]"]), min_size=1, max_size=3
).map(lambda parts: "".join(parts).removeprefix("."))


def comparison(**options: Any) -> StateComparison:
    """A comparison whose paths are given as text."""
    for name in ("paths", "ignore", "unordered"):
        if name in options:
            options[name] = [parse(text) for text in options[name]]
    for name in ("normalise", "tolerance_at"):
        if name in options:
            options[name] = {parse(text): value for text, value in options[name].items()}
    return StateComparison(**options)


@st.composite
def comparisons(draw: st.DrawFn, *, tolerant: bool = True) -> StateComparison:
    """A comparison with some of every option, as a suite may declare it."""
    mode = draw(st.sampled_from(["exact", "paths", "subset"]))
    lists = st.lists(path_texts, max_size=2)
    paths = draw(st.lists(path_texts, min_size=1, max_size=2)) if mode == "paths" else []
    ignore, unordered = draw(lists), draw(lists)
    normalised = draw(lists)
    declared = [*paths, *ignore, *unordered, *normalised]
    assume(not any(names_item(parse(p), parse(u)) for p in declared for u in unordered))
    return comparison(
        mode=mode,
        paths=paths,
        ignore=ignore,
        unordered=unordered,
        normalise=dict.fromkeys(normalised, ("strip", "lower")),
        tolerance=Tolerance(absolute=1) if tolerant and draw(st.booleans()) else None,
    )


def matches(way: StateComparison, expected: Any, actual: Any) -> bool:
    return way.best_match([expected], actual, None).matched


def failing(compared: tuple[Comparison, ...]) -> list[tuple[str, Any, Any]]:
    return [(place.path, place.expected, place.actual) for place in compared if not place.passed]


def is_part(expected: Any, actual: Any) -> bool:
    """The definition of a subset: objects recurse, everything else is equal."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(k in actual and is_part(item, actual[k]) for k, item in expected.items())
    return equal(expected, actual)


class TestExact:
    @given(json_values, json_values)
    @example([1], [True])
    @example({"a": 1}, {"a": 1.0})
    def test_it_passes_exactly_for_equal_values(self, expected: Any, actual: Any) -> None:
        """All places pass if and only if the values are equal by JSON value."""
        assert equal(expected, actual) == matches(EXACT, expected, actual)

    @given(json_values, json_values)
    def test_each_difference_stands_at_its_deepest_place(self, expected: Any, actual: Any) -> None:
        """A failing place never holds two objects or two lists, and says what is there."""
        for text, wanted, found in failing(EXACT.compare(expected, actual)):
            assert not (isinstance(wanted, dict) and isinstance(found, dict))
            assert not (isinstance(wanted, list) and isinstance(found, list))
            if text:
                assert wanted is parse(text).get(expected)
                assert found is parse(text).get(actual)

    @pytest.mark.parametrize(
        ("expected", "actual", "differences"),
        [
            ({"a": 1}, {"a": 1.0}, []),
            ({"a": 1}, {"a": True}, [("a", 1, True)]),
            ({"a": None}, {}, [("a", None, MISSING)]),
            ({}, {"a": None}, [("a", MISSING, None)]),
            ({"x.y": [1, {"z": 2}]}, {"x.y": [1, {"z": 3}]}, [('"x.y"[1].z', 2, 3)]),
            ([1, 2], [1], [("[1]", 2, MISSING)]),
            ([1], [1, 2], [("[1]", MISSING, 2)]),
            ({"a": {}}, {"a": []}, [("a", {}, [])]),
            ("x", None, [("", "x", None)]),
            (
                {"a": 1, "b": {"c": 2}, "d": 3},
                {"a": 9, "b": {"c": 8}, "d": 3},
                [("a", 1, 9), ("b.c", 2, 8)],
            ),
        ],
    )
    def test_every_difference_is_listed(
        self, expected: Any, actual: Any, differences: list[Any]
    ) -> None:
        """Differences are listed one by one, missing apart from null."""
        assert differences == failing(EXACT.compare(expected, actual))

    def test_a_missing_state_matches_nothing(self) -> None:
        """Nothing recorded is not null."""
        assert not matches(EXACT, None, MISSING)


class TestSubset:
    @given(json_values, json_values)
    @example({"a": {}}, {"a": {"b": 1}})
    @example({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]})
    def test_it_passes_exactly_for_parts(self, expected: Any, actual: Any) -> None:
        """Objects may hold more at any depth; lists compare whole."""
        assert is_part(expected, actual) == matches(comparison(mode="subset"), expected, actual)

    @given(json_values, json_values)
    def test_the_quick_way_says_the_same(self, expected: Any, actual: Any) -> None:
        """Where the quick comparison finds a part, the full one lists the same places."""
        places = equal_parts(expected, actual)
        if places is not None:
            scope = Scope(included=True, subset=True)
            full = compare_values(expected, actual, (), scope, tolerant=False)
            if not equal(expected, actual):
                assert (True, places) == full

    def test_an_unordered_list_is_still_whole(self) -> None:
        """Declared unordered, a list compares as a multiset of whole items."""
        subset = comparison(mode="subset", unordered=["tags"])
        assert matches(subset, {"tags": ["a", "b"]}, {"tags": ["b", "a"], "more": 1})
        assert not matches(subset, {"tags": ["a"]}, {"tags": ["b", "a"]})

    def test_places_that_hold_are_named(self) -> None:
        """What was compared is listed at the part that is equal, not above it."""
        expected = {"orders": {"1": {"status": "refunded"}}}
        actual = {"orders": {"1": {"status": "refunded", "at": 5}, "2": {}}}
        (place,) = comparison(mode="subset").compare(expected, actual)
        assert Comparison("orders.1.status", "refunded", "refunded", True) == place


class TestPaths:
    world: ClassVar[Any] = {
        "a": {"x": 1, "y": 2},
        "l": [{"p": 1, "q": 1}, {"p": 2, "q": 2}],
        "n": None,
    }

    @pytest.mark.parametrize(
        ("paths", "actual", "differences"),
        [
            (["a.x"], {"a": {"x": 1, "y": 9}}, []),
            (["a.x"], {"a": {"x": 2}}, [("a.x", 1, 2)]),
            (["a.x"], {}, [("a.x", 1, MISSING)]),
            (["n"], {}, [("n", None, MISSING)]),
            (["z.z"], {"z": {"z": 1}}, [("z.z", MISSING, 1)]),
            (["z.z"], {}, []),
            (["a"], {"a": {"x": 1, "y": 2, "z": 3}}, [("a.z", MISSING, 3)]),
            (["l[*].p"], {"l": [{"p": 1}, {"p": 2, "q": 7}]}, []),
            (["l[*].p"], {"l": [{"p": 1}]}, [("l[1].p", 2, MISSING)]),
            (["l[*].p"], {"l": [{"p": 1}, {"p": 2}, {"p": 3}]}, [("l[2].p", MISSING, 3)]),
            (["/l/0/p"], {"l": [{"p": 5}]}, [("l[0].p", 1, 5)]),
            (["a[*]"], {"a": {"x": 1, "y": 3}}, [("a.y", 2, 3)]),
            (["a.x", "a.y"], {"a": {"x": 0, "y": 0}}, [("a.x", 1, 0), ("a.y", 2, 0)]),
        ],
    )
    def test_only_declared_places_are_compared(
        self, paths: list[str], actual: Any, differences: list[Any]
    ) -> None:
        """A declared path compares whatever lies there, and nothing else does."""
        compared = comparison(mode="paths", paths=paths).compare(self.world, actual)
        assert differences == failing(compared)

    def test_a_place_absent_in_both_is_listed_as_such(self) -> None:
        """A declared path that names nothing is compared, and both sides agree."""
        compared = comparison(mode="paths", paths=["z.z", "w[*].v"]).compare({}, {})
        assert (
            Comparison("z.z", MISSING, MISSING, True, "absent in both"),
            Comparison("w[*]", MISSING, MISSING, True, "absent in both"),
        ) == compared

    def test_an_unordered_list_is_matched_by_its_declared_parts(self) -> None:
        """Items of an unordered list are partners when their declared parts are equal."""
        prices = comparison(mode="paths", paths=["l[*].p"], unordered=["l"])
        assert matches(prices, {"l": [{"p": 1}, {"p": 2}]}, {"l": [{"p": 2, "q": 1}, {"p": 1}]})
        assert not matches(prices, {"l": [{"p": 1}, {"p": 2}]}, {"l": [{"p": 2}, {"p": 2}]})


class TestOptions:
    def test_ignored_places_are_left_out_on_both_sides(self) -> None:
        """A difference, an absence or an addition at an ignored path is nothing."""
        ignoring = comparison(ignore=["at", "log[*].at", "orders[*].seen"])
        expected = {"at": 1, "log": [{"at": 1, "e": "x"}], "orders": {"a": {"s": 1}}}
        actual = {"log": [{"at": 9, "e": "x"}], "orders": {"a": {"s": 1, "seen": True}}}
        assert matches(ignoring, expected, actual)
        assert not matches(ignoring, expected, {**actual, "orders": {"a": {"s": 2}}})

    def test_a_state_with_only_ignored_differences_is_still_listed(self) -> None:
        """Something is always shown to have been compared."""
        (place,) = comparison(ignore=["at"]).compare({"at": 1}, {"at": 2})
        assert (True, "only ignored places differ") == (place.passed, place.note)

    @pytest.mark.parametrize("options", [{}, {"unordered": ["log"]}])
    def test_a_list_whose_items_are_all_ignored_matches_any(self, options: Any) -> None:
        """Neither the items nor their number are compared."""
        ignoring = comparison(ignore=["log[*]"], **options)
        assert matches(ignoring, {"log": [1, 2]}, {"log": [3]})
        assert not matches(ignoring, {"log": [1]}, {"log": {}})

    @pytest.mark.parametrize(
        ("expected", "actual", "differences"),
        [
            ([1, 2, 2], [2, 1, 2], []),
            ([1], [1.0], []),
            ([1], [True], [("l[0]", 1, True)]),
            ([1, 2], [2, 3], [("l[0]", 1, 3)]),
            ([{"s": "a", "n": 1}, {}], [{}, {"s": "b", "n": 1}], [("l[0].s", "a", "b")]),
            ([1, 1, 2], [1, 2, 2], [("l[1]", 1, 2)]),
            (
                [1, 2, 5],
                [3, 5, 4],
                [
                    ("l[0]", 1, MISSING),
                    ("l[1]", 2, MISSING),
                    ("l[0]", MISSING, 3),
                    ("l[2]", MISSING, 4),
                ],
            ),
            ([1], [1, 1], [("l[1]", MISSING, 1)]),
            ([1, 2], {"0": 1}, [("l", [1, 2], {"0": 1})]),
        ],
    )
    def test_unordered_lists_compare_as_multisets(
        self, expected: Any, actual: Any, differences: list[Any]
    ) -> None:
        """Order is nothing, number is; a single changed item is told by what changed in it."""
        compared = comparison(unordered=["l"]).compare({"l": expected}, {"l": actual})
        assert differences == failing(compared)

    def test_texts_are_normalised_at_and_below_a_path(self) -> None:
        """Normalisers apply in order to the text at a path or to every text below it."""
        loose = comparison(normalise={"note": ("strip", "casefold"), "tags": ("lower",)})
        assert matches(
            loose, {"note": " Straße", "tags": ["A"]}, {"note": "STRASSE ", "tags": ["a"]}
        )
        assert not matches(loose, {"note": "a b"}, {"note": "a  b"})
        assert not matches(loose, {"other": "A"}, {"other": "a"})

    def test_the_deepest_declaration_holds(self) -> None:
        """A normaliser or tolerance further down replaces the one above it."""
        layered = comparison(
            mode="tolerance",
            tolerance=Tolerance(absolute=1),
            tolerance_at={"strict": Tolerance(), "strict.loose": Tolerance(absolute=5)},
        )
        assert matches(layered, {"x": 1, "strict": {"loose": 1}}, {"x": 2, "strict": {"loose": 6}})
        assert not matches(layered, {"strict": {"y": 1}}, {"strict": {"y": 2}})

    @pytest.mark.parametrize(
        ("tolerance", "expected", "actual", "near"),
        [
            (Tolerance(absolute=0.01), 20.0, 19.99, True),
            (Tolerance(absolute=0.01), 20.0, 19.989, False),
            (Tolerance(absolute=0.1), 1.0, 1.1, True),
            (Tolerance(relative=0.1), 100, 110, True),
            (Tolerance(relative=0.1), 110, 100, True),
            (Tolerance(relative=0.1), 100, 111, False),
            (Tolerance(relative=0.1), -100, -110, True),
            (Tolerance(relative=0.1), 0, 0.0001, False),
            (Tolerance(absolute=1, relative=0.1), 100, 110, True),
            (Tolerance(absolute=1), 1, True, False),
            (Tolerance(absolute=1), "1", 1, False),
            (Tolerance(absolute=1), 2**63, 2**63 + 2, False),
            (Tolerance(absolute=1e308), -1e308, 1e308, False),
        ],
    )
    def test_numbers_within_a_tolerance_match(
        self, tolerance: Tolerance, expected: Any, actual: Any, near: bool
    ) -> None:
        """Bounds are inclusive on the numbers as written; relative is to the expected one."""
        loose = comparison(mode="tolerance", tolerance=tolerance)
        assert near == matches(loose, {"n": expected}, {"n": actual})

    def test_notes_say_what_was_overlooked(self) -> None:
        """A place that passes only by an option says by which."""
        loose = comparison(
            mode="tolerance",
            tolerance=Tolerance(absolute=0.5, relative=0.1),
            normalise={"s": ("strip", "lower")},
            unordered=["l"],
        )
        expected, actual = {"n": 1, "s": "A", "l": [1, 2]}, {"n": 1.2, "s": "a", "l": [2, 1]}
        notes = [place.note for place in loose.compare(expected, actual)]
        assert ["within ±0.5 or ±10 %", "after strip, lower", "in any order"] == notes

    def test_tolerance_in_an_unordered_list_finds_the_best_pairing(self) -> None:
        """Partners are found although the nearest item is another one's only partner."""
        loose = comparison(mode="tolerance", tolerance=Tolerance(absolute=0.1), unordered=["l"])
        assert matches(loose, {"l": [1.0, 0.9]}, {"l": [1.0, 1.1]})
        assert not matches(loose, {"l": [1.0, 0.9]}, {"l": [1.1, 1.2]})

    @given(comparisons(), json_values)
    def test_every_comparison_accepts_an_equal_state(
        self, way: StateComparison, state: Any
    ) -> None:
        """No option makes a state differ from itself."""
        assert matches(way, state, copy.deepcopy(state))

    @given(comparisons(), json_values, json_values)
    def test_options_never_refuse_what_is_equal(
        self, way: StateComparison, expected: Any, actual: Any
    ) -> None:
        """Every difference that is listed is one: its sides are not equal."""
        for _, wanted, found in failing(way.compare(expected, actual)):
            assert wanted is MISSING or found is MISSING or not equal(wanted, found)

    @given(comparisons(tolerant=False), json_values, json_values)
    @example(comparison(unordered=["[*]"]), [[1, 2]], [[2, 1.0]])
    def test_forms_agree_with_the_comparison(
        self, way: StateComparison, expected: Any, actual: Any
    ) -> None:
        """Two items have one form exactly when comparing them finds no difference."""
        assume(way.mode != "subset")
        rules, scope = way._rules, way._scope
        passed, _ = compare_values(expected, actual, rules, scope, tolerant=False)
        assert passed == (form(expected, rules, scope) == form(actual, rules, scope))

    @given(st.lists(json_values, max_size=4), st.randoms())
    def test_any_order_of_an_unordered_list_matches(self, items: list[Any], random: Any) -> None:
        """Shuffling an unordered list changes nothing."""
        shuffled = copy.deepcopy(items)
        random.shuffle(shuffled)
        assert matches(comparison(unordered=["l"]), {"l": items}, {"l": shuffled})


class TestPairing:
    @given(
        st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))),
        st.integers(0, 5),
        st.integers(0, 5),
    )
    def test_as_many_as_possible_are_paired(
        self, near: set[tuple[int, int]], left: int, right: int
    ) -> None:
        """The number of pairs is the largest that any assignment reaches."""
        lost, extra = unmatched_by_pairing(range(left), range(right), lambda i, j: (i, j) in near)
        padded = [*range(right), *[None] * left]
        best = max(
            (
                sum((i, j) in near for i, j in enumerate(order))
                for order in itertools.permutations(padded, left)
            ),
            default=0,
        )
        assert best == left - len(lost) == right - len(extra)


class TestAcceptedStates:
    def test_alternatives_are_accepted_beside_the_state(self) -> None:
        """`expected.alternatives` lists further states; the one that matched is named."""
        case = Case(id="c", input=1, expected={"state": {"a": 1}, "alternatives": [{"a": 2}]})
        accepted = EXACT.accepted_states(case)
        assert [{"a": 1}, {"a": 2}] == accepted
        match = EXACT.best_match(accepted, {"a": 2}, None)
        assert (True, 1) == (match.matched, match.position)

    def test_the_nearest_state_is_shown_where_none_matches(self) -> None:
        """Without a match, the state with the fewest differences is compared."""
        match = EXACT.best_match([{"a": 1, "b": 1}, {"a": 2, "b": 3}], {"a": 2, "b": 2}, None)
        assert (False, 1) == (match.matched, match.position)
        assert [("b", 3, 2)] == failing(match.compared)

    @pytest.mark.parametrize("expected", [None, {}, {"answer": 1}])
    def test_a_case_may_accept_none(self, expected: Any) -> None:
        """Without an expected state there is nothing to match."""
        assert [] == EXACT.accepted_states(Case(id="c", input=1, expected=expected))

    def test_an_expected_null_is_a_state(self) -> None:
        """A state that is null is expected to be null."""
        accepted = EXACT.accepted_states(Case(id="c", input=1, expected={"state": None}))
        assert [None] == accepted

    def test_another_field_may_hold_the_alternatives(self) -> None:
        """The option names the field."""
        case = Case(id="c", input=1, expected={"also": [{"a": 2}]})
        assert [{"a": 2}] == comparison(alternatives="also").accepted_states(case)

    def test_alternatives_that_are_no_list_are_refused(self) -> None:
        """The case is named; the place of a case with a line is for who knows its file."""
        for line, where in ((7, None), (None, "case `c-7`")):
            case = Case(id="c-7", input=1, expected={"alternatives": {"a": 1}}, line=line)
            with pytest.raises(ConfigurationError, match="of case `c-7` is not a list") as e:
                EXACT.accepted_states(case)
            assert where == e.value.where


class TestNothingCompared:
    @given(comparisons(), json_values, json_values)
    def test_only_a_match_can_rest_on_nothing(
        self, way: StateComparison, expected: Any, actual: Any
    ) -> None:
        """A difference is always one of something that was compared."""
        match = way.best_match([expected], actual, None)
        assert match.matched or not match.vacuous

    @given(comparisons(), json_values)
    def test_what_rests_on_nothing_stays_so_whatever_is_ignored(
        self, way: StateComparison, state: Any
    ) -> None:
        """Equal values are no evidence where the same values, differing, would not be any."""
        if way.mode != "subset" and way.best_match([state], state, None).vacuous:
            rules, scope = way._rules, way._scope
            assert form(state, rules, scope) == form(altered(state), rules, scope)

    @pytest.mark.parametrize(("item", "vacuous"), [("l[*]", True), ("l[*].t", False)])
    def test_items_of_an_unordered_list_may_all_be_ignored(self, item: str, vacuous: bool) -> None:
        """What is left of each item counts."""
        way = comparison(unordered=["l"], ignore=[item])
        state = {"l": [{"t": 1, "u": 2}]}
        assert vacuous == way.best_match([state], state, state).vacuous

    @pytest.mark.parametrize(("initial", "vacuous"), [(None, True), ({"a": 1, "t": 1}, False)])
    def test_what_is_gone_as_it_should_be_was_compared(self, initial: Any, vacuous: bool) -> None:
        """The initial state tells a place that was removed from one that never was."""
        for way in (comparison(ignore=["t"]), comparison(mode="paths", paths=["a"])):
            assert vacuous == way.best_match([{"t": 1}], {"t": 2}, initial).vacuous

    @given(json_values, json_values)
    def test_a_whole_state_is_always_something(self, expected: Any, actual: Any) -> None:
        """Without paths and ignored places, every match rests on what was compared."""
        assert not EXACT.best_match([expected], actual, None).vacuous


def altered(value: Any) -> Any:
    """A value with another one in the place of each leaf."""
    if isinstance(value, dict):
        return {key: altered(item) for key, item in value.items()}
    if isinstance(value, list):
        return [altered(item) for item in value]
    return "another"


class TestOtherModes:
    def test_a_mode_keeps_the_options_that_it_can_have(self) -> None:
        """Ignored paths stay when the mode changes; tolerances go with `exact`."""
        base = comparison(mode="subset", ignore=["at"], tolerance=Tolerance(absolute=1))
        assert matches(base, {"a": 1}, {"a": 2, "b": 3})
        exact = base.in_mode("exact")
        assert matches(exact, {"a": 1, "at": 1}, {"a": 1, "at": 2})
        assert not matches(exact, {"a": 1}, {"a": 2})
        assert matches(base.in_mode("tolerance"), {"a": 1}, {"a": 2})
        assert base is base.in_mode("subset")

    @pytest.mark.parametrize("mode", ["paths", "tolerance"])
    def test_a_mode_that_lacks_its_options_is_refused(self, mode: Any) -> None:
        """Comparing at paths or within a tolerance needs them declared."""
        with pytest.raises(ConfigurationError, match=f"the mode `{mode}` needs `{mode}`"):
            EXACT.in_mode(mode)


def test_a_rule_enters_every_scope_below() -> None:
    """A scope without rules of its own is handed down as it is."""
    assert EXACTLY is EXACTLY.entering((Rule(),))
