"""Cases under several ids that ask for the same in the same world: they say one thing, not many."""

from __future__ import annotations

from array import array
from collections import defaultdict
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.canonical import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue


class Alike(NamedTuple):
    """Cases with the same input and initial state, one of which at least declares no cluster.

    `undeclared` are those, and count in `cluster`: the first that one of them all declares, or
    else the id of the first.
    """

    cluster: str
    undeclared: tuple[str, ...]
    cases: int


class Marks:
    """What each case asks for as a short mark, eight bytes a case; raw cases are as they stand."""

    def __init__(self) -> None:
        self._marks = array("q")

    def add(self, raw: JsonValue) -> None:
        """Take in a case."""
        self._marks.append(hash(_asked(raw)))

    def alike(self, cases: Iterable[JsonValue]) -> list[Alike]:
        """The cases that are alike; all of them are read again if any seem to be."""
        repeated = {mark for mark, following in pairwise(sorted(self._marks)) if mark == following}
        return list(_alike(cases, repeated)) if repeated else []


def _alike(cases: Iterable[JsonValue], repeated: set[int]) -> Iterator[Alike]:
    groups: defaultdict[bytes, list[tuple[str, str | None]]] = defaultdict(list)
    for raw in cases:
        asked = _asked(raw)
        if hash(asked) in repeated:
            groups[sha256(asked).digest()].append(_names(raw))
    for group in groups.values():
        undeclared = tuple(name for name, cluster in group if cluster is None)
        if undeclared and len(group) > 1:
            declared = (cluster for _, cluster in group if cluster is not None)
            yield Alike(next(declared, group[0][0]), undeclared, len(group))


def _asked(raw: Any) -> bytes:
    """What an agent sees of a case, but for its id."""
    return encode([raw.get("turns"), raw.get("input"), raw.get("initial_state")])


def _names(raw: Any) -> tuple[str, str | None]:
    declared = raw.get("cluster")
    return raw["id"], raw.get("group_id") if declared is None else declared
