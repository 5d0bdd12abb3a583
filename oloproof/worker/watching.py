"""Records a case as the conformance check needs it: with all its states, and what moved them.

The state of the sandbox is looked at whenever no tool is at work. What changed it in between
was no declared tool; and whether `reset` can bring a state back is tried with each of them.
"""

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
from oloproof.records.evidence import RECORDING, CaseEvidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.execution.performing import Request
    from oloproof.execution.running import Execution, Recorded
    from oloproof.worker.watched import WatchedSession

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
        from oloproof.worker.watched import WatchedSession

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
