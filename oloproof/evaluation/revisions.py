"""Which revision of the working state held at a step, and which updates were under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.evaluation.sources import ACTIVE
from oloproof.paths import MISSING, Absent

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation
    from oloproof.paths import Path


def revision_at(
    conversation: Conversation, place: Path, turn: int, step_index: int
) -> JsonValue | Absent:
    """The revision that held when a step was taken: the one committed last, or `MISSING`.

    Where the turn committed none before, it is the one at `place` in the working state, and
    where that holds none, the last one that an earlier turn committed.
    """
    committed: JsonValue | Absent = MISSING
    in_turn = False
    for at, step in conversation.steps:
        update = step.get("state_update")
        if step["index"] < step_index and update is not None and update["committed"]:
            committed, in_turn = update["revision"], at == turn
    if in_turn:
        return committed
    state = ACTIVE.before(conversation, turn, step_index)
    recorded = MISSING if isinstance(state, Absent) else place.get(state)
    return committed if isinstance(recorded, Absent) else recorded


def pending_at(
    conversation: Conversation, turn: int, step_index: int
) -> tuple[int, int, int] | None:
    """The update that was proposed before a step of a turn, and committed after it in the turn.

    As its revision and the steps of the two, or None where there is no such update.
    """
    proposed: dict[int, int] = {}
    for _, step in conversation.steps_in((turn,)):
        update = step.get("state_update")
        if update is None:
            continue
        revision, index = update["revision"], step["index"]
        if not update["committed"]:
            if index < step_index:
                proposed[revision] = index
        elif index < step_index:
            proposed.pop(revision, None)
        elif revision in proposed:
            return revision, proposed[revision], index
    return None
