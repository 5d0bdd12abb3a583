"""Lists whose order does not count: which items have a partner in the other list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.canonical import encode
from oloproof.evaluation.comparing.rules import below, each, ignored, normalise, unordered
from oloproof.pairing import most_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.comparing.rules import Rules, Scope

Unmatched: TypeAlias = tuple[list[int], list[int]]
"""The positions of the expected and of the actual items that have no partner."""

NOTHING: Final = b"{}"
"""The form of a value of which nothing is to be compared."""


def unmatched_by_form(expected: Mapping[int, bytes], actual: Mapping[int, bytes]) -> Unmatched:
    """Partners are items of the same form (both by position), so that counting is enough."""
    return _without(expected, actual), _without(actual, expected)


def _without(items: Mapping[int, bytes], others: Mapping[int, bytes]) -> list[int]:
    partners = Counter(others.values())
    alone = []
    for position, item in items.items():
        if partners[item] > 0:
            partners[item] -= 1
        else:
            alone.append(position)
    return alone


def unmatched_by_pairing(
    expected: Collection[int], actual: Collection[int], fits: Callable[[int, int], bool]
) -> Unmatched:
    """As many partners as possible where `fits(i, j)` is no equivalence, as within a tolerance."""
    pairs = most_pairs(expected, actual, fits)
    taken = set(pairs.values())
    return [i for i in expected if i not in pairs], [j for j in actual if j not in taken]


def form(value: JsonValue, rules: Rules, scope: Scope) -> bytes:
    """Bytes that are equal exactly for the values that the rules (no tolerance) take for equal."""
    return encode(_reduced(value, rules, scope))


def _reduced(value: JsonValue, rules: Rules, scope: Scope) -> JsonValue:
    scope = scope.entering(rules)
    if not scope.included:
        return _declared(value, rules, scope)
    if isinstance(value, dict):
        return {
            key: _reduced(item, inner, scope)
            for key, item in value.items()
            if not ignored(inner := below(rules, key))
        }
    if isinstance(value, list):
        inner = each(rules)
        if unordered(rules):
            items = [] if ignored(inner) else [_reduced(item, inner, scope) for item in value]
            return sorted(items, key=encode)
        return [
            _reduced(item, inner, scope)
            for index, item in enumerate(value)
            if not ignored(inner := below(rules, str(index)))
        ]
    if isinstance(value, str):
        return normalise(value, scope.normalisers)
    if isinstance(value, float) and value.is_integer() and -(2**63) <= value < 2**64:
        return int(value)  # equal numbers, equal bytes
    return value


def _declared(value: JsonValue, rules: Rules, scope: Scope) -> JsonValue:
    """Of a place that is not compared itself, only what is declared below it."""
    in_any_order = isinstance(value, list) and unordered(rules)
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    kept: dict[str, JsonValue] = {}
    for key, item in value.items() if isinstance(value, dict) else ():
        inner = each(rules) if in_any_order else below(rules, key)
        if inner and not ignored(inner):
            reduced = _reduced(item, inner, scope)
            if reduced != {} or scope.entering(inner).included:
                kept[key] = reduced
    return sorted(kept.values(), key=encode) if kept and in_any_order else kept
