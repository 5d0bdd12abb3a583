"""A notebook that keeps what it is told: the smallest system that Oloproof can judge.

Replace it with your agent, and the notes with a sandbox that your agent's tools act on.
"""

from __future__ import annotations

from typing import Any


class Notebook:
    """The system under test: a call, and a world that can be set and read."""

    def __init__(self) -> None:
        self.world: dict[str, Any] = {"notes": [], "archive": []}

    def reset(self, state: dict[str, Any]) -> None:
        """Put the world into `state`: a fresh copy of a case's `initial_state`."""
        self.world = state

    def snapshot(self) -> dict[str, Any]:
        """The world as it is now; what is left out here, no check can see."""
        return self.world

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Act on a case's `input`, and answer."""
        verb, _, text = request["message"].partition(" ")
        notes = self.world["notes"]
        if verb == "Remember" and text not in notes:
            notes.append(text)
            return {"answer": "noted"}
        if verb == "Forget" and text in notes:
            notes.remove(text)
            return {"answer": "forgotten"}
        return {"answer": "nothing to do"}


notebook = Notebook()
