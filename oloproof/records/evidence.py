"""What is known of a case after it ran: the evidence that every verdict rests on.

Stored as canonical JSON in sections: `outcome`, `output`, `replies`, `agent_trajectory/v1`,
`recording/v1`, `environment_state/v1`, `active_state/v1`, `effect_after_end`. A world is kept
whole or as a patch against the case's initial state, whichever is smaller, always with the
digest of the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from oloproof.patches import apply
from oloproof.paths import MISSING, Absent

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue

TRAJECTORY: Final = "agent_trajectory/v1"
ENVIRONMENT_STATE: Final = "environment_state/v1"
ACTIVE_STATE: Final = "active_state/v1"
RECORDING: Final = "recording/v1"
REPLIES: Final = "replies"
LATE: Final = "effect_after_end"
"""The tools that were called, or came back, when the case had ended: what they did is not seen."""

OutcomeStatus = Literal[
    "completed", "raised", "exited", "timed_out", "killed", "not_json", "outage", "not_recorded"
]
OUTAGE: Final = "outage"
"""The last attempt, too, met an exception that `retries.on` names: it says nothing of the agent."""

NOT_RECORDED: Final = "not_recorded"
"""Of a case that ran elsewhere, if at all: nothing is known of it, and no check can speak."""

Phase = Literal["reset", "call", "snapshot"]
"""The calls of a user's code that a case consists of."""


# What is made for every case is a named tuple: that takes a third of the time of a dataclass.
class Outcome(NamedTuple):
    """How the call of the system ended.

    `error` says what went wrong in one line, `where` names the line of the user's code or
    the path of a value; `phase` is the call during which it happened.
    """

    status: OutcomeStatus
    error: str | None = None
    where: str | None = None
    phase: Phase = "call"

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form, without what has its default."""
        out: dict[str, JsonValue] = {"status": self.status}
        if self.error is not None:
            out["error"] = self.error
        if self.where is not None:
            out["where"] = self.where
        if self.phase != "call":
            out["phase"] = self.phase
        return out


COMPLETED: Final = Outcome("completed")
_COMPLETED_JSON: Final = COMPLETED.to_json()


class Moment(NamedTuple):
    """A state at one moment: after `turn`, or (with None) after the case."""

    state: JsonValue
    turn: int | None = None


class CaseEvidence(NamedTuple):
    """One case as it ran. Steps are the JSON of `AgentStep`, without what has its default.

    `replies` are what a conversation got back, one for each turn that it reached.
    """

    outcome: Outcome
    output: JsonValue | Absent = MISSING
    trajectory: dict[str, JsonValue] | None = None
    trajectory_problem: str | None = None
    worlds: tuple[Moment, ...] = ()
    world_problem: str | None = None
    active: tuple[Moment, ...] = ()
    attempts: tuple[Outcome, ...] = ()
    replies: tuple[JsonValue, ...] = ()
    active_problem: str | None = None
    late: tuple[str, ...] = ()

    @property
    def state(self) -> JsonValue | Absent:
        """The world after the case, or `MISSING` when none was recorded."""
        if not self.worlds:
            return MISSING
        last = self.worlds[-1]
        if self.world_problem is not None and last.turn is not None:
            # It may be the last one that is lacking: what was before it is not the end.
            reached = len(self.replies) + (self.outcome.status != "completed")
            return last.state if last.turn == reached else MISSING
        return last.state

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps in order; none where no trajectory was reported."""
        return (
            []
            if self.trajectory is None
            else cast("list[dict[str, Any]]", self.trajectory["steps"])
        )

    @property
    def terminal_status(self) -> str:
        """How the agent says it ended: success, failure or unknown."""
        return str((self.trajectory or {}).get("terminal_status", "unknown"))

    @property
    def constraints(self) -> list[dict[str, Any]]:
        """The constraint checks the agent recorded."""
        return cast("list[dict[str, Any]]", (self.trajectory or {}).get("constraints", []))

    @classmethod
    def from_json(cls, data: Any, initial_state: JsonValue) -> CaseEvidence:
        """The evidence of its stored form; patched worlds are rebuilt on `initial_state`."""
        outcome = data["outcome"]
        return cls(
            outcome=COMPLETED if outcome == _COMPLETED_JSON else Outcome(**outcome),
            output=data.get("output", MISSING),
            replies=tuple(data.get(REPLIES, ())),
            active_problem=data.get("active_problem"),
            trajectory=data.get(TRAJECTORY),
            trajectory_problem=data.get("trajectory_problem"),
            worlds=tuple(
                Moment(_world(world, initial_state), world.get("turn"))
                for world in data.get(ENVIRONMENT_STATE, ())
            ),
            world_problem=data.get("world_problem"),
            attempts=tuple(Outcome(**attempt) for attempt in data.get("attempts", ())),
            active=tuple(Moment(m["state"], m.get("turn")) for m in data.get(ACTIVE_STATE, ())),
            late=tuple(data.get(LATE, ())),
        )


