"""What outlives a call: the system is opened before all cases of its sandbox, and closed after."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from oloproof.execution.calling import Called, Caller
    from oloproof.systems.python import PythonSystem


class Opening:
    """One system with its lifetime, if it has one; `outside` is a block around its calls."""

    def __init__(
        self,
        system: PythonSystem,
        caller: Caller,
        outside: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self.system = system
        """The system as it is now: what entering gave, once it is open."""
        self._closed = system
        self._caller = caller
        self._outside = outside
        self._is_open = False
        self._lost_before = 0

    def open(self) -> None:
        """Open the system; `ConfigurationError` where that fails."""
        called = self._enter()
        if called is not None and self._closed.opened is not None:
            self.system = self._closed.opened(called.value, called.error)
            self._is_open = True

    def open_again(self) -> Called | None:
        """Open it once more where its event loop is gone; how that failed, if it did."""
        if not self._is_open or self._caller.lost_loops == self._lost_before:
            return None
        called = self._enter()
        assert called is not None, "it was open"
        if called.error is not None:
            return called
        assert self._closed.opened is not None, "it was open"
        self.system = self._closed.opened(called.value, None)
        return None

    def close(self) -> BaseException | None:
        """Close what is open; what that raised."""
        if not self._is_open or self._closed.lifetime is None:
            return None
        self._is_open = False
        with self._outside():
            return self._caller.keep(self._closed.lifetime.leave).error

    def _enter(self) -> Called | None:
        if self._closed.lifetime is None:
            return None
        self._lost_before = self._caller.lost_loops
        with self._outside():
            return self._caller.keep(self._closed.lifetime.enter)
