"""What a user's system provides, and what it can ask of the case it runs in."""

from __future__ import annotations

from contextvars import Context, ContextVar, Token
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from oloproof.canonical import decode
from oloproof.errors import OloproofError

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.records.trajectory import AgentCheckpoint, AgentTrajectory, ReplayChange


@runtime_checkable
class Stateful(Protocol):
    """A system over a sandbox of the user's that can be set to a state and read out again."""

    def reset(self, state: JsonValue) -> None:
        """Put the sandbox into `state`, a fresh copy that the system may keep and change."""

    def snapshot(self) -> JsonValue:
        """The sandbox as JSON; what it leaves out, no check can see."""


@runtime_checkable
class Replayable(Protocol):
    """A system that can go on from a place in one of its own trajectories."""

    async def replay(
        self, trajectory: AgentTrajectory, *, checkpoint: AgentCheckpoint, change: ReplayChange
    ) -> AgentTrajectory:
        """The continuation from `checkpoint` under `change`, its steps numbered from 1.

        The sandbox has been reset to the case's initial state and `current_case()` is set;
        the steps before `checkpoint.step_index` are the recorded prefix, whose effects the
        system puts back itself. The continuation begins with the call that is replayed.
        """


@runtime_checkable
class Conversational(Protocol):
    """A system that is talked with: one call a user message."""

    def turn(self, message: str) -> JsonValue:
        """The reply to the user's next message."""


class CurrentCase:
    """The case that the calling code runs in."""

    __slots__ = ("_input_json", "_report", "id", "replicate", "turn")

    def __init__(
        self,
        *,
        id: str,  # noqa: A002  # the field's name in the user's files
        input_json: bytes,
        replicate: int = 1,
        turn: int | None = None,
        report: Callable[[AgentTrajectory], None],
    ) -> None:
        self.id: Final = id
        self.replicate: Final = replicate
        self.turn = turn
        self._input_json = input_json
        self._report: Callable[[AgentTrajectory], None] | None = report

    def begin_turn(self, turn: int | None, input_json: bytes) -> None:
        """Go on to another turn; only the program itself calls this."""
        self.turn, self._input_json = turn, input_json

    @property
    def is_over(self) -> bool:
        """Whether it has ended, though code of it may still run."""
        return self._report is None

    @property
    def input(self) -> JsonValue:
        """A fresh copy of the case's input; in a conversation, of the present turn.

        In `reset`, when no turn has begun, it is that of the whole conversation.
        """
        return decode(self._input_json)

    def agent_trajectory(self, trajectory: AgentTrajectory) -> None:
        """Report what the agent did in this case; a later report replaces an earlier one.

        While a case is replayed a report is taken and not used: there the trajectory that
        `replay` returns counts. After the case's end it raises `OloproofError`.
        """
        if self._report is None:
            raise OloproofError(
                f"a trajectory was reported after the end of case `{self.id}`",
                fix="report it before the call returns; wait for the threads and tasks you start",
            )
        self._report(trajectory)


_CURRENT: ContextVar[CurrentCase | None] = ContextVar("oloproof_case", default=None)
_open: list[CurrentCase] = []


def current_case() -> CurrentCase:
    """The case that the calling code runs in, from its `reset` on.

    A thread that was started without the caller's context finds it too, as long as only
    one case is open in the process. Outside a case it raises `OloproofError`.
    """
    case = _CURRENT.get()
    if case is not None:
        return case
    if len(_open) == 1:
        return _open[0]
    raise OloproofError(
        "current_case() was called outside a case",
        fix="call it while the system is being called or replayed"
        + (", in a copy of the case's context (several cases are open)" if _open else ""),
    )


def case_in(context: Context | None = None) -> CurrentCase | None:
    """The case that a context (else the present one) was copied in; None outside of all."""
    return _CURRENT.get() if context is None else context.get(_CURRENT)


class open_case:  # noqa: N801  # used as a block, once a case: a generator would cost twice as much
    """Make `case` the current one while the block runs; what it reports later is refused."""

    __slots__ = ("_case", "_token")

    def __init__(self, case: CurrentCase) -> None:
        self._case = case

    def __enter__(self) -> None:
        self._token: Token[CurrentCase | None] = _CURRENT.set(self._case)
        _open.append(self._case)

    def __exit__(self, *_: object) -> None:
        _open.remove(self._case)
        _CURRENT.reset(self._token)
        self._case._report = None  # a thread or task that outlives its case must not speak for it
