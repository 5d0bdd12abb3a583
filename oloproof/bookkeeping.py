"""What a sandbox writes down by itself: it counts in no comparison of worlds.

Places are left out, and rows with generated keys are compared by what they hold.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeGuard

from oloproof.canonical import encode, equal
from oloproof.pairing import most_pairs
from oloproof.paths import EVERY, MISSING, Absent, Path, children, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oloproof.canonical import JsonValue

    Fits: TypeAlias = Callable[["Rows", JsonValue, JsonValue], bool]
    """Whether two rows of a table are alike."""
    Sides: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]

Key: TypeAlias = str | int

_OWN: Final = "\x00own key"
_OTHER: Final = "\x00another key"
_SHORTEST: Final = 4
_NEAR: Final = 100
"""Items of an object or list in which what stands beside a key is looked at; in a longer one
its place is."""


def with_keys_of(
    place: Path, expected: JsonValue, actual: Any, initial: JsonValue | Absent, fits: Fits
) -> Any:
    """`actual` with the keys that `expected` has at rows which are partners.

    The keys are those of the object at `place`, or, as in `tickets[*].id`, what stands in a field
    of each row; those that `initial` has were not generated. Rows are partners where they fit,
    apart from generated keys in them; what is left over on both sides is set side by side.
    Elsewhere in the world a text that is such a key stands for the same row: one with letters and
    digits, so that it means nothing else. A number may mean anything, and stays.
    """
    for rows in list(_tables(place, expected, actual)):
        known = rows.of(initial)
        wanted, found = (
            {key: row for key, row in rows.of(world).items() if key not in known}
            for world in (expected, actual)
        )
        names = _Partners(wanted, found, rows, fits, (expected, actual)).names()
        if names:
            actual = _renamed(actual, rows, names)
    return actual


class Rows(NamedTuple):
    """Where rows stand, and the `field` in which each has its key; None: the keys are the table's.

    In a list (`listed`) they are its items, else the values of an object.
    """

    at: Path
    field: Path | None
    listed: bool

    def of(self, world: JsonValue | Absent) -> dict[Key, JsonValue]:
        """The rows of a world by their keys."""
        table: Any = self.at.get(world)
        if self.field is None:
            return dict(table) if isinstance(table, dict) else {}
        keys = ((self.field.get(row), row) for _, row in children(table))
        return {key: row for key, row in keys if _is_key(key)}


def _tables(place: Path, *worlds: JsonValue) -> Iterator[Rows]:
    found = {at: value for world in worlds for at, value in place.select(world)}
    if not place.has_wildcard or any(isinstance(value, dict) for value in found.values()):
        yield from (Rows(at, None, listed=False) for at in found)
        return
    last = max(n for n, segment in enumerate(place.segments) if segment is EVERY)
    field, table = Path(place.segments[last + 1 :]), Path(place.segments[:last])
    tables = {at: value for world in worlds for at, value in table.select(world)}
    yield from (Rows(at, field, listed=isinstance(value, list)) for at, value in tables.items())


def _is_key(value: object) -> TypeGuard[Key]:
    return isinstance(value, str | int) and not isinstance(value, bool)


class _Partners(NamedTuple):
    """The rows of both worlds whose keys were generated, and where they stand."""

    wanted: Mapping[Key, JsonValue]
    found: Mapping[Key, JsonValue]
    rows: Rows
    fits: Fits
    worlds: tuple[JsonValue, JsonValue]

    def names(self) -> dict[Key, Key]:
        """The wanted key for each found one that has a partner under another key."""
        left, right = self._masked(self.wanted), self._masked(self.found)
        pairs = self._equal_pairs(left, right)
        pairs |= self._fitting_pairs(left, right, pairs)
        taken = set(pairs.values())
        alone = (key for key in left if key not in pairs)
        pairs |= zip(alone, (key for key in right if key not in taken), strict=False)
        names: dict[Key, Key] = {ours: theirs for theirs, ours in pairs.items() if ours != theirs}
        given = set(names.values())
        # What has no partner must not be taken for the row whose key it happens to have.
        for key in right.keys() - set(pairs.values()):
            if isinstance(key, str) and key in given:
                names[key] = f"{key} (another)"
        return names

    def _equal_pairs(self, left: dict[Key, Any], right: dict[Key, Any]) -> dict[Key, Key]:
        """Partners that are equal as they stand, so that only the others are tried on each other.

        Of several that are equal, those that are spoken of alike elsewhere come first.
        """
        groups: defaultdict[bytes, tuple[list[Key], list[Key]]] = defaultdict(lambda: ([], []))
        for side, rows in enumerate((left, right)):
            for key, row in rows.items():
                groups[encode(row)][side].append(key)
        pairs: dict[Key, Key] = {}
        for ours, theirs in groups.values():
            if min(len(ours), len(theirs)) > 0 and max(len(ours), len(theirs)) > 1:
                pairs |= self._pairs_spoken_of_alike(ours, theirs)
            taken = set(pairs.values())
            alone = (key for key in ours if key not in pairs)
            pairs |= zip(alone, (key for key in theirs if key not in taken), strict=False)
        return pairs

    def _pairs_spoken_of_alike(self, ours: list[Key], theirs: list[Key]) -> dict[Key, Key]:
        waiting: defaultdict[tuple[bytes, ...], list[Key]] = defaultdict(list)
        spoken = _mentions(self.worlds[1], set(theirs))
        for key in reversed(theirs):
            waiting[spoken[key]].append(key)
        mine = _mentions(self.worlds[0], set(ours))
        return {key: alike.pop() for key in ours if (alike := waiting[mine[key]])}

    def _fitting_pairs(
        self, left: dict[Key, Any], right: dict[Key, Any], known: Mapping[Key, Key]
    ) -> dict[Key, Key]:
        taken = set(known.values())
        wanted = [key for key in left if key not in known]
        found = [key for key in right if key not in taken]
        pairs = most_pairs(
            range(len(wanted)),
            range(len(found)),
            lambda i, j: self.fits(self.rows, left[wanted[i]], right[found[j]]),
        )
        return {wanted[i]: found[j] for i, j in pairs.items()}

    def _masked(self, rows: Mapping[Key, JsonValue]) -> dict[Key, Any]:
        """The rows without what the keys are: each own key and those of others look alike."""
        masks = _Masks(rows)
        field = self.rows.field
        out: dict[Key, Any] = {}
        for key, row in rows.items():
            masked = masks.seen_from(key, row)
            out[key] = masked if field is None else field.changed(masked, lambda _: _OWN)
        return out


class _Masks:
    """What stands for generated keys where it does not matter which: its own, or another."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._masks: dict[Key, Key] = {key: _OTHER for key in keys if _is_telling(key)}

    def __contains__(self, key: object) -> bool:
        return key in self._masks

    def of(self, key: str) -> str:
        """A key of an object, or what stands for it."""
        return str(self._masks.get(key, key))

    def seen_from(self, key: Key, value: Any) -> Any:
        """A value as the row of a key sees it."""
        if key not in self._masks:
            return _everywhere(value, self._masks)
        self._masks[key] = _OWN
        try:
            return _everywhere(value, self._masks)
        finally:
            self._masks[key] = _OTHER


