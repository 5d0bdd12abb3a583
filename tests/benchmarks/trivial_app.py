"""The trivial stateful system of the benchmarks: one counter."""

from __future__ import annotations

from typing import Any


class Counter:
    """Adds what it is asked to add."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def reset(self, state: dict[str, Any]) -> None:
        """Take the state over."""
        self.state = state

    def snapshot(self) -> dict[str, Any]:
        """The state as it is."""
        return self.state

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Add, and say the sum."""
        self.state["count"] += request["add"]
        return {"answer": self.state["count"]}


system = Counter()
