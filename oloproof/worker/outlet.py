"""The worker's end of the pipe to its parent, and what is said on it.

The pipe is kept whole whatever the user's system does: its threads may report at the same time,
its forks inherit the pipe, and it may close descriptors that are not its own or open others
under their numbers.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode
from oloproof.errors import OloproofError
from oloproof.pool.framing import BROKEN_EXIT, MARK, pack, write_all
from oloproof.recording.leftover_threads import OURS
from oloproof.records.evidence import ACTIVE_STATE, ENVIRONMENT_STATE, REPLIES, TRAJECTORY
from oloproof.store.descriptors import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.pool.shared import Aside

READY: Final = b"R"
"""Once, after the system was loaded; header: what it can do, and which modules it loaded."""

REFUSED: Final = b"X"
"""Instead of READY; header: what, where and fix of the error."""

UNIT: Final = b"U"
"""A unit ran; header: the unit and its timings; body: its evidence. The last one of a job, with
no replay behind it, comes with the end of the job instead."""

REPLAY: Final = b"P"
"""A replay ran; header: the unit, the site, the change; body: its evidence."""

LATE_CALL: Final = b"L"
"""A tool was called when its case had ended, and its evidence was sent; header: which tool, the
job and the unit, and of a replay its change and the recording. It may come during other jobs,
and when the worker leaves."""

CRASHED: Final = b"C"
"""An error of this program's own; header: its traceback. No case is to blame for it."""


def said_sections(said: bytes) -> dict[str, Any]:
    """The sections of what was said on the way, as far as a case got.

    Its trajectory is one that was reported, else the steps so far. Of each turn that had ended
    there are the reply and the states.
    """
    reported, *lines = said.split(b"\n")
    steps: dict[int, Any] = {}
    sections: dict[str, Any] = {}
    for line in lines:
        told: Any = decode(line)
        if "index" in told:
            steps[told["index"]] = told
            continue
        for name in (REPLIES, ENVIRONMENT_STATE, ACTIVE_STATE):
            if name in told:
                sections.setdefault(name, []).append(told[name])
    if reported:
        sections[TRAJECTORY] = decode(reported)
    elif steps:
        sections[TRAJECTORY] = {"steps": [steps[index] for index in sorted(steps)]}
    return sections


QUIET_S: Final = 0.25
"""After a shorter silence the parent's clock need not be started again for the next call."""


class Outlet:
    """Sends frames on `replies`; `jobs` is the other pipe, watched over as well."""

    def __init__(self, jobs: int, replies: int) -> None:
        self._replies = replies
        self._pipes = tuple((pipe, identity(pipe)) for pipe in (jobs, replies))
        self._lock = threading.Lock()
        self.forked = False
        self._shared = False
        os.register_at_fork(after_in_child=self._leave_to_parent)

    def send(self, kind: bytes, header: Any, body: bytes = b"", *, slot: int = 0) -> None:
        """Send a frame."""
        self.refuse_forks()
        frame = pack(kind, header, body, slot)
        with self._lock:
            self._refuse_broken_pipes()
            try:
                write_all(self._replies, frame)
            except BrokenPipeError:
                os._exit(0)  # the parent is gone; nobody is left to tell

    def refuse_forks(self) -> None:
        """Raise in a fork of the worker: it has no part in the run."""
        if self.forked:
            raise OloproofError(
                "a fork of the worker spoke to the run",
                fix="report from the process that was called; end a fork where its work ends",
            )

    def _refuse_broken_pipes(self) -> None:
        """End the process rather than write into what is no longer the parent's pipe."""
        for pipe, opened in self._pipes:
            if identity(pipe) != opened:
                with contextlib.suppress(OSError):
                    os.write(2, b"oloproof: the system closed a descriptor of its worker\n")
                os._exit(BROKEN_EXIT)

    @contextlib.contextmanager
    def shared_with_fork(self) -> Iterator[None]:
        """A fork that is made in this block speaks to the run in place of this process."""
        self._shared = True
        try:
            yield
        finally:
            self._shared = False

    def _leave_to_parent(self) -> None:
        if self._shared:
            return
        self.forked = True
        for pipe, opened in self._pipes:
            if identity(pipe) == opened:
                os.close(pipe)  # so that the parent sees when the worker itself ends


class SlotOutlet:
    """What one slot says to the parent, who has a clock for each; on the way, by `aside`."""

    def __init__(self, outlet: Outlet, slot: int, aside: Aside) -> None:
        self.aside = aside
        self._outlet = outlet
        self._slot = slot
        self._heard = time.monotonic()
        self._turns: list[bytes] = []
        self.refuse_forks = outlet.refuse_forks

    def send(self, kind: bytes, header: Any, body: bytes = b"") -> None:
        """Send a frame."""
        self._outlet.send(kind, header, body, slot=self._slot)
        self._heard = time.monotonic()

    def begin(self, unit: int) -> None:
        """Say something of a unit from now on, or of another attempt at it."""
        self._turns.clear()
        self.aside.begin(unit)

    def say(self, data: bytes) -> None:
        """Say this of the unit at work, instead of everything said of it but how turns ended."""
        self.refuse_forks()
        self.aside.replace(data + b"".join(self._turns))

    def end_turn(self, data: bytes) -> None:
        """Say how a turn ended."""
        self._turns.append(b"\n" + data)
        self.add(data)

    def add(self, data: bytes) -> None:
        """Say one more line of the unit at work."""
        self.refuse_forks()
        self.aside.append(b"\n" + data)

    def give_sign(self) -> None:
        """Let the parent's clock start again where it has run for a while."""
        if time.monotonic() - self._heard > QUIET_S:
            self.send(MARK, 0.0)


def end_with_parent(parent: int, end: Callable[[], None]) -> None:
    """Call `end` in a thread of its own, whatever the process is busy with, once `parent` died."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        end()

    threading.Thread(target=watch, name=f"{OURS}parent-watch", daemon=True).start()
