"""What was known at a step of a conversation: by the working state, the world, or the case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from oloproof.evaluation.states.options import PlaceText
from oloproof.evaluation.turns import TurnOptions, turns_of
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.turns import Conversation
    from oloproof.records.case import Case

Whose: TypeAlias = Literal["active", "world", "expected"]
"""Whose word is taken: the working state's, the world's, or that of what the case expects."""

_NAMES: Final[dict[Whose, str]] = {
    "active": "the working state",
    "world": "the world",
    "expected": "the expected state",
}


class SourceOptions(TurnOptions):
    """The fields of a check that holds what was done or said against a state."""

    of: Whose = "active"
    expected_field: PlaceText = "state"

    @property
    def source(self) -> Source:
        """The state that the line names."""
        return Source(self.of, parse(self.expected_field))


@dataclass(frozen=True, slots=True)
class Source:
    """A state as it was known at a moment; `field` is where a case expects it."""

    of: Whose
    field: Path

    @property
    def expected_fields(self) -> frozenset[str]:
        """The fields of `expected` that are read."""
        named = {"turns", str(self.field.segments[0])}
        return frozenset(named if self.of == "expected" else ())

    def is_known(self, conversation: Conversation) -> bool:
        """Whether there is such a state after any turn."""
        turns = range(1, conversation.last + 1)
        return any(not isinstance(self.after(conversation, turn), Absent) for turn in turns)

    def unknown_from(self, conversation: Conversation) -> int | None:
        """The first turn after which a state is lacking that was to be recorded, if there is one.

        What was changed and what came back from then on cannot be told.
        """
        of = self.of
        if of == "expected":
            return None
        turns = range(1, conversation.last + 1)
        return next((turn for turn in turns if conversation.lacks(of, turn)), None)

    def after(self, conversation: Conversation, turn: int) -> JsonValue | Absent:
        """The state after a turn (0: before the first message), or `MISSING`.

        Where nothing is expected of a turn, it is what was expected before.
        """
        if self.of != "expected":
            return conversation.state(self.of, turn)
        case = conversation.context.case
        expected = (self.field.get(expected_of(case, n)) for n in range(turn, 0, -1))
        return next((state for state in expected if not isinstance(state, Absent)), MISSING)

    def before(self, conversation: Conversation, turn: int, step: int | None) -> JsonValue | Absent:
        """What was known when a step of a turn was taken, or `MISSING` where that is not known.

        The working state is that of the moment. In a turn without committed updates among its
        steps it is the one after the turn: nothing tells when it came to be, and who acts on a
        message should have taken it in before. Of the world it is the last snapshot before the
        turn. What is expected of a turn is known from the user's message on.

        Without a `step` it is the end of the turn.
        """
        if self.of == "expected":
            return self.after(conversation, turn)
        if self.of == "world":
            worlds = (conversation.state("world", n) for n in range(turn - 1, -1, -1))
            return next((state for state in worlds if not isinstance(state, Absent)), MISSING)
        after = conversation.state("active", turn)
        if step is None:
            return after
        is_dated = isinstance(after, Absent) or any(conversation.updates_in((turn,)))
        return conversation.active_before(step) if is_dated else after

    def __str__(self) -> str:
        return _NAMES[self.of]


_STATE: Final = Path(("state",))

ACTIVE: Final = Source("active", _STATE)
"""The working state."""

WORLD: Final = Source("world", _STATE)
"""The world."""


def expected_of(case: Case, turn: int) -> dict[str, JsonValue]:
    """What a case expects of a turn, by field.

    What it expects without naming a turn is expected of the last one.
    """
    expected = case.expected or {}
    turns = expected.get("turns")
    of_turn = turns.get(str(turn)) if isinstance(turns, dict) else None
    of_last = expected if turn == turns_of(case) else {}
    return {**of_last, **of_turn} if isinstance(of_turn, dict) else of_last


def expected_at(case: Case, turn: int, field: str) -> JsonValue | Absent:
    """What a case expects of a turn in a field, or `MISSING`."""
    return expected_of(case, turn).get(field, MISSING)


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
