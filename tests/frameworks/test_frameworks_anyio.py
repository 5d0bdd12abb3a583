"""Scopes and task groups of anyio that span the calls of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oloproof.canonical import decode, encode_in_order
from oloproof.execution.performing import Request
from tests.execution.systems import execution

if TYPE_CHECKING:
    from oloproof.execution.running import Execution

anyio = pytest.importorskip("anyio")


class Desk:
    """Writes down what it is told; how it enters its scope, and leaves it, is what differs."""

    scope: Any = None

    async def reset(self, state: Any) -> None:
        await self.leave()
        self.world = state
        await self.enter()

    async def enter(self) -> None:
        self.scope = anyio.CancelScope()
        self.scope.__enter__()

    async def leave(self) -> None:
        """Nothing: it only forgets the one before."""

    async def snapshot(self) -> Any:
        await anyio.sleep(0)
        return self.world

    async def turn(self, message: str) -> str:
        if message == "stop":
            self.scope.cancel()
        elif message == "slow":
            await anyio.sleep(0.15)
        await anyio.lowlevel.checkpoint()
        self.world["told"].append(message)
        return "Noted."


class Leaving(Desk):
    async def leave(self) -> None:
        if self.scope is not None:
            self.scope.__exit__(None, None, None)


class Hurried(Desk):
    async def enter(self) -> None:
        self.scope = anyio.move_on_after(0.1)
        self.scope.__enter__()


class Grouped(Desk):
    group: Any = None

    async def enter(self) -> None:
        self.group = anyio.create_task_group()
        await self.group.__aenter__()
        self.scope = self.group.cancel_scope
        self.group.start_soon(self.work)

    async def work(self) -> None:
        mine = self.world
        while True:
            await anyio.sleep(0.001)
            mine["beats"] = mine.get("beats", 0) + 1
            assert mine is self.world, "it touches another case"


class LeavingGrouped(Grouped):
    async def leave(self) -> None:
        if self.group is not None:
            await self.group.__aexit__(None, None, None)


def talk(running: Execution, *messages: str) -> tuple[str, Any]:
    """How a conversation ended, and what was written down."""
    turns = {"turns": [{"user": message} for message in messages]}
    state = encode_in_order({"told": []})
    made = running.run(Request("c", encode_in_order(turns), state, talks=True))
    found: Any = decode(made.evidence_json)
    [*_, last] = found["environment_state/v1"]
    return found["outcome"]["status"], last["state"]["told"]


@pytest.mark.parametrize("kind", [Desk, Leaving, Grouped, LeavingGrouped])
def test_a_scope_that_spans_a_case_ends_that_case_alone(kind: type[Desk]) -> None:
    """Who cancels it is cancelled; the state is read all the same, and the next case is its own."""
    running = execution(kind())
    for _ in range(2):
        assert ("completed", ["a", "slow"]) == talk(running, "a", "slow")
        assert ("raised", ["a"]) == talk(running, "a", "stop", "b")
        assert ("completed", ["c"]) == talk(running, "c")


def test_a_deadline_that_nobody_leaves_strikes_its_own_case_alone() -> None:
    """It would strike while a later case is under way, in the same task."""
    running = execution(Hurried())
    for _ in range(3):
        assert ("completed", ["a"]) == talk(running, "a")
    assert ("raised", []) == talk(running, "slow")
    assert ("completed", ["a"]) == talk(running, "a")


def test_a_deadline_of_an_earlier_case_does_not_shorten_a_later_one() -> None:
    """A slow case behind one that entered a deadline and forgot it."""

    class Once(Hurried):
        count = 0

        async def enter(self) -> None:
            self.count += 1
            if self.count == 1:
                await super().enter()

    running = execution(Once())
    assert ("completed", ["a"]) == talk(running, "a")
    assert ("completed", ["slow", "slow"]) == talk(running, "slow", "slow")
