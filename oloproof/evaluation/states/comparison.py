"""Is a recorded world the expected one? Compared path by path, in one of four modes.

Numbers compare by value, booleans never equal numbers, and missing is not null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import equal
from oloproof.errors import ConfigurationError
from oloproof.evaluation.comparing.rules import Rule, Rules, Scope, Tolerance, ask, below, each
from oloproof.evaluation.comparing.values import compare_values, equal_parts
from oloproof.evaluation.contract import Comparison
from oloproof.evaluation.states.snapshots import expected_by_turn
from oloproof.evaluation.turns import turns_of
from oloproof.paths import MISSING, Absent, Path
from oloproof.records.case import refuse_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oloproof.bookkeeping import Bookkeeping, Rows
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.comparing.rules import Normaliser
    from oloproof.records.case import Case

Mode = Literal["exact", "paths", "subset", "tolerance"]

ALTERNATIVES: Final = "alternatives"
"""The field of `expected` that lists further accepted states, unless an option names another."""


class StateMatch(NamedTuple):
    """How a recorded state stands to the accepted ones.

    `compared` is with the state that matched, else with the nearest one (the fewest failing
    places, the earlier one of equals); `position` is its place among the `accepted` (from 0).
    A `vacuous` match shows nothing: all of its places are absent on both sides, or ignored.
    """

    matched: bool
    compared: tuple[Comparison, ...]
    position: int
    accepted: int
    vacuous: bool = False


class StateComparison:
    """One way to compare states; see the mode for what is compared.

    `exact`: everything. `paths`: only what lies at `paths`. `subset`: objects may hold more
    than expected, at any depth; lists compare whole. `tolerance`: everything, numbers within
    `tolerance`. In every mode what lies at `ignore` is left out, lists at `unordered` compare
    as multisets, texts at `normalise` (or below) are normalised first, and a `tolerance` of
    its own holds at the paths (and below) of `tolerance_at`.
    """

    __slots__ = (
        "_arguments",
        "_ignores",
        "_plain",
        "_rules",
        "_scope",
        "_tolerant",
        "alternatives",
        "mode",
    )

    def __init__(
        self,
        *,
        mode: Mode = "exact",
        paths: Iterable[Path] = (),
        ignore: Iterable[Path] = (),
        unordered: Iterable[Path] = (),
        tolerance: Tolerance | None = None,
        tolerance_at: Mapping[Path, Tolerance] | None = None,
        normalise: Mapping[Path, tuple[Normaliser, ...]] | None = None,
        alternatives: str = ALTERNATIVES,
    ) -> None:
        self.mode: Final = mode
        self.alternatives: Final = alternatives
        paths, ignore, unordered = tuple(paths), tuple(ignore), tuple(unordered)
        tolerance_at, normalise = tolerance_at or {}, normalise or {}
        self._arguments = (paths, ignore, unordered, tolerance, tolerance_at, normalise)
        root = Rule()
        for path in paths:
            root.at(path).included = True
        for path in ignore:
            root.at(path).ignored = True
        for path in unordered:
            root.at(path).unordered = True
        for path, names in normalise.items():
            root.at(path).normalisers = names
        for path, allowed in tolerance_at.items():
            root.at(path).tolerance = allowed
        self._plain = _plain(paths)
        self._ignores = bool(ignore)
        self._rules = (root,) if root.children or root.every else ()
        self._tolerant = tolerance is not None or bool(tolerance_at)
        self._scope = Scope(included=mode != "paths", subset=mode == "subset", tolerance=tolerance)

    def __eq__(self, other: object) -> bool:
        """Whether the other compares in the same way."""
        if not isinstance(other, StateComparison):
            return NotImplemented
        mine, its = (
            (one.mode, one.alternatives, one._arguments)  # of its own class
            for one in (self, other)
        )
        return mine == its

    __hash__ = None  # type: ignore[assignment]  # equal in what it holds, which can be any mapping

    def in_mode(self, mode: Mode) -> StateComparison:
        """The same in another mode; `ConfigurationError` where that lacks what it needs."""
        if mode == self.mode:
            return self
        paths, ignore, unordered, tolerance, tolerance_at, normalise = self._arguments
        if (mode == "paths" and not paths) or (mode == "tolerance" and not self._tolerant):
            raise ConfigurationError(
                f"the mode `{mode}` needs `{mode}`, which `state_matches` does not give",
                fix=f"give `{mode}` on the line of `state_matches`, or name another mode",
            )
        exact = mode == "exact"
        return StateComparison(
            mode=mode,
            paths=paths if mode == "paths" else (),
            ignore=ignore,
            unordered=unordered,
            tolerance=None if exact else tolerance,
            tolerance_at={} if exact else tolerance_at,
            normalise=normalise,
            alternatives=self.alternatives,
        )

    @property
    def everywhere(self) -> StateComparison:
        """The same of every place that is not ignored, whatever an expectation speaks of."""
        return self.in_mode("tolerance" if self._tolerant else "exact")

    def speaks_of(self, expected: JsonValue, path: Path) -> bool:
        """Whether anything at a place, or below it, is held against an expected state."""
        if self.mode == "paths":
            return any(one.covers(path) or path.covers(one) for one in self._arguments[0])
        if self.mode != "subset":
            return True
        there: JsonValue | Absent = expected
        for segment in path.segments:
            if not isinstance(there, dict):
                return True  # a list is compared as a whole
            there = Path((segment,)).get(there)
            if isinstance(there, Absent):
                return False
        return True

    def compare(
        self,
        expected: JsonValue,
        actual: JsonValue | Absent,
        initial: JsonValue = None,
        bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    ) -> tuple[Comparison, ...]:
        """Each compared place; an equal subtree is one place, the whole has the empty path.

        Both came of the `initial` state; what is `bookkeeping` does not count.
        """
        if bookkeeping.is_declared:
            expected, actual = bookkeeping.sides(expected, actual, initial, self._fits)
        return self._compare(expected, actual)[1]

    def _fits(self, rows: Rows, expected: JsonValue, actual: JsonValue) -> bool:
        """Whether two rows of a table are alike, by the rules that hold there."""
        rules: Rules = self._rules
        scope = self._scope
        for segment in rows.at.segments:
            scope = scope.entering(rules)
            scope = scope.whole() if isinstance(segment, int) else scope
            rules = below(rules, str(segment))
        scope = scope.entering(rules)
        scope = scope.whole() if rows.listed else scope
        return compare_values(expected, actual, each(rules), scope, tolerant=self._tolerant)[0]

    def _compare(
        self, expected: JsonValue, actual: JsonValue | Absent
    ) -> tuple[bool, tuple[Comparison, ...]]:
        places = self._equal_places(expected, actual)
        if places is not None:
            return True, places
        return compare_values(expected, actual, self._rules, self._scope, tolerant=self._tolerant)

    def _equal_places(
        self, expected: JsonValue, actual: JsonValue | Absent
    ) -> tuple[Comparison, ...] | None:
        """What was compared if all of it is there and equal: the usual case, told quickly."""
        if self._plain:
            return _equal_at(self._plain, expected, actual)
        if not self._scope.included or isinstance(actual, Absent):
            return None
        if equal(expected, actual):
            return (Comparison("", expected, actual, True),)
        return equal_parts(expected, actual) if self._scope.subset and not self._rules else None

    def accepted_states(self, case: Case) -> list[JsonValue]:
        """The states that a case accepts: `expected.state`, then its alternatives.

        Without a state there they are those that it expects of its last turn.
        """
        expected = case.expected
        if expected is None:
            return []
        of_last = expected_by_turn(case).get(turns_of(case), {})
        if "state" not in expected:
            expected = {**of_last, **expected}
        accepted = [expected["state"]] if "state" in expected else []
        if self.alternatives in expected:
            further = expected[self.alternatives]
            if not isinstance(further, list):
                raise refuse_case(
                    case,
                    f"`expected.{self.alternatives}` of case `{case.id}` is not a list",
                    fix="write a list of accepted states",
                )
            accepted += further
        return accepted

    def best_match(
        self,
        accepted: list[JsonValue],
        actual: JsonValue | Absent,
        initial: JsonValue,
        bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    ) -> StateMatch:
        """How `actual` stands to one or more accepted states; what is `bookkeeping` does not count.

        A place of the `initial` state that is gone as it should be was compared too.
        """
        nearest: StateMatch | None = None
        fewest = 0
        for position, given in enumerate(accepted):
            expected, found = given, actual
            if bookkeeping.is_declared:
                expected, found = bookkeeping.sides(given, actual, initial, self._fits)
            matched, compared = self._compare(expected, found)
            match = StateMatch(matched, compared, position, len(accepted))
            if matched:
                began = bookkeeping.without(initial)
                vacuous = self._shows_nothing(compared, expected, began)
                return match._replace(vacuous=True) if vacuous else match
            failing = sum(not place.passed for place in compared)
            if nearest is None or failing < fewest:
                nearest, fewest = match, failing
        assert nearest is not None, "there is at least one accepted state"
        return nearest

    def _shows_nothing(
        self, compared: tuple[Comparison, ...], expected: JsonValue, initial: JsonValue
    ) -> bool:
        """Whether all places of a match are absent on both sides, or ignored."""
        if self._scope.subset:
            # A subset of nothing is asked for nothing.
            return expected == {} or (self._ignores and not self._asks(expected))
        if not self._ignores and any(place.expected is not MISSING for place in compared):
            return False
        asked = self._asks(expected) or (initial is not None and self._asks(initial))
        return not compared or not asked

    def _asks(self, state: JsonValue) -> bool:
        return ask(state, self._rules, included=self._scope.included)


def _plain(paths: tuple[Path, ...]) -> tuple[tuple[Path, str], ...]:
    """The paths with their text if each names one place and none lies within another."""
    for path in paths:
        if path.has_wildcard or any(other.covers(path) for other in paths if other is not path):
            return ()
    return tuple((path, str(path)) for path in paths)


def _equal_at(
    places: tuple[tuple[Path, str], ...], expected: JsonValue, actual: JsonValue | Absent
) -> tuple[Comparison, ...] | None:
    compared = []
    for path, text in places:
        here, there = path.get(expected), path.get(actual)
        if isinstance(here, Absent) or isinstance(there, Absent) or not equal(here, there):
            return None
        compared.append(Comparison(text, here, there, True))
    return tuple(compared)


EXACT: Final = StateComparison()
"""Everything, exactly."""
