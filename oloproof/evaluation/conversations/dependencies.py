"""Results that depend on other places of a state, and whether they kept up with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import equal
from oloproof.evaluation.calls import calls
from oloproof.evaluation.conditions.nodes import same_at
from oloproof.evaluation.turns import readable
from oloproof.paths import MISSING, Absent, Path, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation, Of, Update


class Recomputation(NamedTuple):
    """What computes a result again: calls of tools, or committed updates of places of the state.

    What a name stands for is seen by what there is: a tool may be called as a place is.
    """

    tools: frozenset[str] = frozenset()
    places: tuple[Path, ...] = ()

    @classmethod
    def by(cls, names: Iterable[str]) -> Recomputation:
        """That by the tools or places with some names."""
        named = tuple(names)
        return cls(frozenset(named), tuple(filter(None, map(readable, named))))

    def is_in(self, update: Update) -> bool:
        """Whether an update writes a result, and does not merely take it back."""
        return any(
            value is not None and (path := readable(text)) and _touch_any((path,), self.places)
            for text, value in update.changes.items()
        )


class Dependency(NamedTuple):
    """A result that is valid only for what was at `depends_on` when it was computed.

    `marker` is where true says that it is stale; what is in `recomputed_by` computes it again,
    whether or not another result comes of it.
    """

    result: Path
    depends_on: tuple[Path, ...]
    marker: Path | None = None
    recomputed_by: Recomputation = Recomputation()


class Standing(NamedTuple):
    """How a result stands after a turn in or before which a place changed that it depends on.

    `how` says what became of it; it is `stale` where that is nothing.
    """

    turn: int
    path: Path
    result: JsonValue | Absent
    changed: tuple[Path, ...]
    changed_in: int
    stale: bool
    how: str


def standings(dependency: Dependency, conversation: Conversation, of: Of) -> Iterator[Standing]:
    """How a result stands after each turn in which a dependency changed, and while it is stale.

    A result is valid for the state after the turn in which it was computed, that is in which
    it appeared, changed, or was computed again. Where the dependencies have other values than
    then, it is stale; with the same values again it is valid again.
    """
    basis: JsonValue | Absent = MISSING
    before: JsonValue | Absent = conversation.counted(of, 0)
    if not _is_empty(dependency.result.get(before)):
        basis = before
    changed_in = 0
    for turn in range(1, conversation.last + 1):
        state = conversation.counted(of, turn)
        if isinstance(state, Absent):
            continue
        had = not isinstance(before, Absent) and not _is_empty(dependency.result.get(before))
        moved = _moved(dependency, before, state)
        changed_in = turn if moved else changed_in
        how = _how(dependency, conversation, (before, state), turn)
        if how in ("changed", "recomputed"):
            basis = state
        changed = moved if how != "unchanged" else _moved(dependency, basis, state)
        if had and changed:
            stale = how == "unchanged"
            shown = "nothing was recomputed" if stale else how
            result = dependency.result.get(state)
            yield Standing(turn, dependency.result, result, changed, changed_in, stale, shown)
        before = state


def _how(
    dependency: Dependency,
    conversation: Conversation,
    states: tuple[JsonValue | Absent, JsonValue],
    turn: int,
) -> str:
    """What became of the result in a turn."""
    before, state = states
    result = dependency.result.get(state)
    if _is_empty(result):
        return "empty"
    if not same(dependency.result.get(before), result):
        return "changed"
    if _recomputed(dependency, conversation, turn):
        return "recomputed"
    marker = MISSING if dependency.marker is None else dependency.marker.get(state)
    return "marked" if marker is True else "unchanged"


def _recomputed(dependency: Dependency, conversation: Conversation, turn: int) -> bool:
    """Whether the result was computed again, after the last change of what it depends on.

    The update that changes that may write the result at the same time.
    """
    since, by = 0, dependency.recomputed_by
    updates = list(conversation.updates_in((turn,)))
    for update in updates:
        if _touch_any(update.paths, dependency.depends_on):
            since = update.step
    if any(update.step >= since and by.is_in(update) for update in updates):
        return True
    inside = {step["index"] for _, step in conversation.steps_in((turn,))}
    return any(
        call.tool in by.tools
        and call.index > since
        and {call.index, call.completed_index} <= inside
        and call.succeeded
        for call in calls(step for _, step in conversation.steps)
    )


def _touch_any(paths: Iterable[Path], others: Iterable[Path]) -> bool:
    return any(one.covers(other) or other.covers(one) for one in paths for other in others)


def _moved(
    dependency: Dependency, before: JsonValue | Absent, after: JsonValue
) -> tuple[Path, ...]:
    """The dependencies whose values differ between two states; none where one is not known."""
    if isinstance(before, Absent):
        return ()
    return tuple(path for path in dependency.depends_on if not same_at(path, before, after))


def _is_empty(result: JsonValue | Absent) -> bool:
    return isinstance(result, Absent) or result is None or equal(result, []) or equal(result, {})