def _world(stored: Any, initial_state: JsonValue) -> JsonValue:
    """A world of its stored form; a patched one is rebuilt."""
    if "patch" in stored:
        return apply(initial_state, stored["patch"])
    state: JsonValue = stored["state"]
    return state


class Divergence(NamedTuple):
    """The first difference between a recording and its control replay.

    `where` says the place in words; `path` is one in the sandbox.
    """

    kind: Literal[
        "changed_args",
        "unexpected_call",
        "missing_call",
        "reordered",
        "stream_overrun",
        "effect_outside_recorder",
        "changed_result",
        "changed_output",
        "changed_state",
        "changed_outcome",
    ]
    where: str
    expected: JsonValue = None
    actual: JsonValue = None
    path: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form."""
        out: dict[str, JsonValue] = {
            "kind": self.kind,
            "where": self.where,
            "expected": self.expected,
            "actual": self.actual,
        }
        return out if self.path is None else out | {"path": self.path}


def can_be_replayed(recording: Any) -> bool:
    """Whether a replay of stored evidence could say anything.

    Of one that met an outage, or did not end with its case, none does.
    """
    return recording["outcome"]["status"] != OUTAGE and LATE not in recording


def counts(reason: str | None, divergence: object) -> bool:
    """Whether a replay may count: there is no reason why it says nothing, and nothing diverged."""
    return reason is None and divergence is None


def is_trusted(replay: Any) -> bool:
    """Whether a replay of its stored form may count: it ran, and nothing diverged."""
    return "case" in replay and counts(replay["reason"], replay.get("divergence"))


class Struck(NamedTuple):
    """The world before the call that a fault struck, and after what the call did itself.

    `MISSING` where it is not known.
    """

    before: JsonValue | Absent = MISSING
    after: JsonValue | Absent = MISSING


class ReplayEvidence(NamedTuple):
    """One replay: what was changed at which step, and what came of it.

    `case` holds the joined trajectory (recorded prefix and continuation), the final world
    and the output. `fault` is a kind of fault with its duration. `reason` (with `detail`) says
    why nothing came of it at all; `divergence` is set where the recording was not reproduced.
    `notes` are remarks that take nothing from it, and `struck` is the world around the call.
    """

    kind: Literal["resume", "inject_fault"]
    step_index: int
    method: Literal["manual", "recorded"]
    case: CaseEvidence | None
    fault: str | None = None
    reason: str | None = None
    divergence: Divergence | None = None
    detail: str | None = None
    notes: tuple[str, ...] = ()
    struck: Struck = Struck()

    @property
    def trusted(self) -> bool:
        """Whether this replay may count: it ran, and nothing diverged."""
        return self.case is not None and counts(self.reason, self.divergence)

    def to_json(self, case: Any, struck: Any = None) -> dict[str, Any]:
        """The stored form, with the JSON of the evidence of its `case` (or None).

        `struck` has the stored worlds `before` and `after`, as far as they are known; one that
        is null is that of before.
        """
        out: dict[str, Any] = {
            "kind": self.kind,
            "step_index": self.step_index,
            "method": self.method,
            "fault": self.fault,
            "reason": self.reason,
        }
        if case is not None:
            out["case"] = case
        if struck:
            out["struck"] = struck
        if self.divergence is not None:
            out["divergence"] = self.divergence.to_json()
        if self.detail is not None:
            out["detail"] = self.detail
        if self.notes:
            out["notes"] = list(self.notes)
        return out

    @classmethod
    def from_json(cls, data: Any, initial_state: JsonValue) -> ReplayEvidence:
        """The replay of its stored form."""
        case, divergence = data.get("case"), data.get("divergence")
        return cls(
            kind=data["kind"],
            step_index=data["step_index"],
            method=data["method"],
            fault=data["fault"],
            reason=data["reason"],
            case=None if case is None else CaseEvidence.from_json(case, initial_state),
            divergence=None if divergence is None else Divergence(**divergence),
            detail=data.get("detail"),
            notes=tuple(data.get("notes", ())),
            struck=_struck(data.get("struck", {}), initial_state),
        )


def _struck(stored: Any, initial_state: JsonValue) -> Struck:
    before, after = stored.get("before"), stored.get("after")
    if after is None and "after" in stored:
        after = before
    worlds = (MISSING if one is None else _world(one, initial_state) for one in (before, after))
    return Struck(*worlds)


class FaultReplay(NamedTuple):
    """A faulted replay with the control that has to hold before it counts.

    `unavailable` is the reason why there is neither: `not_replayable`,
    `fault_target_not_called` (the case never made the call), or what went wrong.
    """

    control: ReplayEvidence | None = None
    faulted: ReplayEvidence | None = None
    unavailable: str | None = None
