"""What takes part in each call of a session, where it is no plain recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from oloproof.recording.calling import Runs
    from oloproof.recording.events import Event


class Direction(Protocol):
    """What a replay does at each call."""

    def before(self, event: Event) -> None:
        """Wait until a call may begin, in a thread."""

    async def before_async(self, event: Event) -> None:
        """Wait until a call may begin, in a task."""

    def until_end(self, event: Event) -> None:
        """Wait until a call may come back, in a thread."""

    async def until_end_async(self, event: Event) -> None:
        """Wait until a call may come back, in a task."""

    def wait_for_ever(self) -> NoReturn:
        """Wait in a thread until the session is over."""

    async def wait_for_ever_async(self) -> NoReturn:
        """Wait in a task until it is cancelled or the session is over."""

    def serve(self, event: Event) -> Any:
        """What the recording has for a call: the value, or its exception raised."""

    def runs(self, event: Event) -> int:
        """How often a struck function runs."""

    def deliver(self, event: Event, runs: Runs) -> Any:
        """What the agent sees of a fault, given what the tool's runs returned or raised."""
