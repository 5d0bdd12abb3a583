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
    where that holds none, the last one that an earlier turn committed. A working state that
    could not be recorded leaves it open.
    """
    updates = conversation.updates_in(range(1, turn + 1))
    earlier = [update for update in updates if update.step < step_index]
    committed: JsonValue | Absent = earlier[-1].revision if earlier else MISSING
    if earlier and earlier[-1].turn == turn:
        return committed
    if conversation.lacks("active", turn):
        return MISSING
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
    for update in conversation.updates_in((turn,), proposed=True):
        if update.step >= step_index:
            if update.committed and update.revision in proposed:
                return update.revision, proposed[update.revision], update.step
        elif update.committed:
            proposed.pop(update.revision, None)
        else:
            proposed[update.revision] = update.step
    return None
