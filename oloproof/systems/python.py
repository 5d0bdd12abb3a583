"""A system that is a Python object of the user's: found by name, told apart, called.

A class makes one instance a sandbox; a callable without required parameters is a factory,
called once a sandbox; anything else callable is the system itself. `kind` overrides.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from oloproof.contract import Conversational, Replayable, Stateful
from oloproof.systems.lifetime import waits

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.records.trajectory import AgentCheckpoint, AgentTrajectory, ReplayChange
    from oloproof.systems.lifetime import Lifetime

    Clean = Callable[[str], str]

Kind = Literal["instance", "class", "factory", "function"]


class PythonSystem(NamedTuple):
    """A user's system, ready to be called. Its methods may be sync or async.

    `target` is what is called; `owner` the object that owns the sandbox: for a bound method
    the object it is bound to. `another` makes one more with a sandbox of its own; None where
    that cannot be, or where it would not help: a system that is not async does not let go.
    One with a `lifetime` is entered before all cases; `opened` gives the system that it is then,
    of what entering gave or raised.
    """

    target: Any
    owner: Any
    stateful: bool
    replayable: bool
    conversational: bool
    another: Callable[[], PythonSystem] | None = None
    lifetime: Lifetime | None = None
    opened: Callable[[Any, BaseException | None], PythonSystem] | None = None

    @classmethod
    def of(cls, target: Any, make: Callable[[], Any] | None = None) -> PythonSystem:
        """The system that a target belongs to, with what it can do.

        `make` makes another target, where a class or a factory made this one.
        """
        owner = _owner(target)
        conversational = isinstance(owner, Conversational)
        called = owner.turn if conversational else target
        return cls(
            target,
            owner,
            stateful=isinstance(owner, Stateful),
            replayable=isinstance(owner, Replayable),
            conversational=conversational,
            another=(lambda: cls.of(make(), make))
            if make and (_is_async(called) or waits(target))
            else None,
        )

    def reset(self, state: JsonValue) -> Any:
        """Have the sandbox put into `state`; an awaitable where the system's method is async."""
        return self.owner.reset(state)

    def turn(self, message: str) -> Any:
        """The reply to the user's next message, or an awaitable of it."""
        return self.owner.turn(message)

    def snapshot(self) -> Any:
        """The sandbox as the system gives it, or an awaitable of that."""
        return self.owner.snapshot()

    def replay(
        self, trajectory: AgentTrajectory, *, checkpoint: AgentCheckpoint, change: ReplayChange
    ) -> Any:
        """The continuation as the system gives it, or an awaitable of that."""
        return self.owner.replay(trajectory, checkpoint=checkpoint, change=change)

    @property
    def single_call(self) -> bool:
        """Whether it can be called with an input; a system that is talked with need not be."""
        return callable(self.target) and (not self.conversational or takes_input(self.target))

    @property
    def active_state(self) -> Callable[[], Any] | None:
        """The reader of the agent's own working state, where it has one."""
        reader = getattr(self.owner, "active_state", None)
        return reader if callable(reader) else None


def tell_kind(found: Any) -> Kind:
    """What an object is: a class, a factory, a function or an instance."""
    if inspect.isclass(found):
        return "class"
    routine = inspect.isroutine(found) or isinstance(found, functools.partial)
    if not routine:
        return "factory" if _takes_nothing(found) else "instance"
    if inspect.iscoroutinefunction(found):
        return "function"
    signature = signature_of(found)
    return "function" if signature is None or _needs_or_gathers(signature) else "factory"


def _needs_or_gathers(signature: inspect.Signature) -> bool:
    """Whether it has a required parameter, or takes any number of them."""
    parameters = signature.parameters.values()
    return any(
        p.kind is p.VAR_POSITIONAL or (p.default is p.empty and p.kind is not p.VAR_KEYWORD)
        for p in parameters
    )


def _takes_nothing(found: Any) -> bool:
    """Whether it is an object that can be called, but not with an input."""
    return (
        callable(found)
        and not isinstance(found, Stateful | Conversational)
        and not (takes_input(found))
    )


def takes_input(found: Any) -> bool:
    """Whether it can be called with one argument; where that cannot be told, it may be."""
    # A decorator may add arguments of its own: what it takes counts, not what it wraps.
    signature = signature_of(found, follow_wrapped=False)
    if signature is None:
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _is_async(called: Any) -> bool:
    return any(map(inspect.iscoroutinefunction, (called, getattr(called, "__call__", None))))  # noqa: B004


def signature_of(found: Any, *, follow_wrapped: bool = True) -> inspect.Signature | None:
    """Its parameters, or None where they cannot be told."""
    try:
        return inspect.signature(found, follow_wrapped=follow_wrapped)
    except (TypeError, ValueError):
        return None  # some built-in callables tell nothing of theirs


def _owner(target: Any) -> Any:
    while isinstance(target, functools.partial):
        target = target.func
    return target.__self__ if inspect.ismethod(target) else target
