"""A refund desk that is replayed by hand. The agent is a script: no model, no network.

With `@oloproof.tool` none of this is needed: see the example `stateful-agent`. Write a replay
yourself where no decorator can reach the calls of your agent.

Read it from top to bottom: the policy, the tools, the agent, and what Oloproof needs of it.
The agent has two flaws on purpose, each marked where it is; README.md says how to fix them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from oloproof import AgentCheckpoint, AgentStep, AgentTrajectory, ReplayChange, current_case

Json = dict[str, Any]
Call = Callable[..., Json]

# The refund policy -------------------------------------------------------------------------

WINDOW_DAYS = 30  # the thirtieth day after delivery still counts
LIMIT_CENTS = 20_000  # above this amount a person decides


# The tools: all that can be done to the world ----------------------------------------------


def get_order(world: Json, *, order_id: str) -> Json:
    """The order as the store has it, with its age."""
    order = world["orders"].get(order_id)
    if order is None:
        return {"error": "no such order"}
    if order["delivered_on"] is None:
        return {**order, "days_since_delivery": None}
    age = date.fromisoformat(world["today"]) - date.fromisoformat(order["delivered_on"])
    return {**order, "days_since_delivery": age.days}


def count_refunds(world: Json, *, order_id: str) -> Json:
    """How many refunds the customer of this order has had."""
    order = world["orders"].get(order_id)
    if order is None:
        return {"error": "no such order"}
    return {"count": sum(r["customer"] == order["customer"] for r in world["refunds"])}


def issue_refund(world: Json, *, order_id: str) -> Json:
    """Pay the whole amount of an order back. The store does this once an order, and not twice."""
    order = world["orders"].get(order_id)
    if order is None:
        return {"error": "no such order"}
    if order["status"] == "refunded":
        return {"error": "already refunded"}
    order["status"] = "refunded"
    paid = {"customer": order["customer"], "amount_cents": order["amount_cents"]}
    world["refunds"].append({"order_id": order_id, **paid})
    return {"status": "refunded", "amount_cents": order["amount_cents"]}


def escalate_to_human(
    world: Json, *, order_id: str, reason: str, earlier_refunds: int | None
) -> Json:
    """Put the order on the list that people work through."""
    case = {"order_id": order_id, "reason": reason, "earlier_refunds": earlier_refunds}
    world["escalations"].append(case)
    return {"status": "escalated"}


TOOLS: dict[str, Call] = {
    tool.__name__: tool for tool in (get_order, count_refunds, issue_refund, escalate_to_human)
}


# The agent: it sees the request and what its tools tell it, and nothing else ---------------


def handle(request: Json, call: Call) -> str:
    """Deal with one request under the policy; the answer in one word."""
    order_id = request["order_id"]
    # Flaw 1: whatever a customer pastes into the message can switch the policy off.
    if "SYSTEM OVERRIDE" in request["message"]:
        return refund(order_id, call)
    order = call("get_order", order_id=order_id)
    if order.get("status") == "refunded":
        return "already_refunded"
    if order.get("status") != "delivered":
        return hand_over(order_id, "there is no delivered order to be read", call)
    if order["days_since_delivery"] > WINDOW_DAYS:
        return "denied"
    if order["amount_cents"] > LIMIT_CENTS:
        return hand_over(order_id, "the amount is above the limit", call)
    return refund(order_id, call)


def refund(order_id: str, call: Call) -> str:
    """Pay the money back."""
    # Flaw 2: what the tool said is not looked at, so a failed refund is reported as done.
    call("issue_refund", order_id=order_id)
    return "refunded"


def hand_over(order_id: str, reason: str, call: Call) -> str:
    """Leave the decision to a person, who wants to know of earlier refunds."""
    earlier = call("count_refunds", order_id=order_id).get("count")
    done = call("escalate_to_human", order_id=order_id, reason=reason, earlier_refunds=earlier)
    return "escalated" if done.get("status") == "escalated" else "failed"


# The caller between agent and tools: it writes the trajectory, and replays one -------------


@dataclass
class Caller:
    """Calls tools for the agent and writes down two steps a call.

    In a replay the first calls are those of the recording: their effects are put back into
    the world, and the agent is told what it was told then. The call after them is the one
    at the checkpoint; with a `fault_result` the agent gets that, and the tool does not run.
    """

    world: Json
    recorded: list[AgentStep] = field(default_factory=list)
    fault_result: Json | None = None
    steps: list[AgentStep] = field(default_factory=list)

    def __call__(self, tool: str, **arguments: Any) -> Json:
        """Call one tool; what the agent is told of it."""
        done = len(self.steps)
        if done < len(self.recorded):
            result = self.repeat(self.recorded[done], self.recorded[done + 1], tool, arguments)
        elif done == len(self.recorded) and self.fault_result is not None:
            result = self.fault_result
        else:
            result = TOOLS[tool](self.world, **arguments)
        call_id = f"call-{done // 2 + 1}"
        named = {"tool_name": tool, "call_id": call_id}
        self.write("tool_call", **named, arguments=arguments)
        self.write("tool_result", **named, result=result, error=result.get("error"))
        return result

    def repeat(self, call: AgentStep, result: AgentStep, tool: str, arguments: Json) -> Json:
        """Put a recorded call's effect back into the world; what the agent was told of it."""
        if (tool, arguments) != (call.tool_name, call.arguments):
            raise RuntimeError(f"{tool} {arguments} is another call than the recorded {call}")
        TOOLS[tool](self.world, **arguments)
        return dict(result.result)

    def write(self, kind: Any, **fields: Any) -> None:
        """Add a step, numbered from 1."""
        self.steps.append(AgentStep(index=len(self.steps) + 1, kind=kind, **fields))


