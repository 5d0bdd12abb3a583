"""The trivial stateful system of the benchmarks: one counter, one tool call, one answer."""

from __future__ import annotations

from typing import Any

from oloproof import AgentStep, AgentTrajectory, current_case


class Counter:
    """Adds what it is asked to add, and reports how."""

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
        add = request["add"]
        self.state["count"] += add
        count = self.state["count"]
        current_case().agent_trajectory(
            AgentTrajectory(
                steps=[
                    AgentStep(index=1, kind="tool_call", tool_name="add", arguments={"add": add}),
                    AgentStep(index=2, kind="tool_result", tool_name="add", result=count),
                    AgentStep(index=3, kind="final", result={"answer": count}),
                ],
                terminal_status="success",
            )
        )
        return {"answer": count}


system = Counter()
