"""What is known of a case while it is performed, and the form in which it is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from oloproof.paths import MISSING
from oloproof.records.evidence import (
    ACTIVE_STATE,
    ENVIRONMENT_STATE,
    LATE,
    OUTAGE,
    RECORDING,
    REPLIES,
    TRAJECTORY,
    Outcome,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.execution.calling import Called
    from oloproof.execution.redaction import Redaction
    from oloproof.execution.trajectories import StoredTrajectory


class Request(NamedTuple):
    """What a worker is told of a case: nothing that is expected of it.

    `talks` says that the input is a conversation: `{"turns": [{"user": …}, …]}`, `replayable`
    that a recording is worth keeping: copies are not replayed. Of a copy `source` is the id of
    the case that it is held against: what is drawn by chance must be the same in both.
    """

    id: str
    input_json: bytes
    state_json: bytes | None
    replicate: int = 1
    talks: bool = False
    replayable: bool = True
    source: str | None = None


class Act(NamedTuple):
    """One call of the system within a case: the whole of it, or (with `turn`) one turn.

    `input` is what `current_case().input` gives meanwhile, `said` the user's message.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    input_json: bytes
    turn: int | None = None
    said: str | None = None


@dataclass(slots=True)
class Performance:
    """A case in its sandbox, in the form it is stored in but for the value that it gave."""

    called: Called
    outcome: Outcome
    output: Any = MISSING
    replies: list[Any] | None = None
    trajectory: StoredTrajectory | None = None
    trajectory_problem: str | None = None
    recording: dict[str, JsonValue] | None = None
    worlds: list[dict[str, Any]] = field(default_factory=list)
    world_problem: str | None = None
    active: list[dict[str, Any]] = field(default_factory=list)
    active_problem: str | None = None
    late: list[str] = field(default_factory=list)

    def met_outage(self) -> None:
        """Take note that it ended for something that was down, and was no end of the system's."""
        self.outcome = self.outcome._replace(status=OUTAGE)

    def sections(self) -> dict[str, Any]:
        """The sections of the evidence."""
        out: dict[str, Any] = {"outcome": self.outcome.to_json()}
        if self.output is not MISSING:
            out["output"] = self.output
        if self.trajectory is not None:
            out[TRAJECTORY] = orjson.Fragment(self.trajectory.json)
        if self.worlds:
            out[ENVIRONMENT_STATE] = self.worlds
        rest = {
            REPLIES: self.replies,
            "trajectory_problem": self.trajectory_problem,
            RECORDING: self.recording,
            "world_problem": self.world_problem,
            ACTIVE_STATE: self.active or None,
            "active_problem": self.active_problem,
            LATE: self.late or None,
        }
        return out | {name: value for name, value in rest.items() if value is not None}

    def last_turn(self) -> dict[str, Any]:
        """What the last turn adds to the sections: its reply and the states after it."""
        assert self.replies, "it is a conversation, of which a turn has ended"
        turn = len(self.replies)
        out = {REPLIES: self.replies[-1]}
        for name, moments in ((ENVIRONMENT_STATE, self.worlds), (ACTIVE_STATE, self.active)):
            if moments and moments[-1].get("turn") == turn:
                out[name] = moments[-1]
        return out


class Reading(Protocol):
    """What is made of a case: of trajectories reported meanwhile, and of what its calls gave."""

    def report(self, trajectory: object) -> None:
        """Take what `current_case().agent_trajectory()` was given; may raise in that code."""

    def read(self, performance: Performance) -> None:
        """Take what the last call gave, before anything else touches the sandbox."""

    def finish(self, performance: Performance) -> None:
        """Take what there is when the case is over."""


class Values(Protocol):
    """What becomes of values that a user's code gave."""

    redaction: Redaction

    def plain(self, value: object, what: str) -> JsonValue | orjson.Fragment:
        """A value as JSON without secrets; raises where it is none, or too large."""

    def not_json(self, error: BaseException) -> Outcome:
        """The outcome of a value that is not JSON, or that raised when it was looked into."""
