"""Records what declared tools and models do in a case, and what the agent tells of itself.

A system that never imports `oloproof` pays nothing: the modules of the recorder are loaded
where it did, at the latest when it asks for `oloproof.tool` or another of its names.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import JsonValue, decode, encode, encode_in_order, to_json
from oloproof.errors import OloproofError
from oloproof.execution.trajectories import StoredTrajectory, refuse_oversize
from oloproof.patches import apply, difference
from oloproof.records.shapes import TRAJECTORY_SHAPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from oloproof.execution.performing import Act, Performance, Request
    from oloproof.execution.redaction import Redaction
    from oloproof.execution.worlds import Worlds
    from oloproof.recording.positions import Home
    from oloproof.recording.recording import Recording, RecordingSession
    from oloproof.recording.session import Session
    from oloproof.systems.python import PythonSystem

NOT_STORABLE: Final = (TypeError, ValueError, OloproofError)
"""What keeping raises of names and values that are no JSON after all, or too large."""

_BOTH: Final = "the system reported a trajectory, too: the recorded calls count instead"

assert isinstance(TRAJECTORY_SHAPE, dict)
_STEP_SHAPE = TRAJECTORY_SHAPE["steps"]


class Recorder:
    """Opens a recording for a case, and stores what came of it."""

    def __init__(
        self,
        system: Callable[[], PythonSystem],
        redaction: Redaction,
        worlds: Worlds,
        on_step: Callable[[bytes], None],
        is_loaded: Callable[[str], bool],
        is_asked_for: Callable[[], bool],
    ) -> None:
        self._system = system
        self._redaction = redaction
        self._worlds = worlds
        self._on_step = on_step
        self._is_loaded = is_loaded
        self._is_asked_for = is_asked_for
        self._is_at: Home | None = None

    @property
    def is_asked_for(self) -> bool:
        """Whether the system may use anything of the recorder."""
        return self._is_loaded("oloproof.recording.lanes") or self._is_asked_for()

    def open(self, request: Request, targets: Sequence[tuple[str, int]]) -> RecordingSession | None:
        """The session in which a case is recorded; None for a system that declares nothing."""
        if not self.is_asked_for:
            return None
        from oloproof.recording.events import Origin
        from oloproof.recording.recording import RecordingSession

        return RecordingSession(
            Origin(request.source or request.id, request.replicate),
            targets=targets,
            snapshot=self.snapshot if self._system().stateful else None,
            on_step=self.tell_step,
            whole_steps=self._redaction.is_asked_for,
        )

    def begin_turn(self, session: Session, act: Act) -> None:
        """Note that the user speaks, where there are turns."""
        session.turn = act.turn
        if act.said is not None:
            session.say("step", {"kind": "message", "agent": "user", "result": act.said}, None)

    def end_turn(self, session: Session, reply: object) -> None:
        """Note what the user gets back before the next turn; the last reply is the final step."""
        step: dict[str, JsonValue] = {"kind": "message", "result": to_json(reply, "the reply")}
        told = step | {"turn": session.turn}
        # What the agent recorded as a message itself is the reply already.
        if not any(told.items() <= said.content.items() for said in session.said):
            session.say("step", step, None)

    def outside_of_cases(self) -> AbstractContextManager[Any]:
        """A block in which the sandbox is opened or closed.

        What is begun in it and then calls a tool does so for the case that is open here.
        """
        if not self.is_asked_for:
            return contextlib.nullcontext()
        from oloproof.recording.lanes import at_home

        return at_home(self._home())

    @contextlib.contextmanager
    def case(self, session: Session | None) -> Iterator[None]:
        """A block in which a case is recorded or replayed, where it is."""
        if session is None:
            yield
            return
        home = self._home()
        with session:
            home.session = session
            try:
                yield
            finally:
                home.session = None

    def _home(self) -> Home:
        from oloproof.recording.positions import Home

        if self._is_at is None:
            self._is_at = Home()
        return self._is_at

    def undisturbed(self, session: Session | None = None) -> AbstractContextManager[Any]:
        """A block in which what tools do is no effect of an agent, be it of another sandbox."""
        if not self.is_asked_for:
            return contextlib.nullcontext()
        from oloproof.recording.lanes import undisturbed

        return undisturbed(session)

    def close(self, session: RecordingSession, performance: Performance, request: Request) -> None:
        """Store the recording of a case, unless the system reported a trajectory itself."""
        recording = session.close(
            output=performance.called.value, failed=performance.outcome.status != "completed"
        )
        silent = not recording.events and not recording.said
        reported = performance.trajectory is not None or performance.trajectory_problem is not None
        if reported and not recording.events:
            return
        if silent and not self._is_loaded("oloproof.recording.effects"):
            return  # it only asks for the time and the like
        try:
            trajectory = self.stored_trajectory(recording.trajectory)
            stored = self._stored(recording, request.state_json) if request.replayable else None
        except NOT_STORABLE as error:
            problem = f"what was recorded cannot be kept: {error}"
            performance.trajectory_problem = self._redaction.of_text(problem)
            return
        performance.trajectory, performance.recording = trajectory, stored
        # Calls that were seen are not to be reported away.
        performance.trajectory_problem = _BOTH if reported else None

    def stored_trajectory(self, made: Any) -> StoredTrajectory:
        """A recorded trajectory as it is stored, redacted."""
        value = self._redaction.of_record(made.value, TRAJECTORY_SHAPE)
        data = encode(value)
        refuse_oversize(data, "the trajectory")
        return StoredTrajectory(value, data, made.latency_ms)

    def _stored(self, recording: Recording, state_json: bytes | None) -> dict[str, JsonValue]:
        from oloproof.recording.recording import RECORDING_SHAPE

        made = recording.to_json()
        if self._redaction:
            self._clean_texts(made)
        out: Any = self._redaction.of_record(made, RECORDING_SHAPE)
        if recording.states:
            out["states"] = {
                name: self._kept_state(state, state_json)
                for name, state in recording.states.items()
            }
        return dict(out)

    def _clean_texts(self, made: Any) -> None:
        """Take secrets out of the values that stand in a recording as JSON text."""
        clean = self._redaction.of_json_text
        for event in made["events"]:
            for place, names in (
                (event, ("arguments", "result", "returned")),
                (event.get("failure", {}), ("arguments", "state")),
            ):
                place.update({name: clean(place[name]) for name in names if place.get(name)})

    def _kept_state(self, state: bytes, state_json: bytes | None) -> dict[str, JsonValue]:
        """A state as changes of the initial one where they give just that, its order of keys too.

        The agent sees the order when the sandbox is put into this state again.
        """
        state = self._redaction.of_json(state)
        initial = self._worlds.initial(state_json)
        changes: Any = difference(initial, decode(state))
        if len(encode_in_order(changes)) < len(state) and (
            encode_in_order(apply(initial, changes)) == state
        ):
            return {"patch": changes}
        return {"text": state.decode()}

    def restored(self, stored: Any, initial: JsonValue) -> Recording:
        """The recording of its stored form; `initial` is what states were patched against."""
        from oloproof.recording.recording import Recording

        states = {
            name: encode_in_order(apply(initial, state["patch"]))
            if "patch" in state
            else state["text"].encode()
            for name, state in stored.get("states", {}).items()
        }
        return Recording.from_json(stored, states)

    # -- the sandbox, from inside a call --------------------------------------------------------

    def snapshot(self) -> bytes:
        """The sandbox as JSON, its keys in order; raises where it cannot be had at once."""
        return encode_in_order(to_json(_at_once(self._system().snapshot()), "snapshot()"))

    def reset(self, state: bytes) -> None:
        """Put the sandbox into a state; raises where it cannot be done at once."""
        _at_once(self._system().reset(decode(state)))

    def tell_step(self, step: dict[str, JsonValue]) -> None:
        """Say a step on the way."""
        self._redaction.refresh()
        with contextlib.suppress(*NOT_STORABLE):  # the end of the case says so
            self._on_step(encode(self._redaction.of_record(step, _STEP_SHAPE)))


def _at_once(value: Any) -> Any:
    """What an awaitable gives that waits for nothing: inside a call no other can be awaited."""
    if not inspect.isawaitable(value):
        return value
    steps = value.__await__()
    try:
        next(steps)
    except StopIteration as ended:
        return ended.value
    steps.close()
    raise RuntimeError("it waits for something, which cannot be awaited inside a tool call")
