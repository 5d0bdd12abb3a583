"""The calls of a conversation with the turns they stand in, also those that waited in a queue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from oloproof.evaluation.calls import calls
from oloproof.paths import same

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.calls import Call
    from oloproof.evaluation.turns import Conversation
    from oloproof.paths import Path

WAITING: Final = frozenset({"proposed", "queued"})
"""The statuses after which a call may still come to another one."""

REJECTED: Final = "rejected"
"""The status of a call that the tool did not take, such as one with arguments it does not have."""

MADE: Final = frozenset({"queued", "executed", REJECTED})
"""The statuses of a call that was made, or will be unless somebody stops it."""

EXECUTED: Final = frozenset({"executed"})
"""The status of a call that was carried out."""


@dataclass(frozen=True, slots=True)
class TurnCall:
    """A call, made in `turn` and settled in `settled_turn`, by the step at `place`.

    Only a call that waited is settled later than it was made. `revision` is that of the
    working state on which it rests.
    """

    call: Call
    turn: int
    settled_turn: int
    place: int
    revision: int | None = None

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
    """The calls in the order they were made.

    A call step with the `call_id` of one that waits is that call again, with another status.
    """
    steps = {step["index"]: (turn, step) for turn, step in conversation.steps}
    made: list[TurnCall] = []
    waiting: dict[tuple[str, str], int] = {}
    for call in calls(step for _, step in steps.values()):
        found = _turn_call(call, steps)
        key = (call.tool, call.call_id or "")
        position = waiting.pop(key, None) if call.call_id is not None else None
        if position is None:
            position = len(made)
            made.append(found)
        else:
            made[position] = _continued(made[position], found)
        if call.call_id is not None and made[position].status in WAITING:
            waiting[key] = position
    return made


def _turn_call(call: Call, steps: dict[int, tuple[int, dict[str, Any]]]) -> TurnCall:
    turn, step = steps[call.index]
    settled = step.get("status") in WAITING and call.status != step["status"]
    place = call.completed_index if settled and call.completed_index else call.index
    return TurnCall(call, turn, steps[place][0], place, step.get("state_revision"))


def _continued(earlier: TurnCall, later: TurnCall) -> TurnCall:
    """One call of which two steps tell; it rests on what the first of them rests on."""
    told = later.call
    result = told if told.completed_index is not None else earlier.call
    call = replace(
        told,
        index=earlier.call.index,
        arguments=earlier.arguments if told.arguments is None else told.arguments,
        status=later.status,
        result=result.result,
        error=result.error,
        completed_index=result.completed_index,
    )
    revision = later.revision if earlier.revision is None else earlier.revision
    return replace(
        earlier,
        call=call,
        settled_turn=later.settled_turn,
        place=later.place,
        revision=revision,
    )
