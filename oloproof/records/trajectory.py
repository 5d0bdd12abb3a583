"""What an agent did: the trajectory and its parts, as a user's system reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from oloproof.records.faults import fault_names, fixed_result
from oloproof.records.shapes import Json, empty_list, empty_object

if TYPE_CHECKING:
    FaultKind: TypeAlias = str
else:
    FaultKind = Literal[fault_names()]
"""Every way in which a tool can be made to fail, by its name."""

StepKind = Literal[
    "message",
    "tool_call",
    "tool_result",
    "observation",
    "decision",
    "state_update",
    "final",
    "handoff",
]
CallStatus = Literal["proposed", "queued", "executed", "blocked", "rejected", "cancelled"]
TerminalStatus = Literal["success", "failure", "unknown"]


_Item = TypeVar("_Item")


def _listed(given: object) -> object:
    return list(given) if isinstance(given, tuple) else given


Listed: TypeAlias = Annotated[list[_Item], BeforeValidator(_listed)]
"""A list that may be given as a tuple."""


def _or_first(given: object) -> object:
    return 1 if given is None else given


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        ser_json_inf_nan="null",
        defer_build=True,  # a system that is recorded needs none of these
    )


class Claim(Record):
    """Something a message says of the world, in the agent's own structured words."""

    subject: str
    asserted: bool = True
    path: str | None = None
    value: Json = None


class StateUpdate(Record):
    """A change of the agent's working state: proposed first, acted on only once committed."""

    revision: int = Field(ge=1)
    changes: dict[str, Json] = Field(default_factory=empty_object)
    committed: bool


class FaultDelivery(Record):
    """How a fault reached the agent at one call."""

    fault: FaultKind
    as_: Literal["raised", "returned"] = Field(alias="as")
    applied: bool
    visible: bool = True


class Artefact(Record):
    """Something the agent made instead of an effect, such as a draft."""

    name: str
    kind: str
    content: Json = None


class AgentStep(Record):
    """One step of a trajectory; `index` and `turn` count from 1.

    `reads` says of a call that its tool changes nothing.
    """

    index: int = Field(ge=1)
    kind: StepKind
    tool_name: str | None = None
    call_id: str | None = None
    arguments: Json = None
    result: Json = None
    error: Json = None
    status: CallStatus | None = None
    agent: str | None = None
    to_agent: str | None = None
    reads: bool | None = None
    turn: int | None = Field(default=None, ge=1)
    state_revision: int | None = Field(default=None, ge=1)
    claims: Listed[Claim] = Field(default_factory=empty_list)
    state_update: StateUpdate | None = None
    artefact: Artefact | None = None
    fault: FaultDelivery | None = None
    metadata: dict[str, Json] = Field(default_factory=empty_object)
    latency_ms: float | None = Field(default=None, ge=0)


class AgentConstraintCheck(Record):
    """A rule of its own that the agent checked while it ran."""

    name: str
    passed: bool
    detail: str | None = None
    step_index: int | None = Field(default=None, ge=1)


class AgentCheckpoint(Record):
    """A place from which a trajectory can be replayed: just before the step at `step_index`.

    Without one it is the start.
    """

    checkpoint_id: str
    kind: Literal["tool_result", "tool_arguments", "checkpoint"]
    step_index: Annotated[int, BeforeValidator(_or_first)] = Field(default=1, ge=1)
    description: str | None = None
    payload: Json = None


class Usage(Record):
    """What model calls cost, as reported; what is unknown stays null and is never estimated."""

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    model_calls: int | None = Field(default=None, ge=0)


class AgentTrajectory(Record):
    """The steps of one case in order, and how the agent says it ended."""

    steps: Listed[AgentStep]
    terminal_status: TerminalStatus = "unknown"
    truncated: bool = False
    step_limit: int | None = Field(default=None, ge=1)
    constraints: Listed[AgentConstraintCheck] = Field(default_factory=empty_list)
    checkpoints: Listed[AgentCheckpoint] = Field(default_factory=empty_list)
    usage: Usage | None = None

    @model_validator(mode="after")
    def _numbered(self) -> AgentTrajectory:
        for position, step in enumerate(self.steps, start=1):
            if step.index != position:
                raise ValueError(
                    f"steps are numbered 1, 2, 3 …: step {position} has index {step.index}"
                )
        for checkpoint in self.checkpoints:
            if checkpoint.step_index > max(1, len(self.steps)):
                raise ValueError(
                    f"checkpoint {checkpoint.checkpoint_id!r} names step {checkpoint.step_index} "
                    f"of {len(self.steps)}"
                )
        return self


class ReplayChange(Record):
    """What a replay changes at its checkpoint; `resume` changes nothing (the control)."""

    kind: Literal["resume", "inject_fault"]
    step_index: int = Field(ge=1)
    fault: FaultKind | None = None

    @property
    def fault_result(self) -> dict[str, str] | None:
        """The result that the tool call at `step_index` gives instead of its own, or None."""
        result: dict[str, str] | None = fixed_result(self.fault)
        return result


class EnvironmentState(Record):
    """The world at one moment (`environment_state/v1`): after `turn`, or after the case."""

    state: Json
    turn: int | None = Field(default=None, ge=1)
