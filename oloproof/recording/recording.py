"""A recorded case as it is stored and replayed, and the session that makes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode_in_order, to_json
from oloproof.errors import NotJsonError
from oloproof.paths import MISSING
from oloproof.recording.checkpoints import START, Checkpoint, Checkpoints, Targets
from oloproof.recording.endings import OBSTACLES, Note
from oloproof.recording.events import Event, Origin, Said
from oloproof.recording.session import Session
from oloproof.recording.trajectory import Trajectory, make_trajectory
from oloproof.records.shapes import FREE, TRAJECTORY_SHAPE, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.canonical import JsonValue

assert isinstance(TRAJECTORY_SHAPE, dict)
RECORDING_SHAPE: Final[Shape] = {
    "origin": {"case": FREE},
    "events": {
        "name": FREE,
        "arguments": FREE,
        "call_id": FREE,
        "result": FREE,
        "returned": FREE,
        "failure": {"message": FREE, "arguments": FREE, "state": FREE},
    },
    "said": {"step": TRAJECTORY_SHAPE["steps"], "check": TRAJECTORY_SHAPE["constraints"]},
    "final": {"result": FREE},
    "notes": {"detail": FREE},
}
"""Which fields of `Recording.to_json()` hold what a user's code wrote."""


@dataclass(slots=True)
class Recording:
    """Everything that was recorded of a case; `states` holds the sandbox at each checkpoint.

    The states are no part of the JSON form: whoever stores it keeps them by their names.
    """

    origin: Origin
    events: list[Event]
    said: list[Said] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    failed: bool = False
    final: dict[str, JsonValue] | None = None
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    states: dict[str, bytes] = field(default_factory=dict)

    @property
    def trajectory(self) -> Trajectory:
        """The `agent_trajectory/v1`, with timings beside it."""
        return make_trajectory(self.events, self.said, failed=self.failed, final=self.final)

    @property
    def obstacle(self) -> Note | None:
        """Why this case cannot be replayed at all, or None."""
        return next((note for note in self.notes if note.kind in OBSTACLES), None)

    def event_at(self, step_index: int) -> int | None:
        """The event whose call is the step at `step_index`, or None."""
        steps = self.trajectory.call_steps
        return next((event for event, index in steps.items() if index == step_index), None)

    def checkpoint_for(self, target: int | None) -> Checkpoint:
        """The last known state of the sandbox before an event; the start where there is none."""
        start = Checkpoint(START, 0)
        if target is None:
            return start
        event = self.events[target]
        if event.checkpoint is not None:
            return self.checkpoints.get(event.checkpoint, start)
        earlier = [c for c in self.checkpoints.values() if c.at <= event.started]
        return max(earlier, key=lambda checkpoint: checkpoint.at, default=start)

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form, without the states."""
        out: dict[str, JsonValue] = {
            "origin": self.origin.to_json(),
            "events": [event.to_json() for event in self.events],
            "failed": self.failed,
        }
        if self.said:
            out["said"] = [said.to_json() for said in self.said]
        if self.notes:
            out["notes"] = [note.to_json() for note in self.notes]
        if self.checkpoints:
            out["checkpoints"] = {c.id: c.at for c in self.checkpoints.values()}
        if self.final is not None:
            out["final"] = self.final
        return out

    @classmethod
    def from_json(cls, data: Any, states: Mapping[str, bytes] | None = None) -> Recording:
        """The recording of its JSON form, with the states that were kept beside it."""
        return cls(
            origin=Origin.from_json(data["origin"]),
            events=[Event.from_json(i, event) for i, event in enumerate(data["events"])],
            said=[Said.from_json(said) for said in data.get("said", ())],
            notes=[Note(note["kind"], note["detail"]) for note in data.get("notes", ())],
            failed=data["failed"],
            final=data.get("final"),
            checkpoints={
                name: Checkpoint(name, at) for name, at in data.get("checkpoints", {}).items()
            },
            states=dict(states or {}),
        )


class RecordingSession(Session):
    """Records a case.

    Checkpoints are taken with `snapshot` (the sandbox as JSON) at the calls in `targets`.
    """

    def __init__(
        self,
        origin: Origin,
        *,
        targets: Targets = (),
        snapshot: Callable[[], bytes] | None = None,
        on_step: Callable[[dict[str, JsonValue]], None] | None = None,
        whole_steps: bool = True,
    ) -> None:
        super().__init__(origin, on_step=on_step, whole_steps=whole_steps)
        self._checkpoints = Checkpoints(targets, snapshot, self)

    def _begun(self, event: Event) -> None:
        self._checkpoints.begun(event)

    def _ended(self, event: Event) -> None:
        self._checkpoints.ended(event)

    def close(self, *, output: object = MISSING, failed: bool = False) -> Recording:
        """The recording of the case, once the block has ended.

        `output` is what the call returned, `failed` whether it did not return.
        """
        kept = self._checkpoints.kept(self.events)
        return Recording(
            origin=self.origin,
            events=self.events,
            said=self.said,
            notes=self.notes,
            failed=failed,
            final=final_step(self, output),
            checkpoints={name: checkpoint for name, (checkpoint, _) in kept.items()},
            states={name: state for name, (_, state) in kept.items()},
        )


def final_step(session: Session, output: object) -> dict[str, JsonValue] | None:
    """The last step, which shows the output; None where there is none that could be shown."""
    if output is MISSING:
        return None
    try:
        plain = to_json(output, "the output")
        encode_in_order(plain)
    except NotJsonError:
        return None  # the outcome of the case says so
    step: dict[str, JsonValue] = {"kind": "final"}
    if plain is not None:
        step["result"] = plain
    if session.turn is not None:
        step["turn"] = session.turn
    return step
