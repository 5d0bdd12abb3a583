"""How a system is opened once a sandbox, and closed with it, where it has a way to be.

It may be a context manager, async or not, or have `open` and `close`. What only gives the system
when it is entered, such as a function under `@asynccontextmanager`, is one too.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import AsyncContextDecorator, ContextDecorator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.contract import Conversational

if TYPE_CHECKING:
    from collections.abc import Callable

DECLARED: Final = "__oloproof_kind__"
"""The mark of a declared tool or model: one called `open` is no way to open a system."""

_MANAGERS: Final = (("__aenter__", "__aexit__"), ("__enter__", "__exit__"))


class Lifetime(NamedTuple):
    """The calls that begin and end it; each may give an awaitable."""

    enter: Callable[[], Any]
    leave: Callable[[], Any]


def lifetime_of(owner: Any) -> Lifetime | None:
    """How an object is opened and closed, None where it simply is there."""
    for enter, leave in _MANAGERS:
        if hasattr(type(owner), enter) and hasattr(type(owner), leave):
            ending = functools.partial(getattr(owner, leave), None, None, None)
            return Lifetime(getattr(owner, enter), ending)
    opening, closing = (getattr(owner, name, None) for name in ("open", "close"))
    if opening is not None and closing is not None and _opens(opening) and _opens(closing):
        return Lifetime(opening, closing)
    return None


def only_gives(found: Any) -> bool:
    """Whether it is no system itself, but gives one when it is entered."""
    if not any(hasattr(type(found), enter) for enter, _ in _MANAGERS):
        return False
    # What `@contextmanager` makes can be called: it is a decorator, too.
    decorates = isinstance(found, ContextDecorator | AsyncContextDecorator)
    is_system = callable(found) or isinstance(found, Conversational)
    return not is_system or (decorates and not isinstance(found, Conversational))


def waits(found: Any) -> bool:
    """Whether it is entered in an event loop."""
    return hasattr(type(found), "__aenter__")


def _opens(found: Any) -> bool:
    if not callable(found) or getattr(found, DECLARED, None) is not None:
        return False
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return False
    return True
