"""The system of the large sandbox: it changes the status of one order in a shop."""

from __future__ import annotations

from typing import Any


class Shop:
    """Refunds the order it is told to."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def reset(self, state: dict[str, Any]) -> None:
        """Take the state over."""
        self.state = state

    def snapshot(self) -> dict[str, Any]:
        """The state as it is."""
        return self.state

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Refund one order."""
        self.state["orders"][request["order"]]["status"] = "refunded"
        return {"answer": "refunded"}


system = Shop()
