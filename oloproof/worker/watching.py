"""Records a case as the conformance check needs it: with all its states, and what moved them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.canonical import decode, encode
from oloproof.execution.performing import Act
from oloproof.execution.reading import OutputReading
from oloproof.execution.recorder import Recorder
from oloproof.patches import difference
from oloproof.paths import Absent, from_pointer
from oloproof.recording.lanes import undisturbed
from oloproof.recording.recording import RecordingSession
from oloproof.records.calls import CallCounter
from oloproof.records.evidence import RECORDING, CaseEvidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.execution.performing import Request
    from oloproof.execution.running import Execution, Recorded
    from oloproof.recording.events import Event, Origin


class WatchedSession(RecordingSession):
    """Records a case with its state at every call; `noticed` is what should not have been.

    Of two states that are compared, `counted` gives what counts.
    """

    def __init__(
        self,
        origin: Origin,
        *,
        snapshot: Callable[[], bytes] | None,
        on_step: Callable[[dict[str, JsonValue]], None],
        counted: Callable[[JsonValue], JsonValue],
    ) -> None:
        super().__init__(origin, targets="all", snapshot=snapshot, on_step=on_step)
        self.noticed: list[dict[str, JsonValue]] = []
        self._snapshot = snapshot
        self._counted = counted
        self._busy: set[int] = set()
        self._alone: int | None = None
        self._seen: bytes | None = None

    def prepared(self) -> None:
        """Look at the sandbox before anything is called."""
        super().prepared()
        self._seen = self._look()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._busy:
            self._compare("effect_not_declared", {})
        super().__exit__(kind, error, trace)

    def states(self) -> Iterator[tuple[dict[str, JsonValue], bytes]]:
        """Each state that was kept, with the call before which it was."""
        kept = self.close().states
        for event in self.events:
            if event.checkpoint in kept:
                yield self._place(event), kept.pop(event.checkpoint)

    def _begun(self, event: Event) -> None:
        super()._begun(event)
        if event.kind != "tool":
            return
        if not self._busy:
            self._compare("effect_not_declared", self._place(event))
        self._alone = None if self._busy else event.index
        self._busy.add(event.index)

    def _ended(self, event: Event) -> None:
        super()._ended(event)
        if event.kind != "tool":
            return
        self._busy.discard(event.index)
        if self._busy:
            return
        if event.reads and self._alone == event.index:
            self._compare("reading_tool_writes", self._place(event))
        else:
            self._seen = self._look()

    def _compare(self, what: str, place: dict[str, JsonValue]) -> None:
        """Notice what changed the sandbox since it was last looked at."""
        was, now = self._seen, self._look()
        self._seen = now
        if was is None or now is None or was == now:
            return
        change = first_change(self._counted(decode(was)), self._counted(decode(now)))
        if change is not None:
            self.noticed.append({"what": what, **place, **change})

    def _look(self) -> bytes | None:
        """The sandbox as it is; None where it cannot be had at once, which is no finding."""
        if self._snapshot is None:
            return None
        try:
            with undisturbed():
                return self._snapshot()
        except Exception:
            return None

    def _place(self, event: Event) -> dict[str, Any]:
        """A call by its tool and the occurrence of it."""
        counter = CallCounter()
        numbers = [counter.number(e.kind, e.name) for e in self.events[: event.index + 1]]
        return {"tool": event.name, "occurrence": numbers[-1]}


WATCHED: Final = "watched"
"""The section with what was noticed; no evidence that is stored has it."""


def record_watched(
    execution: Execution,
    request: Request,
    on_step: Callable[[bytes], None],
    bookkeeping: Bookkeeping,
) -> Recorded:
    """The evidence of a case, with a section `watched` of what was noticed of its sandbox.

    What the sandbox writes down by itself is nothing that is noticed.
    """
    usual = execution.recorder
    watching = _WatchingRecorder(
        lambda: execution.system,
        execution.redaction,
        execution.worlds,
        on_step,
        sys.modules.__contains__,
        lambda: usual.is_asked_for,
    )
    watching.bookkeeping = bookkeeping
    execution.recorder = watching
    try:
        recorded = execution.run(request)
    finally:
        execution.recorder = usual
    evidence: Any = decode(recorded.evidence_json)
    session = watching.session if RECORDING in evidence else None
    noticed = [] if session is None else list(session.noticed)
    if execution.system.stateful and request.state_json is not None:
        states = [({}, request.state_json), *(() if session is None else session.states())]
        for place, state in states:
            noticed += _not_put_back(execution, request, state, place, bookkeeping)
    clean = execution.redaction.of_value
    evidence[WATCHED] = [clean(one) for one in noticed]
    return recorded._replace(evidence_json=encode(evidence))


def first_change(was: JsonValue, now: JsonValue) -> dict[str, Any] | None:
    """The first place at which two states differ, with what is there; None where they are equal.

    A side is a list with the value, or an empty one where there is nothing.
    """
    for change in difference(was, now):
        path = from_pointer(change["path"], was)
        sides = {"was": path.get(was), "is": path.get(now)}
        return {"path": str(path)} | {
            name: [] if isinstance(value, Absent) else [value] for name, value in sides.items()
        }
    return None


class _WatchingRecorder(Recorder):
    """Records like the usual one, and keeps the session that was watched last."""

    session: WatchedSession | None = None
    bookkeeping: Bookkeeping = NO_BOOKKEEPING

    def open(self, request: Request, targets: object) -> Any:  # noqa: ARG002  # all of them are
        """The session in which a case is recorded; None for a system that declares nothing."""
        if not self.is_asked_for:
            return None
        from oloproof.recording.events import Origin
        from oloproof.worker.watching import WatchedSession

        self.session = WatchedSession(
            Origin(request.id, request.replicate),
            snapshot=self.snapshot if self._system().stateful else None,
            on_step=self.tell_step,
            counted=self.bookkeeping.without,
        )
        return self.session


def _not_put_back(
    execution: Execution,
    request: Request,
    state: bytes,
    place: dict[str, JsonValue],
    bookkeeping: Bookkeeping,
) -> list[dict[str, JsonValue]]:
    """How `snapshot` differs from a state just after `reset` with it, if it does."""
    performance = execution.perform(
        request._replace(state_json=state), OutputReading(execution), [Act(_rest, (), b"null")]
    )
    if performance.world_problem is not None:
        return [{"what": "reset_failed", "problem": performance.world_problem, **place}]
    expected = execution.worlds.initial(state)
    seen = CaseEvidence.from_json(decode(encode(performance.sections())), expected).state
    assert not isinstance(seen, Absent), "a stateful system without a problem has a state"
    change = first_change(bookkeeping.without(expected), bookkeeping.without(seen))
    return [] if change is None else [{"what": "reset_not_faithful", **place, **change}]


def _rest() -> None:
    """A call of the system that does nothing."""
