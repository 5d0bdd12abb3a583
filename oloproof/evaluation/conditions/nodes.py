"""The parts of a condition on states, what each comes to, and how it is written.

A condition is true, false or unknown (`MISSING`), in the three-valued logic of Kleene (1952,
section 64): unknown is what rests on a path that is absent, or on values that have no order.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import equal
from oloproof.evaluation.conditions.tokens import write_literal, write_path
from oloproof.paths import MISSING, Absent, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue

    Value: TypeAlias = JsonValue | Absent
    """What a part of a condition comes to; `MISSING` is unknown."""


class States(NamedTuple):
    """The state that a condition is held against, and the one before (`MISSING`: not known).

    What is `bookkeeping` changes by itself.
    """

    now: JsonValue
    before: JsonValue | Absent = MISSING
    bookkeeping: Bookkeeping = NO_BOOKKEEPING


class Expression(Protocol):
    """A condition, or a part of one; its text parses to itself."""

    def value(self, states: States) -> Value:
        """What it comes to."""

    def paths(self) -> Iterator[Path]:
        """The paths that it reads, in order."""

    @property
    def uses_before(self) -> bool:
        """Whether it needs the state of the turn before."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as written."""

    written: JsonValue

    def value(self, states: States) -> Value:  # noqa: ARG002  # it is the same everywhere
        """Itself."""
        return self.written

    def paths(self) -> Iterator[Path]:
        """None."""
        return iter(())

    @property
    def uses_before(self) -> bool:
        """False."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and equal(self.written, other.written)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return write_literal(self.written)


@dataclass(frozen=True, slots=True)
class Place:
    """What is at a path without wildcards; unknown where nothing is."""

    path: Path

    def value(self, states: States) -> Value:
        """What is there now."""
        return self.path.get(states.now)

    def paths(self) -> Iterator[Path]:
        """The path."""
        yield self.path

    @property
    def uses_before(self) -> bool:
        """False."""
        return False

    def __str__(self) -> str:
        return write_path(self.path)


@dataclass(frozen=True, slots=True)
class Call:
    """`present(path)`, `changed(path)` or `count(path)`."""

    name: str
    path: Path

    def value(self, states: States) -> Value:
        """A boolean or a count; unknown only without what it needs."""
        return FUNCTIONS[self.name](self.path, states)

    def paths(self) -> Iterator[Path]:
        """The path."""
        yield self.path

    @property
    def uses_before(self) -> bool:
        """Whether it is `changed`."""
        return self.name == "changed"

    def __str__(self) -> str:
        return f"{self.name}({write_path(self.path)})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts joined by a word: `and`, `or`, `=>`, `not` (one part) or a comparison (two)."""

    word: str
    parts: tuple[Expression, ...]

    def value(self, states: States) -> Value:
        """The value by the table of its word."""
        if self.word in COMPARISONS:
            left, right = self.parts[0].value(states), self.parts[1].value(states)
            if isinstance(left, Absent) or isinstance(right, Absent):
                return MISSING
            return COMPARISONS[self.word](left, right)
        values = [truth(part.value(states)) for part in self.parts]
        if self.word in ("not", "=>"):
            values[0] = _opposite(values[0])
        return _strongest(values, decisive=self.word != "and")

    def paths(self) -> Iterator[Path]:
        """Those of its parts."""
        for part in self.parts:
            yield from part.paths()

    @property
    def uses_before(self) -> bool:
        """Whether a part does."""
        return any(part.uses_before for part in self.parts)

    def __str__(self) -> str:
        if self.word == "not":
            return f"not {self._shown(self.parts[0])}"
        return f" {self.word} ".join(
            self._shown(part, first=position == 0) for position, part in enumerate(self.parts)
        )

    def _shown(self, part: Expression, *, first: bool = False) -> str:
        """A part, in parentheses where it would be read otherwise."""
        if not isinstance(part, Joined):
            return str(part)
        ours, theirs = BINDING[self.word], BINDING[part.word]
        # `a => b => c` groups to the right, and `not not a` needs no grouping.
        free = theirs > ours or (theirs == ours and self.word in ("=>", "not") and not first)
        return str(part) if free else f"({part})"


def truth(value: Value) -> bool | Absent:
    """A value as a condition: only true and false are one, all else is unknown."""
    return value if isinstance(value, bool) else MISSING


def _opposite(value: bool | Absent) -> bool | Absent:
    return MISSING if isinstance(value, Absent) else not value


def _strongest(values: list[bool | Absent], *, decisive: bool) -> bool | Absent:
    """The decisive value if any has it, else unknown if any is, else the other one."""
    if decisive in values:
        return decisive
    return MISSING if MISSING in values else not decisive


def _ordered(by: Callable[[Any, Any], bool]) -> Callable[[JsonValue, JsonValue], Value]:
    """An order of numbers among themselves and of texts among themselves (by code points)."""

    def compare(left: JsonValue, right: JsonValue) -> Value:
        numbers = _is_number(left) and _is_number(right)
        texts = isinstance(left, str) and isinstance(right, str)
        return by(left, right) if numbers or texts else MISSING

    return compare


def _contained(left: JsonValue, right: JsonValue) -> Value:
    """An item of a list, a key of an object, a part of a text."""
    if isinstance(right, list):
        return any(equal(left, item) for item in right)
    if isinstance(right, dict | str) and isinstance(left, str):
        return left in right
    return MISSING


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


COMPARISONS: Final[Mapping[str, Callable[[JsonValue, JsonValue], Value]]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<=": _ordered(operator.le),
    ">=": _ordered(operator.ge),
    "<": _ordered(operator.lt),
    ">": _ordered(operator.gt),
    "in": _contained,
}
BINDING: Final[Mapping[str, int]] = {
    "=>": 0,
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(COMPARISONS, 4),
}
"""How tightly each word binds its parts."""


def _present(path: Path, states: States) -> Value:
    return path.is_in(states.now)


def _changed(path: Path, states: States) -> Value:
    """Unknown without a state before; nothing that became something is a change, and back."""
    if isinstance(states.before, Absent):
        return MISSING
    kept = states.bookkeeping
    return not same_at(path, kept.without(states.before), kept.without(states.now))


def _count(path: Path, states: States) -> Value:
    """How many places a wildcard finds, or items a list or object has; else unknown."""
    if path.has_wildcard:
        found = path.select(states.now)
        broken = any(place.has_wildcard for place, _ in found)
        return MISSING if broken else sum(item is not MISSING for _, item in found)
    value = path.get(states.now)
    return len(value) if isinstance(value, dict | list) else MISSING


FUNCTIONS: Final[Mapping[str, Callable[[Path, States], Value]]] = {
    "present": _present,
    "changed": _changed,
    "count": _count,
}


def same_at(path: Path, left: JsonValue, right: JsonValue) -> bool:
    """Whether the same places that a path names are there in both, with equal values."""
    ours, theirs = found_at(path, left), found_at(path, right)
    return ours.keys() == theirs.keys() and all(equal(ours[key], theirs[key]) for key in ours)


def found_at(path: Path, value: JsonValue) -> dict[str, JsonValue]:
    """What is at each place that a path names and that is there, by its text."""
    return {str(place): item for place, item in path.select(value) if not isinstance(item, Absent)}