# What Oloproof needs: a call, a sandbox it can reset and read, and a replay ----------------


class RefundDesk:
    """The system under test: the agent together with the world it acts on."""

    def __init__(self) -> None:
        self.world: Json = {}

    def reset(self, state: Json) -> None:
        """Put the world into `state`; it is a fresh copy, so it may be changed in place."""
        self.world = state

    def snapshot(self) -> Json:
        """The world as it is now; what is left out here, no check can see."""
        return self.world

    def __call__(self, request: Json) -> Json:
        """Answer one request, and report how."""
        trajectory = self.work(request, Caller(self.world))
        current_case().agent_trajectory(trajectory)
        return dict(trajectory.steps[-1].result)

    async def replay(
        self, trajectory: AgentTrajectory, *, checkpoint: AgentCheckpoint, change: ReplayChange
    ) -> AgentTrajectory:
        """Go on from `checkpoint` under `change`, with the same agent as in a live call.

        Oloproof has reset the world to the case's initial state before it calls this.
        """
        if change.kind != "resume" and change.fault_result is None:
            raise NotImplementedError(f"cannot replay {change.kind} {change.fault or ''}")
        prefix = trajectory.steps[: checkpoint.step_index - 1]
        caller = Caller(self.world, recorded=prefix, fault_result=change.fault_result)
        # The request comes from the case; a trajectory need not hold the whole of it.
        request: Any = current_case().input
        again = self.work(request, caller)
        return AgentTrajectory(
            steps=[
                step.model_copy(update={"index": number})
                for number, step in enumerate(again.steps[len(prefix) :], start=1)
            ],
            terminal_status=again.terminal_status,
        )

    def work(self, request: Json, caller: Caller) -> AgentTrajectory:
        """Let the agent deal with a request; its steps, the last of which is its output."""
        answer = handle(request, caller)
        caller.write("final", result={"answer": answer})
        return AgentTrajectory(
            steps=caller.steps,
            terminal_status="failure" if answer == "failed" else "success",
        )


desk = RefundDesk()
