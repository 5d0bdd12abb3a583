"""Reads the sandbox and the agent's working state out, as they are after a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from oloproof.execution.performing import Values

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.execution.calling import Caller
    from oloproof.execution.performing import Performance
    from oloproof.execution.recorder import Recorder
    from oloproof.execution.worlds import Worlds
    from oloproof.recording.session import Session
    from oloproof.systems.python import PythonSystem


class Sandbox(Values, Protocol):
    """What is read, and how."""

    recorder: Recorder
    worlds: Worlds

    @property
    def system(self) -> PythonSystem:
        """The system, as it is once it was opened."""


class States:
    """Adds what is read to a case that is performed, or why it could not be."""

    def __init__(self, execution: Sandbox, caller: Caller) -> None:
        self._execution = execution
        self._caller = caller

    def read(
        self,
        performance: Performance,
        state_json: bytes | None,
        turn: int | None,
        session: Session | None,
    ) -> None:
        """Read the world and the agent's working state, as they are after a call."""
        read_active = self._execution.system.active_state
        if not self._execution.system.stateful and read_active is None:
            return
        if session is not None:
            session.read_at = session.clock
        with self._execution.recorder.undisturbed():
            if self._execution.system.stateful:
                self._read_world(performance, state_json, turn)
            if read_active is not None:
                self._read_active(performance, turn, read_active)

    def _read_world(
        self, performance: Performance, state_json: bytes | None, turn: int | None
    ) -> None:
        snapshot = self._caller.call("snapshot", self._execution.system.snapshot)
        if snapshot.outcome.status != "completed":
            performance.world_problem = f"snapshot() did not succeed: {snapshot.outcome.error}"
            return
        try:
            world = self._execution.worlds.store(snapshot.value, state_json)
        except BaseException as error:
            performance.world_problem = self._execution.not_json(error).error
        else:
            performance.worlds.append(world if turn is None else world | {"turn": turn})

    def _read_active(
        self, performance: Performance, turn: int | None, read: Callable[[], Any]
    ) -> None:
        called = self._caller.call("snapshot", read)
        if called.outcome.status != "completed":
            performance.active_problem = f"active_state() did not succeed: {called.outcome.error}"
            return
        if called.value is None:
            return  # the agent has no working state yet
        try:
            state = self._execution.plain(called.value, "active_state()")
        except BaseException as error:
            performance.active_problem = self._execution.not_json(error).error
        else:
            moment = {"state": state}
            performance.active.append(moment if turn is None else moment | {"turn": turn})
