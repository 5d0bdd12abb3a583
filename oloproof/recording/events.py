"""What a session keeps of each call of a tool or a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from oloproof.recording.dumping import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.recording.delivery import OnFault
    from oloproof.records.faults import EffectKind

Ending: TypeAlias = Literal["returned", "raised", "cancelled", "abandoned", "unfinished"]
Plan: TypeAlias = Literal["run", "serve", "strike"]

EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When every case begins, unless it is told otherwise, for `oloproof.now()`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What time, identifiers and randomness of a session derive from."""

    case: str
    replicate: int = 1
    began: datetime = EPOCH

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form."""
        return {"case": self.case, "replicate": self.replicate, "began": self.began.isoformat()}

    @classmethod
    def from_json(cls, data: Any) -> Origin:
        """The origin of its JSON form."""
        return cls(data["case"], data["replicate"], datetime.fromisoformat(data["began"]))


class Outer(Protocol):
    """From where a call was made: what runs the calling code, and the call that it is in."""

    @property
    def owner(self) -> int:
        """The task, else the thread, by its number."""

    @property
    def parent(self) -> Event | None:
        """The call around it."""


@dataclass(slots=True, eq=False)
class Event:
    """One call of a tool or model, its values as JSON text.

    `arguments` have sorted keys, a `result` has them in the order given: the agent sees it.
    `started` and `ended` count what happened in the session. `after` is the call that came
    before it in the program's own order: in the same task or thread, or in the one that
    started it, before it was started. `identity` tells the call apart from all others of
    its session and is the same on replay; `lane` is that of its task or thread.
    """

    index: int
    kind: EffectKind
    name: str
    arguments: str
    identity: str
    lane: str
    started: int
    call_id: str | None = None
    parent: int | None = None
    after: int | None = None
    reads: bool = False
    ended: int | None = None
    ending: Ending = "unfinished"
    result: str | None = None
    failure: Failure | None = None
    streamed: bool = False
    returned: str | None = None  # what a generator gave at its end
    checkpoint: str | None = None
    status: str | None = None
    revision: int | None = None
    turn: int | None = None
    fault: dict[str, JsonValue] | None = None
    dumped: str | None = None  # why its result is no JSON: it can be compared, and not served
    # While its session is open:
    plan: Plan = "run"
    source: Event | None = None
    outer: Outer | None = None
    chunks: list[str] = field(default_factory=list)
    began_s: float = 0.0
    latency_ms: float | None = None
    on_fault: OnFault = "raise"
    unfit: Callable[..., Any] | None = None  # the function, where it does not take the arguments
    late: bool = False  # it has to wait until the fault has struck

    @property
    def shown_id(self) -> str:
        """The identifier by which the trajectory joins a call and its result."""
        return self.call_id if self.call_id is not None else f"call-{self.identity}"

    @property
    def ended_by_itself(self) -> bool:
        """Whether the call came back, and was not ended from outside."""
        return self.ending in ("returned", "raised")

    @property
    def waits_for_its_end(self) -> bool:
        """Whether a served call was ended from outside, or not at all: so it is again."""
        return self.source is not None and self.source.ending in ("cancelled", "unfinished")

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form, without what has its default."""
        out: dict[str, JsonValue] = {
            name: value for name in _STORED if (value := getattr(self, name)) != _DEFAULTS.get(name)
        }
        if self.failure is not None:
            out["failure"] = self.failure.to_json()
        return out

    @classmethod
    def from_json(cls, index: int, data: Any) -> Event:
        """The event of its JSON form."""
        given = dict(data)
        failure = given.pop("failure", None)
        event = cls(index=index, **given)
        event.failure = None if failure is None else Failure.from_json(failure)
        return event


_STORED: Final = (
    "kind",
    "name",
    "arguments",
    "identity",
    "lane",
    "started",
    "call_id",
    "parent",
    "after",
    "reads",
    "ended",
    "ending",
    "result",
    "streamed",
    "returned",
    "checkpoint",
    "status",
    "revision",
    "turn",
    "fault",
    "dumped",
)
_DEFAULTS: Final = {"ending": "unfinished", "reads": False, "streamed": False}


@dataclass(frozen=True, slots=True)
class Said:
    """Something the agent told of itself, while the call `within` was made (None: outside).

    It is a step of its own, a constraint check, or how the agent ended (`{"status": …}`).
    """

    at: int
    within: int | None
    what: Literal["step", "check", "finish"]
    content: dict[str, JsonValue]

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form."""
        out: dict[str, JsonValue] = {"at": self.at, self.what: self.content}
        if self.within is not None:
            out["within"] = self.within
        return out

    @classmethod
    def from_json(cls, data: Any) -> Said:
        """What was said, of its JSON form."""
        what: Literal["step", "check", "finish"]
        for what in ("step", "check"):
            if what in data:
                return cls(data["at"], data.get("within"), what, data[what])
        return cls(data["at"], data.get("within"), "finish", data["finish"])
