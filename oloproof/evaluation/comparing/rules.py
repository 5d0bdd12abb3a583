"""Which rules of a comparison hold at which place: declared paths, compiled into a tree.

A rule may normalise texts: by a small closed set of words, each one function.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from oloproof.paths import EVERY, Absent, children

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.canonical import JsonValue
    from oloproof.paths import Path

Normaliser = Literal["strip", "lower", "casefold", "collapse_whitespace", "nfc"]


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


NORMALISERS: Final[Mapping[Normaliser, Callable[[str], str]]] = {
    "strip": str.strip,
    "lower": str.lower,
    "casefold": str.casefold,
    "collapse_whitespace": _collapse_whitespace,
    "nfc": _nfc,
}
"""Without outer white space; in small letters; without case; runs of white space as one space,
none outside; in Unicode's composed form."""


def normalise(text: str, names: tuple[Normaliser, ...]) -> str:
    """`text` after each normaliser in turn."""
    for name in names:
        text = NORMALISERS[name](text)
    return text


class Tolerance(NamedTuple):
    """How far a number may lie from the expected one: the larger of both bounds, inclusive.

    `relative` is a fraction of the expected number's size.
    """

    absolute: float = 0
    relative: float = 0

    def allows(self, expected: float, actual: float) -> bool:
        """Whether `actual` is near enough, by exact arithmetic on the numbers as written."""
        wanted = as_written(expected)
        allowed = max(as_written(self.absolute), as_written(self.relative) * abs(wanted))
        return abs(as_written(actual) - wanted) <= allowed

    def __str__(self) -> str:
        parts = [f"±{self.absolute:g}"] if self.absolute or not self.relative else []
        parts += [f"±{100 * self.relative:g} %"] if self.relative else []
        return " or ".join(parts)


def as_written(number: float) -> Fraction:
    """The number that its JSON text says: 19.99 is 1999/100, not the nearest binary fraction."""
    return Fraction(repr(number))


@dataclass(slots=True)
class Rule:
    """What was declared for one place; its children are the places below."""

    children: dict[str, Rule] = field(default_factory=dict)
    every: Rule | None = None
    included: bool = False
    ignored: bool = False
    unordered: bool = False
    normalisers: tuple[Normaliser, ...] | None = None
    tolerance: Tolerance | None = None

    def at(self, path: Path) -> Rule:
        """The rule of a place below, made where there is none yet."""
        rule = self
        for segment in path.segments:
            if segment is EVERY:
                rule.every = rule.every or Rule()
                rule = rule.every
            else:
                rule = rule.children.setdefault(str(segment), Rule())
        return rule


Rules: TypeAlias = tuple[Rule, ...]
"""The rules that hold at one place; several where wildcards and keys name it at once."""


def ignored(rules: Rules) -> bool:
    """Whether nothing is compared at this place and below."""
    return any(rule.ignored for rule in rules)


def unordered(rules: Rules) -> bool:
    """Whether a list at this place is compared whatever its order."""
    return any(rule.unordered for rule in rules)


def below(rules: Rules, key: str) -> Rules:
    """The rules that hold under a key or an index (as text) of the place of `rules`."""
    if not rules:
        return rules
    found = [rule.children[key] for rule in rules if key in rule.children]
    found += [rule.every for rule in rules if rule.every is not None]
    return tuple(found)


def each(rules: Rules) -> Rules:
    """The rules that hold for every item of an unordered list, where an index means nothing."""
    return tuple(rule.every for rule in rules if rule.every is not None)


def ask(value: JsonValue | Absent, rules: Rules, *, included: bool) -> bool:
    """Whether anything of a value is compared; `included` says whether the place itself is.

    Of a container only what it holds counts, and of an empty one that it is empty.
    """
    if ignored(rules) or isinstance(value, Absent):
        return False
    included = included or any(rule.included for rule in rules)
    if not rules or not isinstance(value, dict | list):
        return included
    if not value:
        return included and not ignored(each(rules))
    in_any_order = isinstance(value, list) and unordered(rules)
    return any(
        ask(item, each(rules) if in_any_order else below(rules, str(key)), included=included)
        for key, item in children(value)
    )


class Scope(NamedTuple):
    """What holds at a place and is handed down to all below.

    `included`: the place is compared at all. `subset`: objects may hold more than expected.
    """

    included: bool
    subset: bool
    normalisers: tuple[Normaliser, ...] = ()
    tolerance: Tolerance | None = None

    def whole(self) -> Scope:
        """The scope inside a list, which is compared whole."""
        return self._replace(subset=False)

    def entering(self, rules: Rules) -> Scope:
        """The scope at a place with these rules: what is declared there replaces what was above."""
        scope = self
        for rule in rules:
            if rule.included and not scope.included:
                scope = scope._replace(included=True)
            if rule.normalisers is not None:
                scope = scope._replace(normalisers=rule.normalisers)
            if rule.tolerance is not None:
                scope = scope._replace(tolerance=rule.tolerance)
        return scope


EXACTLY: Final = Scope(included=True, subset=False)
"""Everything is compared, as it is."""
