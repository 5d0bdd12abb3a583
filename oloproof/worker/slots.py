"""The sandboxes of one worker: one, or several for a system that mostly waits.

An async system that is made by a class or a factory is made as often as the worker may do
jobs at once. Each has a thread, an event loop, a recording and a clock of its own.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from oloproof.errors import OloproofError
from oloproof.execution.redaction import Redaction
from oloproof.pool.framing import SLOTS
from oloproof.pool.shared import Aside
from oloproof.recording.leftover_threads import OURS
from oloproof.systems.loading import load_system
from oloproof.worker.dispatch import Dispatch
from oloproof.worker.outlet import CRASHED, Outlet, SlotOutlet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oloproof.pool.framing import Frame
    from oloproof.systems.python import PythonSystem


class Slots:
    """The system, made once for each of `asides` at most, and the jobs that each takes in turn."""

    def __init__(self, opening: Any, outlet: Outlet, asides: Sequence[int]) -> None:
        redaction = Redaction(opening["redact"])
        self._outlet = outlet
        memories = [Aside(descriptor) for descriptor in asides]
        before = len(sys.modules)
        systems = _systems(opening, redaction, len(memories))
        imported = len(sys.modules) - before
        self._dispatches = [
            Dispatch(system, opening, redaction, SlotOutlet(outlet, slot, aside), slot)
            for slot, (system, aside) in enumerate(zip(systems, memories, strict=False))
        ]
        self._queues: list[SimpleQueue[Frame | None]] = []
        self._answers: SimpleQueue[OloproofError | None] = SimpleQueue()
        if len(systems) > 1:
            self._start_threads()
            outlet.send(SLOTS, len(systems))
        else:
            self._dispatches[0].open()
        self._dispatches[0].ready(len(systems), imported)

    def job(self, frame: Frame) -> None:
        """Run a job on its slot: here where there is one only, else in the slot's thread."""
        if self._queues:
            self._queues[frame.slot].put(frame)
        else:
            self._dispatches[0].job(frame)

    def close(self) -> None:
        """Close the systems; no job is at work."""
        if not self._queues:
            self._dispatches[0].close()
        for queue in self._queues:
            queue.put(None)
        for _ in self._queues:
            self._answers.get()

    def _start_threads(self) -> None:
        """Open each system in a thread of its own, in which its jobs run then."""
        for slot, dispatch in enumerate(self._dispatches):
            self._queues.append(SimpleQueue())
            serve = (dispatch, self._queues[slot])
            name = f"{OURS}slot-{slot}"
            threading.Thread(target=self._serve, args=serve, name=name, daemon=True).start()
        answers = [self._answers.get() for _ in self._dispatches]
        for error in filter(None, answers):
            raise error

    def _serve(self, dispatch: Dispatch, queue: SimpleQueue[Frame | None]) -> None:
        try:
            try:
                dispatch.open()
            except OloproofError as error:
                self._answers.put(error)
                return
            self._answers.put(None)
            while (frame := queue.get()) is not None:
                dispatch.job(frame)
            dispatch.close()
            self._answers.put(None)
        except BaseException as error:
            tell_crash(error, self._outlet)
            traceback.print_exc()
            os._exit(1)


def tell_crash(error: BaseException, outlet: Outlet) -> None:
    """Say that an error of this program's own ends the worker."""
    if outlet.forked:
        os._exit(0)  # a fork of the user's came out of its call; it has no part in the run
    if isinstance(error, Exception) and not isinstance(error, MemoryError):
        # Nothing that a user's system does leaves `execution`: this is an error of ours.
        outlet.send(CRASHED, {"traceback": traceback.format_exc()})


def _systems(opening: Any, redaction: Redaction, most: int) -> list[PythonSystem]:
    """The system, and as many more of its kind as may wait side by side."""
    root = Path(opening["root"])
    first = load_system(opening["callable"], root, opening["kind"], clean=redaction.of_text)
    if first.another is None:
        return [first]
    systems = [first, *(first.another() for _ in range(most - 1))]
    # A factory may give the same object every time: then there is one sandbox only.
    return systems if len({id(system.owner) for system in systems}) == most else [first]


def refusal(error: OloproofError, opening: Any) -> dict[str, str | None]:
    """What a refused system's parent is told; no secret that an error may hold leaves with it."""
    try:
        clean: Callable[[str], str] = Redaction(opening["redact"]).of_text
    except OloproofError:
        clean = str  # the error is that the rules cannot be read
    texts = {"what": error.what, "where": error.where, "fix": error.fix}
    return {name: text and clean(text) for name, text in texts.items()}
