"""The system of the benchmarks of workers: it computes or waits as long as it is told."""

from __future__ import annotations

import asyncio
import time
from typing import Any


class Slow:
    """Takes its time."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def reset(self, state: dict[str, Any]) -> None:
        """Take the state over."""
        self.state = state

    def snapshot(self) -> dict[str, Any]:
        """The state as it is."""
        return self.state

    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Compute and wait."""
        until = time.thread_time() + request["compute_ms"] / 1000
        while time.thread_time() < until:
            pass
        await asyncio.sleep(request["wait_ms"] / 1000)
        return {"answer": "done"}
