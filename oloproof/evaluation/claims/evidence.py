"""What bears a claim out: the calls before its message, and the state when it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.conversations.messages import state_at
from oloproof.paths import MISSING, Absent, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.messages import AgentMessage
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.turns import Conversation
    from oloproof.paths import Path


@dataclass(frozen=True, slots=True)
class Heard:
    """A message in its conversation, with all the calls of that."""

    conversation: Conversation
    message: AgentMessage
    calls: Sequence[TurnCall]

    def state(self, source: Source) -> JsonValue | Absent:
        """The state when it was sent, or `MISSING` where that is not known."""
        return state_at(self.conversation, source, self.message, self.calls)


class Finding(NamedTuple):
    """What was found at the place of the evidence; `holds` is None where it cannot be told."""

    holds: bool | None
    path: str
    wanted: JsonValue
    found: JsonValue | Absent
    told: str


@dataclass(frozen=True, slots=True)
class CallEvidence:
    """A call of one of some tools with certain arguments, carried out before the message."""

    tools: tuple[str, ...]
    arguments: tuple[tuple[Path, JsonValue], ...] = ()

    def find(self, heard: Heard) -> Finding:
        """The last such call."""
        before = [c for c in heard.calls if self._is_meant(c) and heard.message.follows(c)]
        named, wanted = " or ".join(self.tools), "a call before it"
        if before:
            return Finding(True, f"calls.{named}", wanted, wanted, str(before[-1]))
        told = f"no call of {named} was carried out before"
        return Finding(False, f"calls.{named}", wanted, "no call", told)

    def _is_meant(self, call: TurnCall) -> bool:
        return call.tool in self.tools and call.worked and call.has(self.arguments)


@dataclass(frozen=True, slots=True)
class StateEvidence:
    """A value at a place of the state when the message was sent."""

    source: Source
    path: Path
    value: JsonValue

    def find(self, heard: Heard) -> Finding:
        """What is at the place."""
        state = heard.state(self.source)
        path = str(self.path)
        if isinstance(state, Absent):
            told = f"{self.source} at {heard.message} is not known"
            return Finding(None, path, self.value, MISSING, told)
        found = self.path.get(state)
        told = f"`{path}` is {show(found)} in {self.source}"
        return Finding(same(found, self.value), path, self.value, found, told)


Evidence = CallEvidence | StateEvidence
