"""Whole runs of agents whose awaited calls come in another order when they are replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

APP = """
import asyncio
import threading
from collections import Counter

import oloproof

SEEN = Counter()


class Desk:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    @oloproof.tool
    def put_a(self):
        self.state["a"] = True

    @oloproof.tool
    def put_b(self):
        self.state["b"] = True

    @oloproof.tool
    def finish(self):
        self.state["done"] = True

    def order(self, request):
        # In another order from the second time on, where the request says so.
        SEEN[request["name"]] += 1
        tools = [self.put_a, self.put_b]
        return tools[::-1] if request["turns"] and SEEN[request["name"]] > 1 else tools


class Waits(Desk):
    async def __call__(self, request):
        for tool in self.order(request):
            await asyncio.to_thread(tool)
        self.finish()
        return {"answer": "done"}


class Joins(Desk):
    def __call__(self, request):
        for tool in self.order(request):
            thread = threading.Thread(target=tool)
            thread.start()
            thread.join()
        self.finish()
        return {"answer": "done"}
"""


def case(number: int, *, turns: bool) -> dict[str, Any]:
    name = f"{'turned' if turns else 'kept'}-{number}"
    return {
        "id": name,
        "input": {"name": name, "turns": turns},
        "initial_state": {},
        "expected": {"state": {"a": True, "b": True, "done": True}},
    }


@pytest.mark.parametrize(
    ("system", "concurrency"), [("Waits", 1), ("Waits", 4), ("Joins", 1), ("Joins", 2)]
)
def test_another_order_is_missing_for_every_fault(
    tiny: TinyProject, system: str, concurrency: int
) -> None:
    """No fault counts for the agent that turned its calls round; for the other each is tried."""
    tiny.write(
        app=APP,
        cases=[case(n, turns=turns) for turns in (False, True) for n in range(2)],
        system={"callable": f"app:{system}"},
        evaluators=[{"type": "fault_recovery", "tool": "finish", "fault": ["error", "slow"]}],
        concurrency={"system": concurrency},
    )
    tiny.run()
    found = {
        name: {(verdict.status, verdict.reason) for verdict in tiny.panel(name).verdicts}
        for name in ("kept-0", "kept-1", "turned-0", "turned-1")
    }
    assert {("missing", "reordered")} == found["turned-0"] == found["turned-1"]
    for name in ("kept-0", "kept-1"):
        assert "missing" not in {status for status, _ in found[name]}, found
