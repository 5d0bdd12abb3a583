"""One case while it runs: every call of its tools and models, in order."""

from __future__ import annotations

import asyncio
import time
from asyncio import _get_running_loop
from contextlib import suppress
from datetime import timedelta
from threading import Condition
from typing import TYPE_CHECKING, Literal, Self, cast

from oloproof.canonical import encode_foreign_in_order, encode_in_order
from oloproof.errors import NotJsonError, OloproofError
from oloproof.recording import lanes
from oloproof.recording.declaration import has_run
from oloproof.recording.dumping import describe_failure, dump
from oloproof.recording.endings import Note, ReplayStop
from oloproof.recording.events import Event, Origin, Said
from oloproof.recording.lanes import AT, OPEN
from oloproof.recording.late import LateCalls
from oloproof.recording.leftover_threads import note_leftover_threads, threads_now
from oloproof.recording.positions import Position, Scope, identity
from oloproof.recording.trajectory import Timeline
from oloproof.recording.waiting import Turns

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable
    from contextvars import Token

    from oloproof.canonical import JsonValue
    from oloproof.errors import NotJsonError as Problem
    from oloproof.recording.declaration import Effect
    from oloproof.recording.positions import Direction


class Session:
    """What is common to recording and replaying a case; used as a block around its call.

    `on_step` hears each step as it begins, and again, with the same index, once more is known;
    without `whole_steps` the values in it are `orjson.Fragment`s.
    """

    direction: Direction | None = None
    """What takes part in each call while a case is replayed; nobody does while it is recorded."""

    def __init__(
        self,
        origin: Origin,
        *,
        on_step: Callable[[dict[str, JsonValue]], None] | None = None,
        whole_steps: bool = True,
    ) -> None:
        self.origin = origin
        self.is_open = False
        self.preparing = False
        """Whether the sandbox is still being put into its initial state; the caller sets it."""
        self.events: list[Event] = []
        self.said: list[Said] = []
        self.notes: list[Note] = []
        self.revision: int | None = None
        self.turn: int | None = None
        """The user turn that runs, where there are turns; the caller sets it."""
        self.virtual_s = 0.0
        """How far the clock of `oloproof.now()` was moved by faults."""
        self.condition = Condition()
        self.clock = 0
        self.root = Scope(identity(origin.case, origin.replicate))
        self.timeline = Timeline(on_step, whole=whole_steps)
        self.late = LateCalls(self.condition)
        self.read_at: int | None = None
        """When the sandbox was read last; the caller sets it."""
        self.sandbox: object = self
        """Where it acts; the caller sets it where others act there after it."""
        self.is_unclear = False
        """Whether a call was made that is of this case or of another one open beside it."""
        self._adopted = 0
        self._turns: dict[AbstractEventLoop, Turns] = {}

    def __enter__(self) -> Self:
        self._threads = threads_now()
        self._token: Token[Position | None] = AT.set(Position(self, lanes.owner(), self.root))
        self.is_open = True
        OPEN.append(self)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self.condition:
            self.is_open = False
            OPEN.remove(self)
            for event in self.events:
                if event.ended is None and event.streamed:
                    event.ending = "abandoned"  # a stream nobody read to its end, nor closed
                    self._stamp(event)
                    with suppress(ReplayStop):  # nobody is there any more who could be stopped
                        self._ended(event)
            self.late.begin(self.events, self.read_at)
            self.condition.notify_all()
        # Beside other open cases nobody can tell whose threads they are.
        note_leftover_threads(self, self._threads, alone=not OPEN)
        AT.reset(self._token)

    def prepared(self) -> None:
        """The sandbox is in its initial state, and the agent begins."""
        self.preparing = False

    # --- a call begins -------------------------------------------------------------------

    def begin(
        self,
        effect: Effect,
        at: Position,
        arguments: str,
        what: str,
        *,
        call_id: str | None = None,
        problem: Problem | None = None,
        streamed: bool = False,
        fits: bool = True,
    ) -> Event:
        """The event of a call that begins at a position; `what` tells it from others there."""
        with self.condition:
            self._check_open(effect.name)
            event = self._event(effect, at, arguments, what)
            event.call_id, event.streamed = call_id, streamed
            event.unfit = None if fits else effect.function
            if problem is not None:
                self.remark(Note("arguments_not_json", _told(effect.name, problem)))
            self.events.append(event)
            self._begun(event)
            self.timeline.begin(event)
            event.began_s = time.perf_counter()
        return event

    def _event(self, effect: Effect, at: Position, arguments: str, what: str) -> Event:
        return Event(
            index=len(self.events),
            kind=effect.kind,
            name=effect.name,
            arguments=arguments,
            identity=at.scope.next(what),
            lane=at.scope.key,
            started=self.tick(),
            parent=None if at.parent is None else at.parent.index,
            after=at.last,
            reads=effect.reads,
            revision=self.revision,
            turn=self.turn,
            outer=at,
            on_fault=effect.on_fault,
        )

    def _begun(self, event: Event) -> None:
        """Hook, under the lock: a call was entered into the session."""

    def _check_open(self, name: str) -> None:
        if not self.is_open:
            raise OloproofError(
                f"`{name}` was called after the end of its case",
                fix="wait for the threads and tasks that the system starts",
            )

    # --- what a call gave ----------------------------------------------------------------

    def gave(self, event: Event, value: object) -> None:
        """Keep what a call returned."""
        event.ending = "returned"
        event.result = self._text(event, value)
        told = value.get("error") if event.unfit is not None and isinstance(value, dict) else None
        if told:
            event.status = "rejected"

    def ran_out(self, event: Event, value: object) -> None:
        """Keep that a stream came to its end, and what it returned."""
        event.ending = "returned"
        if value is not None:
            event.returned = self._text(event, value)

    def chunk(self, event: Event, value: object) -> None:
        """Keep one item of a stream."""
        event.chunks.append(self._text(event, value))

    def broke(self, event: Event, error: BaseException) -> None:
        """Keep what a call raised, or that it was ended from outside."""
        if isinstance(error, GeneratorExit):
            event.ending = "abandoned" if event.streamed else "cancelled"
        elif isinstance(error, asyncio.CancelledError) and _is_cancelled():
            event.ending = "cancelled"
        else:
            event.ending = "raised"
            event.failure = describe_failure(error)
            if event.unfit is not None and not has_run(event.unfit, error):
                event.status = "rejected"

    def end(self, event: Event) -> None:
        """Note the end of a call whose outcome is kept."""
        with self.condition:
            if not self.is_open:
                if self.late.end(event):
                    beside = [other for other in OPEN if other.sandbox is self.sandbox]
                    for touched in (self, *beside):
                        touched.late.note(event.name)
                return
            event.latency_ms = (time.perf_counter() - event.began_s) * 1000
            self._stamp(event)
            try:
                self._ended(event)
            except ReplayStop:
                if event.ending != "abandoned":  # its reader is gone, and cannot be stopped
                    raise
            finally:
                self.condition.notify_all()

    async def take_turn(self, event: Event) -> None:
        """Wait until a call on the running loop may end: one of them at a time."""
        assert event.outer is not None
        await self._turns_of(asyncio.get_running_loop()).take(event.outer.owner)

    def take_notice(self, event: Event) -> None:
        """A call has ended, of which code on the running loop, if any, takes notice now."""
        loop = _get_running_loop()
        if loop is not None and event.outer is not None:
            self._turns_of(loop).ended(event.outer.owner)

    def _turns_of(self, loop: AbstractEventLoop) -> Turns:
        turns = self._turns.get(loop)
        if turns is None:
            turns = self._turns[loop] = Turns(loop)
        return turns

    def _stamp(self, event: Event) -> None:
        if event.streamed:
            event.result = f"[{','.join(event.chunks)}]"
        event.ended = self.tick()
        self.timeline.end(event)

    def _ended(self, event: Event) -> None:
        """Hook, under the lock: a call came back."""

    def remark(self, note: Note) -> None:
        """Keep a note, once however often it is made."""
        with self.condition:
            if note not in self.notes:
                self.notes.append(note)

    def _text(self, event: Event, value: object) -> str:
        """A value as JSON text with its keys in order; dumped, and noted, where it is no JSON."""
        if value is None:
            return "null"
        try:
            return encode_foreign_in_order(value, f"the result of {event.name}").decode()
        except NotJsonError as problem:
            event.dumped = problem.what
            self.remark(Note("result_not_json", _told(event.name, problem)))
            return encode_in_order(dump(value)).decode()

    # --- the rest ------------------------------------------------------------------------

    def say(
        self,
        what: Literal["step", "check", "finish"],
        content: dict[str, JsonValue],
        within: Event | None,
    ) -> None:
        """Take what the agent tells of itself."""
        with self.condition:
            self._check_open("record" if what != "finish" else what)
            if what == "step" and self.turn is not None:
                content["turn"] = self.turn
            self.keep(Said(self.tick(), None if within is None else within.index, what, content))

    def keep(self, said: Said) -> None:
        """Under the lock: keep what was told."""
        self.said.append(said)
        if said.what == "step":
            update = said.content.get("state_update")
            if isinstance(update, dict) and update["committed"]:
                self.revision = cast("int", update["revision"])
            self.timeline.say(said)

    def instant_of(self, ticks: int) -> timedelta:
        """How long after its beginning the case is, for the so-many-th look at the clock."""
        return timedelta(seconds=self.virtual_s, milliseconds=ticks)

    def fork(self, scope: Scope, what: str) -> Scope:
        """A lane that begins here, told apart by what it does first."""
        with self.condition:
            return Scope(scope.next(f"lane\0{what}"))

    def note_adopted(self) -> None:
        """Count a call out of a thread that lost its context."""
        with self.condition:
            self._adopted += 1
            if self._adopted == 1:
                self.notes.append(Note("adopted_thread", "calls came from threads without context"))

    def outside(self, name: str) -> None:
        """Note that a call was made which cannot be told to be this case's."""
        with self.condition:
            self.notes.append(Note("effect_outside_recorder", name))

    def tick(self) -> int:
        """The next moment."""
        self.clock += 1
        return self.clock


def _told(name: str, problem: Problem) -> str:
    return f"{name}: {problem.what}"


def _is_cancelled() -> bool:
    """Whether the current task was asked to end, or code without a task was."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is None or task.cancelling() > 0
