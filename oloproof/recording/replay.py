"""A case once more: served from its recording up to a place, and live from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from oloproof.paths import MISSING
from oloproof.recording.checkpoints import START
from oloproof.recording.comparing import (
    copy_contents,
    differs,
    differs_in_told,
    shown_call,
    shown_outcome,
)
from oloproof.recording.directing import Director
from oloproof.recording.endings import Note, ReplayStop
from oloproof.recording.lanes import undisturbed
from oloproof.recording.matching import Mismatch, Script
from oloproof.recording.recording import final_step
from oloproof.recording.session import Session
from oloproof.recording.striking import Striking
from oloproof.recording.trajectory import Trajectory, make_trajectory
from oloproof.recording.waiting import PATIENCE_S
from oloproof.records.evidence import Divergence, counts
from oloproof.records.shapes import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.recording.events import Event
    from oloproof.recording.recording import Recording
    from oloproof.recording.striking import Around
    from oloproof.records.faults import FaultPlan, ModelPolicy


class Replayed(NamedTuple):
    """What came of a replay.

    `divergence` is the first difference from the recording, `reason` (with `detail`) why it
    says nothing otherwise. `step_index` is the step of the target's call, `around` the sandbox
    around it.
    """

    trajectory: Trajectory
    divergence: Divergence | None
    reason: str | None
    detail: str | None
    notes: tuple[Note, ...]
    delivered: bool
    step_index: int | None
    around: Around | None

    @property
    def trusted(self) -> bool:
        """Whether the replay may count, as far as its calls show."""
        return counts(self.reason, self.divergence)


class ReplaySession(Session):
    """Replays a recording, with a fault at the call `target` (an event) or without a change.

    The sandbox is expected in the case's initial state; at the first tool that runs again
    `reset` puts it into the state of the target's checkpoint. Without a target every tool
    runs. `snapshot` reads the sandbox where the fault strikes. `clean` takes secrets out of
    JSON text and `clean_text` out of other text, as the recording has them taken out.
    Without `restores` it begins at the start in any case.
    A difference found makes the session untrusted at once; every later call is stopped.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        target: int | None = None,
        fault: FaultPlan | None = None,
        models: ModelPolicy = "live",
        restores: bool = True,
        reset: Callable[[bytes], None] | None = None,
        snapshot: Callable[[], bytes] | None = None,
        clean: Callable[[str], str] = str,
        clean_text: Callable[[str], str] = str,
        patience_s: float = PATIENCE_S,
        on_step: Callable[[dict[str, JsonValue]], None] | None = None,
    ) -> None:
        super().__init__(recording.origin, on_step=on_step)
        if fault is not None and target is None:
            raise ValueError("a fault needs the call that it strikes")
        self.divergence: Divergence | None = None
        self.reason: str | None = None
        self.detail: str | None = None
        self._recording = recording
        self._target = None if target is None else recording.events[target]
        self._checkpoint = recording.checkpoint_for(target if restores else None)
        self._script = Script(
            recording.events,
            recording.said,
            at=self._checkpoint.at,
            target=target,
            faulted=fault is not None,
            clean=clean,
            clean_text=clean_text,
        )
        self._striking = (
            Striking(fault, self._target, self, snapshot)
            if fault is not None and self._target
            else None
        )
        self._director = Director(self, self._script, self._striking, patience_s)
        self.direction = self._director
        self._models: ModelPolicy = models
        self._reset = reset
        self._clean = clean
        self._clean_text = clean_text
        self._restored = self._checkpoint.id == START
        self.fired = False
        self._met: Event | None = None
        self._served_models: set[str] = set()
        obstacle = recording.obstacle
        if obstacle is not None:
            self.reason, self.detail = obstacle

    # --- trust ---------------------------------------------------------------------------

    @property
    def trusted(self) -> bool:
        """Whether nothing was found against this replay so far."""
        return counts(self.reason, self.divergence)

    def diverge(self, divergence: Divergence) -> NoReturn:
        """Mark the session untrusted, then try to stop the agent."""
        if self.trusted:
            self.divergence = divergence
        with self.condition:
            self._director.changed()
        raise ReplayStop(f"the replay diverged: {divergence.kind} at {divergence.where}")

    def stop(self, reason: str, detail: str | None = None) -> NoReturn:
        """Say why this replay cannot count, then try to stop the agent."""
        if self.trusted:
            self.reason, self.detail = reason, detail
        with self.condition:
            self._director.changed()
        raise ReplayStop(f"the replay cannot go on: {reason}")

    def outside(self, name: str) -> None:
        """A call was made that cannot be told to be this case's."""
        super().outside(name)
        if self.trusted:
            self.divergence = Divergence("effect_outside_recorder", name, None, name)

    def let_fault_through(self, error: BaseException | None) -> bool:
        """Whether an exception that ended the agent is the fault that struck it."""
        return self._striking is not None and self._striking.let_through(error)

    def go_on(self) -> None:
        """Stop the agent where the replay cannot count any more."""
        if not self.trusted:
            raise ReplayStop("this replay was stopped before")

    # --- a call begins -------------------------------------------------------------------

    def _begun(self, event: Event) -> None:
        self.go_on()
        if self.fired:
            self._begun_late(event)
            return
        found = self._script.match(event)
        if isinstance(found, Mismatch):
            expected = None if found.expected is None else shown_call(found.expected)
            actual = shown_call(event)
            self.diverge(Divergence(found.kind, f"call {event.index + 1}", expected, actual))
        event.source = found
        if found is self._target:
            self._met = event
            if self._striking is not None:
                event.plan = "strike"
                self._striking.first(event)
                return
        self._take(event, found)

    def _begun_late(self, event: Event) -> None:
        """A call behind the fault: live, unless it is one that the fault has no part in."""
        assert self._target is not None
        assert self._striking is not None
        striking = self._striking
        struck = event.kind == "model" and striking.strikes_again(event)
        if struck and striking.plan.runs == 0:
            event.plan = "strike"  # its real answer does not matter
            return
        until = self._target.started if self._target.ended is None else self._target.ended
        found = self._script.match_late(event, before=until)
        if found is None and event.kind == "model" and self._models == "recorded":
            found = self._script.match_late(event, before=None)
            if found is None:
                self.stop("model_needed", event.name)
        if found is not None:
            self._take(event, found)
        of_tool = event.kind == "tool" and event.plan != "serve"
        if struck or (of_tool and striking.strikes_again(event)):
            event.plan = "strike"

    def is_recorded(self, event: Event) -> bool:
        """Whether the recording has what a call really gives."""
        return event.source is not None and self._script.roles[event.source.index] == "serve"

    def _take(self, event: Event, source: Event) -> None:
        event.source = source
        role = self._script.roles[source.index]
        event.late = role == "late" and not self.fired
        if role != "serve" and not event.late:
            return
        event.plan = "run" if event.late else "serve"
        if source.dumped is not None:
            self.stop("result_not_json", f"{source.name}: {source.dumped}")
        failure = source.failure
        texts = [source.result, source.returned]
        if failure is not None:
            texts += [failure.message, failure.arguments, failure.state]
        if any(text is not None and REDACTED in text for text in texts):
            self.stop("redacted_value_needed", source.name)
        if source.kind == "model":
            self._served_models.add(source.name)

    def arrive(self, event: Event) -> None:
        """Under the lock: a call is about to be served or to run."""
        self.go_on()
        source = event.source
        at_target = source is not None and source is self._target
        if event.plan == "serve" and not at_target:
            return
        live = source is None or at_target or self._script.roles[source.index] == "live"
        if live and not self._restored:
            self._restore()
        if event.plan == "strike":
            assert self._striking is not None
            self._striking.look_before()
            self.fired = True
            self._director.changed()

    def _restore(self) -> None:
        state = self._recording.states.get(self._checkpoint.id)
        if state is None:
            self.stop("checkpoint_missing", self._checkpoint.id)
        if REDACTED.encode() in state:
            self.stop("redacted_value_needed", "the state of the sandbox")
        if self._reset is not None:
            try:
                with undisturbed():
                    self._reset(state)
            except Exception as error:
                self.stop("reset_raised", type(error).__name__)
        self._restored = True

    # --- a call ends -----------------------------------------------------------------------

    def _stamp(self, event: Event) -> None:
        if event.plan == "serve" and event.source is not None:
            event.status = event.source.status
            contents = self._script.contents(event.source)
            if contents:
                copy_contents(self, event, contents)
        super()._stamp(event)

    def _ended(self, event: Event) -> None:
        self._director.ended(event)
        source = event.source
        if self.fired:
            self._notice_script(event)
            return
        if source is None or not self.trusted:
            return
        if (event.plan == "run" or event.streamed) and differs(
            source, event, self._clean, self._clean_text
        ):
            where = f"call {event.index + 1}: result of {event.name}"
            was, now = shown_outcome(source), shown_outcome(event)
            self.diverge(Divergence("changed_result", where, was, now))

    def _notice_script(self, event: Event) -> None:
        """Warn of a model that answers again from its beginning, whatever it is asked."""
        if event.kind != "model" or event.plan != "run" or event.name not in self._served_models:
            return
        self._served_models.discard(event.name)  # only its first live answer tells
        first = next(
            e for e in self._recording.events if e.kind == "model" and e.name == event.name
        )
        if first.result == event.result and first.arguments != event.arguments:
            self.notes.append(Note("scripted_model", event.name))

    # --- the end -------------------------------------------------------------------------

    def close(self, *, output: object = MISSING, failed: bool = False) -> Replayed:
        """What came of the replay, once the block has ended.

        `output` is what the call returned, `failed` whether it did not return.
        """
        if self.trusted and not self.fired:
            self.divergence = self._left_out(failed=failed)
        trajectory = make_trajectory(
            self.events, self.said, failed=failed, final=final_step(self, output)
        )
        met = None if self._met is None else trajectory.call_steps.get(self._met.index)
        return Replayed(
            trajectory=trajectory,
            divergence=self.divergence,
            reason=self.reason,
            detail=self.detail,
            notes=tuple(self.notes),
            delivered=self._met is not None and self._met.fault is not None,
            step_index=met,
            around=None if self._striking is None else self._striking.around,
        )

    def _left_out(self, *, failed: bool) -> Divergence | None:
        """What a replay without a fault lacks at its end."""
        missing = self._script.missing()
        if missing is not None:
            where = f"call {missing.index + 1}"
            return Divergence("missing_call", where, shown_call(missing), None)
        return differs_in_told(
            (self._recording.said, self._recording.failed), (self.said, failed), self._clean
        )
