"""The session of a case whose sandbox is looked at whenever no tool is at work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode
from oloproof.recording.lanes import undisturbed
from oloproof.recording.recording import RecordingSession
from oloproof.records.calls import CallCounter
from oloproof.worker.watching import first_change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.canonical import JsonValue
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
