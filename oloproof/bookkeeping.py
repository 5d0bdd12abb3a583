"""What a sandbox writes down by itself: stamps and row numbers, and keys that it generates.

Two worlds that differ in nothing else came of the same behaviour. A place that is ignored counts
nowhere; a generated key stands for its row, so rows are set beside rows, whatever their keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from oloproof.canonical import equal
from oloproof.generated_keys import with_keys_of
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oloproof.canonical import JsonValue
    from oloproof.generated_keys import Fits, Rows

    Sides: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]


def _are_equal(_: Rows, expected: JsonValue, actual: JsonValue) -> bool:
    return equal(expected, actual)


class Bookkeeping(NamedTuple):
    """The declared places of a world: those to `ignore`, and those of `keys` that it generates.

    A place of `keys` is an object, whose keys are meant, or the field of each row in which its
    key stands, such as `tickets[*].id`.
    """

    ignore: tuple[Path, ...] = ()
    keys: tuple[Path, ...] = ()

    @classmethod
    def of(cls, ignore: Iterable[str], generated_keys: Iterable[str]) -> Bookkeeping:
        """What a suite declares, in texts that are known to be readable."""
        return cls(tuple(map(parse, ignore)), tuple(map(parse, generated_keys)))

    @property
    def is_declared(self) -> bool:
        """Whether there is anything."""
        return bool(self.ignore or self.keys)

    def counts(self, path: Path) -> bool:
        """Whether anything at a place counts."""
        return not any(ignored.covers(path) for ignored in self.ignore)

    def without(self, world: Any) -> Any:
        """A world without the ignored places; nothing is changed in the one that is given."""
        for path in self.ignore:
            world = path.changed(world, lambda _: MISSING)
        return world

    def sides(
        self,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        initial: JsonValue | Absent,
        fits: Fits = _are_equal,
    ) -> tuple[Any, Any]:
        """Two worlds as they are to be compared, with the keys of the expected one in both.

        Only keys that the `initial` world does not have were generated. Rows are partners where
        they fit; those that are left over are set side by side, to be seen where they differ.
        """
        expected, actual = self.without(expected), self.without(actual)
        if isinstance(expected, Absent) or isinstance(actual, Absent):
            return expected, actual
        for place in self.keys:
            actual = with_keys_of(place, expected, actual, initial, fits)
        return expected, actual

    def sides_from(self, initial: JsonValue | Absent) -> Sides:
        """What gives two worlds that both began as `initial`, as they are to be compared."""
        return lambda expected, actual: self.sides(expected, actual, initial)


def as_they_are(expected: Any, actual: Any) -> tuple[Any, Any]:
    """Two worlds of which everything counts."""
    return expected, actual


NO_BOOKKEEPING: Final = Bookkeeping()
