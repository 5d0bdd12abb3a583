"""Where calling code stands: in which session, task or thread, and inside which call.

A context variable holds the position. A task or thread that was started with a copy of the
context finds the position of its starter there, at the moment it was started: that is how
the program's own order is known without asking anybody to declare it.
"""

from __future__ import annotations

import asyncio
import re
import threading
from asyncio import _get_running_loop  # the public one raises where no loop runs: too slow
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from oloproof.errors import OloproofError
from oloproof.recording.leftover_threads import OURS, case_of_leftover_thread, is_leftover_thread
from oloproof.recording.positions import Home, Position, Scope, identity

if TYPE_CHECKING:
    from oloproof.recording.events import Event
    from oloproof.recording.positions import OpenCase

_UNNAMED_TASK: Final = re.compile(r"Task-\d+")


AT: Final[ContextVar[Position | None]] = ContextVar("oloproof_position", default=None)
OPEN: Final[list[OpenCase]] = []
"""The sessions open in this process."""


class at_home:  # noqa: N801  # used as a block
    """What is begun in this block and calls a tool later does so for the case open at home."""

    __slots__ = ("_home", "_token")

    def __init__(self, home: Home) -> None:
        self._home = home

    def __enter__(self) -> None:
        self._token = AT.set(_outside(self._home))

    def __exit__(self, *_: object) -> None:
        AT.reset(self._token)


class undisturbed:  # noqa: N801  # used as a block
    """What tools do inside this block is ours, and no effect of the agent.

    What is drawn inside is the same in every such block of a `session` (else the one that is
    open here). A task or thread that is left running belongs to the case afterwards.
    """

    __slots__ = ("_session", "_token", "over")

    def __init__(self, session: OpenCase | None = None) -> None:
        self._session = session
        self.over = False

    def __enter__(self) -> None:
        at = AT.get()
        session = self._session or (None if at is None else at.session)
        scope = Scope("" if session is None else identity(session.root.key, "ours"))
        self._token = AT.set(Position(session, owner(), scope, block=self))

    def __exit__(self, *_: object) -> None:
        self.over = True
        AT.reset(self._token)


def owner() -> int:
    """What runs the calling code: a task where there is one, else the thread.

    The task in which the calls of the system are made stands for its thread.
    """
    loop = _get_running_loop()
    task = None if loop is None else asyncio.current_task(loop)
    ours = task is None or task.get_name().startswith(OURS)
    return threading.get_ident() if ours else id(task)


def find(what: str) -> Position | None:
    """Where the calling code stands, None where no case is open.

    A task or thread that is met for the first time begins a lane of its own, told apart from
    its siblings by `what` it does first. Raises `OloproofError` for code that no session, or
    more than one, could be meant by.
    """
    at = AT.get()
    if at is None:
        return _adopt(what)
    session = at.session
    if at.home is not None and session is None:
        return _at_home(at.home, what)
    if session is None or at.is_ours:
        return at
    if not session.is_open:
        raise _late(session, what)
    mine = owner()
    if mine == at.owner and at.block is None:
        return at
    lane = session.fork(at.scope, f"{_task_name()}{what}")
    at = Position(session, mine, lane, parent=at.parent, last=at.last)
    AT.set(at)
    return at


def innermost() -> tuple[OpenCase, Event | None] | None:
    """The session of the calling code and the call it is in; None outside of every session."""
    at = AT.get()
    if at is not None:
        session = at.session if at.home is None else at.home.session
        session = None if at.is_ours else session
        return (session, at.parent) if session is not None and session.is_open else None
    return (OPEN[0], None) if len(OPEN) == 1 else None


def enter(event: Event, at: Position) -> None:
    """Stand inside a call that begins."""
    inside = Scope(event.identity)
    AT.set(Position(at.session, at.owner, inside, parent=event, last=event.index))


def leave(event: Event, at: Position) -> None:
    """Stand behind a call that was made from `at`."""
    AT.set(behind(event, at))


def behind(event: Event, at: Position) -> Position | None:
    """The position after a call made from `at`; that of adopted code is what it was."""
    if at.adopted:
        return None if at.home is None else _outside(at.home)
    return Position(at.session, at.owner, at.scope, parent=at.parent, last=event.index)


def _outside(home: Home) -> Position:
    """The position of code that was begun outside of every case, at a sandbox."""
    return Position(None, 0, Scope(""), home=home)


def _at_home(home: Home, what: str) -> Position | None:
    session = home.session
    if session is None or session.preparing or not session.is_open:
        return None
    lane = session.fork(session.root, f"home\0{what}")
    return Position(session, owner(), lane, adopted=True, home=home)


def is_idle() -> bool:
    """Whether nothing that is called now could belong to a case, be it one that has ended."""
    return not OPEN and AT.get() is None and not is_leftover_thread()


def _adopt(what: str) -> Position | None:
    ended = case_of_leftover_thread()
    if ended is not None:
        raise _late(ended, what)
    sessions = list(OPEN)
    if not sessions:
        return None
    if len(sessions) > 1:
        # It must not fail the agent; whose call it is shows where each case is run alone.
        for session in sessions:
            session.is_unclear = True
            session.outside(what.split("\0")[1])
        return None
    session = sessions[0]
    if session.preparing:
        return None  # a thread that `reset` waits for
    if is_leftover_thread():
        session.outside(what.split("\0")[1])
        raise _refused(what, "by a thread that was at work when an earlier case ended")
    session.note_adopted()
    lane = session.fork(session.root, f"adopted\0{what}")
    return Position(session, owner(), lane, adopted=True)


def _late(session: OpenCase, what: str) -> OloproofError:
    """The error for code of a case that has ended; of a tool the case is told."""
    kind, name, *_ = what.split("\0")
    if kind == "tool":
        session.late.note(name)
    return _refused(what, "after the end of its case")


def _refused(what: str, why: str) -> OloproofError:
    return OloproofError(
        f"`{what.split(chr(0))[1]}` was called {why}",
        fix="start threads in a copy of the case's context "
        "(`contextvars.copy_context().run`, `asyncio.to_thread`), and wait for them",
    )


def _task_name() -> str:
    """The name that a user gave the current task, else nothing: numbers differ from run to run."""
    loop = _get_running_loop()
    task = None if loop is None else asyncio.current_task(loop)
    name = "" if task is None else task.get_name()
    return "" if _UNNAMED_TASK.fullmatch(name) else f"{name}\0"
