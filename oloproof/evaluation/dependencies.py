"""Results that depend on other places of a state, and whether they kept up with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import equal
from oloproof.evaluation.calls import calls
from oloproof.evaluation.expression_nodes import same_at
from oloproof.paths import MISSING, Absent, Path, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation, Of


class Dependency(NamedTuple):
    """A result that is valid only for what was at `depends_on` when it was computed.

    `marker` is where true says that it is stale; a call of a tool in `recomputed_by` computes
    it again, whether or not another result comes of it.
    """

    result: Path
    depends_on: tuple[Path, ...]
    marker: Path | None = None
    recomputed_by: frozenset[str] = frozenset()


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
    before: JsonValue | Absent = conversation.state(of, 0)
    if not _is_empty(dependency.result.get(before)):
        basis = before
    changed_in = 0
    for turn in range(1, conversation.last + 1):
        state = conversation.state(of, turn)
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
    """Whether a tool computed the result again, after the last change of what it depends on."""
    since = 0
    for update in conversation.updates_in((turn,)):
        if any(_touches(one, other) for one in update.paths for other in dependency.depends_on):
            since = update.step
    inside = {step["index"] for _, step in conversation.steps_in((turn,))}
    return any(
        call.tool in dependency.recomputed_by
        and call.index > since
        and {call.index, call.completed_index} <= inside
        and call.succeeded
        for call in calls(step for _, step in conversation.steps)
    )


def _touches(one: Path, other: Path) -> bool:
    return one.covers(other) or other.covers(one)


def _moved(
    dependency: Dependency, before: JsonValue | Absent, after: JsonValue
) -> tuple[Path, ...]:
    """The dependencies whose values differ between two states; none where one is not known."""
    if isinstance(before, Absent):
        return ()
    return tuple(path for path in dependency.depends_on if not same_at(path, before, after))


def _is_empty(result: JsonValue | Absent) -> bool:
    return isinstance(result, Absent) or result is None or equal(result, []) or equal(result, {})
