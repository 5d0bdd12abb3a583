"""The calls of a conversation with the turns they stand in, also those that waited in a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.calls import calls
from oloproof.paths import same

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.calls import Call
    from oloproof.evaluation.turns import Conversation
    from oloproof.paths import Path

REJECTED: Final = "rejected"
"""The status of a call that the tool did not take, such as one with arguments it does not have."""

MADE: Final = frozenset({"queued", "executed", REJECTED})
"""The statuses of a call that was made, or will be unless somebody stops it."""

EXECUTED: Final = frozenset({"executed"})
"""The status of a call that was carried out."""


@dataclass(frozen=True, slots=True)
class TurnCall:
    """A call, made in `turn` and settled in `settled_turn`.

    Only a call that waited is settled later than it was made.
    """

    call: Call
    turn: int
    settled_turn: int

    @property
    def place(self) -> int:
        """The step that settled it."""
        return self.call.place

    @property
    def revision(self) -> int | None:
        """That of the working state on which it rests."""
        return self.call.revision

    @property
    def tool(self) -> str:
        """The tool that it is a call of."""
        return self.call.tool

    @property
    def arguments(self) -> JsonValue:
        """What the tool was given."""
        return self.call.arguments

    @property
    def status(self) -> str:
        """How it ended; one that says nothing was executed."""
        return self.call.status or "executed"

    @property
    def made(self) -> bool:
        """Whether it was more than proposed, and nobody stopped it."""
        return self.status in MADE

    @property
    def executed(self) -> bool:
        """Whether the tool ran."""
        return self.call.executed

    @property
    def worked(self) -> bool:
        """Whether the tool ran, and is not known to have failed."""
        return self.executed and (self.call.completed_index is None or self.call.succeeded)

    @property
    def answer(self) -> JsonValue:
        """What came back: the result, or an object with the `error`."""
        call = self.call
        return call.result if call.error is None else {"error": call.error}

    def has(self, arguments: Iterable[tuple[Path, JsonValue]]) -> bool:
        """Whether each of some values is what its arguments hold at the path."""
        return all(same(path.get(self.arguments), value) for path, value in arguments)

    def stands_in(self, turns: Collection[int]) -> bool:
        """Whether it was made or settled in one of some turns."""
        return self.turn in turns or self.settled_turn in turns

    def __str__(self) -> str:
        where = f"step {self.call.index} of turn {self.turn}"
        if self.place != self.call.index:
            where += f", {self.status} at step {self.place} of turn {self.settled_turn}"
        return f"{self.tool} ({where})"


def turn_calls(conversation: Conversation) -> list[TurnCall]:
    """The calls in the order they were made."""
    turns = {step["index"]: turn for turn, step in conversation.steps}
    made = calls(step for _, step in conversation.steps)
    return [TurnCall(call, turns[call.index], turns[call.place]) for call in made]
