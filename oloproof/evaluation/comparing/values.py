"""Compares two JSON values place by place, by rules, and lists what was compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal
from oloproof.evaluation.comparing.multisets import (
    NOTHING,
    form,
    unmatched_by_form,
    unmatched_by_pairing,
)
from oloproof.evaluation.comparing.rules import below, each, ignored, normalise, unordered
from oloproof.evaluation.contract import Comparison
from oloproof.paths import MISSING, Absent, child, under

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.comparing.rules import Rules, Scope

_ANY_ORDER: Final = "in any order"


def compare_values(
    expected: JsonValue | Absent,
    actual: JsonValue | Absent,
    rules: Rules,
    scope: Scope,
    *,
    tolerant: bool,
) -> tuple[bool, tuple[Comparison, ...]]:
    """Whether all is as expected, and every place compared, each difference at its deepest.

    Equal subtrees are one place. `tolerant` says whether any rule allows a tolerance.
    """
    comparing = _Comparing(tolerant)
    comparing.visit(expected, actual, "", rules, scope)
    return not comparing.differs, tuple(comparing.compared)


def equal_parts(expected: JsonValue, actual: JsonValue | Absent) -> tuple[Comparison, ...] | None:
    """The parts of `actual` that are all that is expected, or None where anything is not there.

    What `compare_values` says of a subset that holds, in a third of the time.
    """
    parts: list[Comparison] = []
    return tuple(parts) if _add_equal_parts(expected, actual, "", parts) else None


def _add_equal_parts(
    expected: JsonValue, actual: JsonValue | Absent, path: str, parts: list[Comparison]
) -> bool:
    if not expected or not isinstance(expected, dict) or not isinstance(actual, dict):
        return False
    for key, item in expected.items():
        other = actual.get(key, MISSING)
        place = under(path, key)
        if not isinstance(other, Absent) and equal(item, other):
            parts.append(Comparison(place, item, other, True))
        elif not _add_equal_parts(item, other, place, parts):
            return False
    return True


class _Comparing:
    """One comparison under way."""

    def __init__(self, tolerant: bool) -> None:
        self.compared: list[Comparison] = []
        self.differs = False
        self._tolerant = tolerant

    def visit(
        self,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        path: str,
        rules: Rules,
        scope: Scope,
    ) -> None:
        if rules:
            if ignored(rules):
                return
            scope = scope.entering(rules)
        if not scope.included:
            if rules:
                self._visit_declared(expected, actual, path, rules, scope)
        elif isinstance(expected, Absent) or isinstance(actual, Absent):
            self._add_absent(path, expected, actual)
        elif equal(expected, actual):
            self.compared.append(Comparison(path, expected, actual, True))
        elif isinstance(expected, dict) and isinstance(actual, dict):
            self._visit_object(expected, actual, path, rules, scope)
        elif isinstance(expected, list) and isinstance(actual, list):
            self._visit_list(expected, actual, path, rules, scope)
        else:
            self._add_leaf(path, expected, actual, scope)

    def _add(
        self,
        path: str,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        *,
        passed: bool,
        note: str | None = None,
    ) -> None:
        self.compared.append(Comparison(path, expected, actual, passed, note))
        self.differs = self.differs or not passed

    def _add_absent(
        self, path: str, expected: JsonValue | Absent, actual: JsonValue | Absent
    ) -> None:
        if expected is actual:
            self._add(path, expected, actual, passed=True, note="absent in both")
        else:
            note = "not expected" if expected is MISSING else "not there"
            self._add(path, expected, actual, passed=False, note=note)

    def _add_leaf(self, path: str, expected: JsonValue, actual: JsonValue, scope: Scope) -> None:
        if isinstance(expected, str) and isinstance(actual, str) and scope.normalisers:
            same = normalise(expected, scope.normalisers) == normalise(actual, scope.normalisers)
            note = "after " + ", ".join(scope.normalisers)
            self._add(path, expected, actual, passed=same, note=note)
        elif scope.tolerance and _is_number(expected) and _is_number(actual):
            near = scope.tolerance.allows(expected, actual)  # type: ignore[arg-type]  # both are numbers
            note = f"{'within' if near else 'beyond'} {scope.tolerance}"
            self._add(path, expected, actual, passed=near, note=note)
        else:
            self._add(path, expected, actual, passed=False)

    def _visit_object(
        self,
        expected: dict[str, JsonValue],
        actual: dict[str, JsonValue],
        path: str,
        rules: Rules,
        scope: Scope,
    ) -> None:
        before = len(self.compared)
        for key, item in expected.items():
            inner = below(rules, key)
            self.visit(item, actual.get(key, MISSING), under(path, key), inner, scope)
        if not scope.subset:
            for key, item in actual.items():
                if key not in expected:
                    self.visit(MISSING, item, under(path, key), below(rules, key), scope)
        if len(self.compared) == before:
            note = "only ignored places differ" if expected or not scope.subset else None
            self._add(path, expected, actual, passed=True, note=note)

    def _visit_list(
        self,
        expected: list[JsonValue],
        actual: list[JsonValue],
        path: str,
        rules: Rules,
        scope: Scope,
    ) -> None:
        if scope.subset:
            scope = scope.whole()
        if unordered(rules):
            self._visit_unordered(expected, actual, path, rules, scope)
            return
        before = len(self.compared)
        for index in range(max(len(expected), len(actual))):
            self.visit(
                expected[index] if index < len(expected) else MISSING,
                actual[index] if index < len(actual) else MISSING,
                f"{path}[{index}]",
                below(rules, str(index)),
                scope,
            )
        if len(self.compared) == before:
            self._add(path, expected, actual, passed=True, note="only ignored places differ")

    def _visit_unordered(
        self,
        expected: list[JsonValue],
        actual: list[JsonValue],
        path: str,
        rules: Rules,
        scope: Scope,
    ) -> None:
        rules = each(rules)
        wanted, found = _forms(expected, rules, scope), _forms(actual, rules, scope)
        lost, extra = unmatched_by_form(wanted, found)
        if self._tolerant and (lost or extra):
            lost, extra = unmatched_by_pairing(
                wanted, found, lambda i, j: self._fits(expected[i], actual[j], rules, scope)
            )
        if not lost and not extra:
            self._add(path, expected, actual, passed=True, note=_ANY_ORDER)
        elif len(lost) == len(extra) == 1:
            # The one item without a partner is the one that changed: say where in it.
            item, other = expected[lost[0]], actual[extra[0]]
            self.visit(item, other, f"{path}[{lost[0]}]", rules, scope)
        else:
            for i in lost:
                self._add(f"{path}[{i}]", expected[i], MISSING, passed=False, note=_ANY_ORDER)
            for j in extra:
                self._add(f"{path}[{j}]", MISSING, actual[j], passed=False, note=_ANY_ORDER)

    def _fits(self, expected: JsonValue, actual: JsonValue, rules: Rules, scope: Scope) -> bool:
        trial = _Comparing(self._tolerant)
        trial.visit(expected, actual, "", rules, scope)
        return not trial.differs

    def _visit_declared(
        self,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        path: str,
        rules: Rules,
        scope: Scope,
    ) -> None:
        """A place that is not compared itself: go on to what is declared below it."""
        if isinstance(expected, list) and isinstance(actual, list) and unordered(rules):
            self._visit_unordered(expected, actual, path, rules, scope)
            return
        is_list = isinstance(expected, list) or isinstance(actual, list)
        keys = {key: None for rule in rules for key in rule.children}
        if any(rule.every for rule in rules):
            items = _keys(expected) + _keys(actual)
            if not items and not isinstance(expected, dict | list):
                self._add_absent(f"{path}[*]", MISSING, MISSING)
            keys |= dict.fromkeys(items)
        for key in keys:
            self.visit(
                child(expected, key),
                child(actual, key),
                f"{path}[{key}]" if is_list and key.isdecimal() else under(path, key),
                below(rules, key),
                scope,
            )


def _forms(items: list[JsonValue], rules: Rules, scope: Scope) -> dict[int, bytes]:
    """The form of each item of which something is compared, by its position."""
    if ignored(rules):
        return {}
    forms = {index: form(item, rules, scope) for index, item in enumerate(items)}
    if scope.entering(rules).included:
        return forms
    return {index: data for index, data in forms.items() if data != NOTHING}


def _keys(value: JsonValue | Absent) -> list[str]:
    if isinstance(value, dict):
        return list(value)
    return [str(index) for index in range(len(value))] if isinstance(value, list) else []


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
