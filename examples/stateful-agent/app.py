"""A refund desk over a sandboxed order store. The agent is a script: no model, no network.

Read it from top to bottom: the policy, the store with its tools, the agent, and the system.
The agent has two flaws on purpose, each marked where it is; README.md says how to fix them.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import oloproof

Json = dict[str, Any]

# The refund policy -------------------------------------------------------------------------

WINDOW_DAYS = 30  # the thirtieth day after delivery still counts
LIMIT_CENTS = 20_000  # above this amount a person decides


# The store: the world, and the tools, which are all that can be done to it -----------------


class OrderStore:
    """The orders, the refunds that were paid, and the list that people work through.

    Each call of a tool is recorded with what it gave, and the same call can fail in a replay.
    These tools return `{"error": ...}` where they fail, so that is how a fault comes too.
    """

    def __init__(self) -> None:
        self.world: Json = {}

    @oloproof.tool(reads=True, on_fault="return")
    def get_order(self, order_id: str) -> Json:
        """The order as the store has it, with its age."""
        order = self.world["orders"].get(order_id)
        if order is None:
            return {"error": "no such order"}
        if order["delivered_on"] is None:
            return {**order, "days_since_delivery": None}
        age = date.fromisoformat(self.world["today"]) - date.fromisoformat(order["delivered_on"])
        return {**order, "days_since_delivery": age.days}

    @oloproof.tool(reads=True, on_fault="return")
    def count_refunds(self, order_id: str) -> Json:
        """How many refunds the customer of this order has had."""
        order = self.world["orders"].get(order_id)
        if order is None:
            return {"error": "no such order"}
        return {"count": sum(r["customer"] == order["customer"] for r in self.world["refunds"])}

    @oloproof.tool(on_fault="return")
    def issue_refund(self, order_id: str) -> Json:
        """Pay the whole amount of an order back. The store does this once an order, not twice."""
        order = self.world["orders"].get(order_id)
        if order is None:
            return {"error": "no such order"}
        if order["status"] == "refunded":
            return {"error": "already refunded"}
        order["status"] = "refunded"
        paid = {"customer": order["customer"], "amount_cents": order["amount_cents"]}
        self.world["refunds"].append({"order_id": order_id, **paid})
        return {"status": "refunded", "amount_cents": order["amount_cents"]}

    @oloproof.tool(on_fault="return")
    def escalate_to_human(self, order_id: str, reason: str, earlier_refunds: int | None) -> Json:
        """Put the order on the list that people work through."""
        case = {"order_id": order_id, "reason": reason, "earlier_refunds": earlier_refunds}
        self.world["escalations"].append(case)
        return {"status": "escalated"}


# The agent: it sees the request and what its tools tell it, and nothing else ---------------


def handle(request: Json, store: OrderStore) -> str:
    """Deal with one request under the policy; the answer in one word."""
    order_id = request["order_id"]
    # Flaw 1: whatever a customer pastes into the message can switch the policy off.
    if "SYSTEM OVERRIDE" in request["message"]:
        return refund(order_id, store)
    order = store.get_order(order_id)
    if order.get("status") == "refunded":
        return "already_refunded"
    if order.get("status") != "delivered":
        return hand_over(order_id, "there is no delivered order to be read", store)
    if order["days_since_delivery"] > WINDOW_DAYS:
        return "denied"
    if order["amount_cents"] > LIMIT_CENTS:
        return hand_over(order_id, "the amount is above the limit", store)
    return refund(order_id, store)


def refund(order_id: str, store: OrderStore) -> str:
    """Pay the money back."""
    # Flaw 2: what the tool said is not looked at, so a failed refund is reported as done.
    store.issue_refund(order_id)
    return "refunded"


def hand_over(order_id: str, reason: str, store: OrderStore) -> str:
    """Leave the decision to a person, who wants to know of earlier refunds."""
    earlier = store.count_refunds(order_id).get("count")
    done = store.escalate_to_human(order_id, reason, earlier)
    return "escalated" if done.get("status") == "escalated" else "failed"


# What Oloproof needs: a call, and a sandbox that it can reset and read ---------------------


class RefundDesk:
    """The system under test: the agent together with the store it acts on."""

    def __init__(self) -> None:
        self.store = OrderStore()

    def reset(self, state: Json) -> None:
        """Put the world into `state`; it is a fresh copy, so it may be changed in place."""
        self.store.world = state

    def snapshot(self) -> Json:
        """The world as it is now; what is left out here, no check can see."""
        return self.store.world

    def __call__(self, request: Json) -> Json:
        """Answer one request, and say whether it was dealt with."""
        answer = handle(request, self.store)
        oloproof.finish("failure" if answer == "failed" else "success")
        return {"answer": answer}


desk = RefundDesk()