def _mentions(world: JsonValue, keys: set[Key]) -> defaultdict[Key, tuple[bytes, ...]]:
    """Where each telling key stands as a value: by the object or list that it is in, and where.

    Neither the key itself nor other generated keys count there, nor positions in lists.
    """
    masks = _Masks(keys)
    found: defaultdict[Key, list[bytes]] = defaultdict(list)
    waiting: list[tuple[tuple[str, ...], JsonValue]] = [((), world)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, dict):
            items = [(masks.of(name), item) for name, item in value.items()]
        else:
            items = [("*", item) for item in value] if isinstance(value, list) else []
        for number, (name, item) in enumerate(items):
            if isinstance(item, dict | list):
                waiting.append(((*at, name), item))
            elif isinstance(item, str) and item in masks:
                is_long = len(items) > _NEAR
                near = number if is_long else masks.seen_from(item, value)
                found[item].append(encode([[*at, name], near]))
    told: defaultdict[Key, tuple[bytes, ...]] = defaultdict(tuple)
    told.update({key: tuple(sorted(where)) for key, where in found.items()})
    return told


def _is_telling(key: Key) -> bool:
    """Whether a text can hardly be anything but this key."""
    if not isinstance(key, str) or len(key) < _SHORTEST:
        return False
    return not key.isdecimal() and any(map(str.isdigit, key))


def _renamed(world: Any, rows: Rows, names: Mapping[Key, Key]) -> Any:
    """A world with other keys at a place and, where they can mean nothing else, everywhere.

    It goes by way of marks, for names may be exchanged.
    """
    marks: dict[Key, str] = {key: f"\x00{n}" for n, key in enumerate(names)}
    world = _everywhere(world, {key: mark for key, mark in marks.items() if _is_telling(key)})
    if rows.field is None:
        world = rows.at.changed(world, lambda rows: {marks.get(k, k): v for k, v in rows.items()})
    else:
        keys = Path((*rows.at.segments, EVERY, *rows.field.segments))
        world = keys.changed(world, lambda key: marks.get(key, key) if _is_key(key) else key)
    return _everywhere(world, {mark: names[key] for key, mark in marks.items()})


def _everywhere(value: Any, names: Mapping[Any, Key]) -> Any:
    """A value in which each text that has another name bears it, as a key too."""
    if not names:
        return value
    if isinstance(value, dict):
        return {str(names.get(k, k)): _everywhere(item, names) for k, item in value.items()}
    if isinstance(value, list):
        return [_everywhere(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


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
