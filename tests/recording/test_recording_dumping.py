"""Values that are no JSON are compared by what they hold, and never served."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr
from recording_desk import APPLIED, ERROR, Sandbox, record, replay

from oloproof.canonical import encode
from oloproof.recording.dumping import dump
from oloproof.recording.effects import model, tool
from oloproof.records.faults import FaultPlan
from oloproof.replaying.plans import fault_plan


class Colour(Enum):
    RED = "red"


class Pair(NamedTuple):
    left: int
    right: Any


@dataclass
class Order:
    number: int
    tags: set[str] = field(default_factory=set)
    _cache: Any = None


class Shipment(BaseModel):
    day: date
    key: SecretStr = SecretStr("hush")


class Slotted:
    __slots__ = ("__weakref__", "a")

    def __init__(self) -> None:
        self.a = 1


class Broken:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no")


def _itself() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


@pytest.mark.parametrize(
    ("value", "dumped"),
    [
        ({1, 3, 2}, [1, 2, 3]),
        ({"a": frozenset("cab")}, {"a": ["a", "b", "c"]}),
        ({1: "a", (1, 2): "b"}, {"1": "a", "[1,2]": "b"}),
        (b"x\xff", "x\\xff"),
        (float("nan"), "nan"),
        (2**70, str(2**70)),
        (Colour.RED, "red"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), str(UUID(int=1))),
        (PurePosixPath("a/b"), "a/b"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (timedelta(minutes=1), 60.0),
        (Pair(1, {2}), [1, [2]]),
        (Order(1, {"b", "a"}), {"number": 1, "tags": ["a", "b"]}),
        (Order(1, set(), threading.Lock()), {"number": 1, "tags": []}),
        (Shipment(day=date(2026, 1, 2)), {"day": "2026-01-02", "key": "**********"}),
        (SimpleNamespace(a=1, b=SimpleNamespace(c={2})), {"a": 1, "b": {"c": [2]}}),
        (Slotted(), {"a": 1}),
        (SimpleNamespace(a=1, lock=threading.Lock()), {"object": "types.SimpleNamespace"}),
        ([threading.Lock(), 1], [{"object": "_thread.lock"}, 1]),
        (Order, {"object": f"{__name__}.Order"}),
        (dump, {"object": "oloproof.recording.dumping.dump"}),
        (_itself(), [1, {"object": "builtins.list"}]),
        (Broken(), {"object": f"{__name__}.Broken"}),
    ],
)
def test_a_value_is_dumped_by_its_data_or_its_class(value: object, dumped: object) -> None:
    """Public attributes where all of them are data, else the class; a secret is never shown."""
    assert dumped == dump(value)


@given(st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.text()), st.lists))
def test_what_is_dumped_is_json(value: object) -> None:
    """Whatever it was."""
    encode(dump(value))


class Desk(Sandbox):
    """Tools that take and give what is no JSON, and a model that is asked before them."""

    def __init__(self) -> None:
        super().__init__({"orders": []})
        self.tags = {"b", "a"}

    @tool
    def find(self, day: date) -> Order:
        return Order(7, set(self.tags))

    @tool
    def place(self, order: Order, lock: Any = None) -> Order:
        self.state["orders"].append(order.number)
        return order

    def agent(self) -> list[int]:
        found = self.find(date(2026, 1, 2))
        try:
            placed = self.place(found, threading.Lock())
        except RuntimeError:
            placed = self.place(found, None)
        return [placed.number]


def test_tools_that_give_no_json_are_replayed_from_the_start() -> None:
    """They run again, so nothing of theirs is served; what they give is compared."""
    desk = Desk()
    recorded = record(desk, desk.agent)
    assert recorded.recording.obstacle is None
    first, second = recorded.recording.events
    assert '{"day":"2026-01-02"}' == first.arguments
    assert '{"number":7,"tags":["a","b"]}' == first.result
    assert '{"lock":{"object":"_thread.lock"},"order":{"number":7,"tags":["a","b"]}}' == (
        second.arguments
    )
    assert {"arguments_not_json", "result_not_json"} == {n.kind for n in recorded.recording.notes}
    again = replay(recorded, desk.agent, recorded.call("place"), restores=False)
    assert (None, None) == (again.reason, again.difference)
    for fault in (ERROR, APPLIED, fault_plan("slow"), fault_plan("duplicate_delivery")):
        faulted = replay(recorded, desk.agent, recorded.call("place"), fault, restores=False)
        assert (True, None, None) == (faulted.delivered, faulted.reason, faulted.divergence)
        assert [7] == faulted.ending.output  # slow and delivered twice it is the very object


def test_a_dumped_result_that_changed_is_a_difference() -> None:
    """Also where its class is the same."""
    desk = Desk()
    recorded = record(desk, desk.agent)
    desk.tags.add("c")
    again = replay(recorded, desk.agent, restores=False)
    assert again.divergence is not None
    assert "changed_result" == again.divergence.kind
    assert {"number": 7, "tags": ["a", "b", "c"]} == again.divergence.actual


@pytest.mark.parametrize("fault", [None, fault_plan("empty"), fault_plan("truncated")])
def test_what_is_no_json_is_not_served_nor_altered(fault: FaultPlan | None) -> None:
    """From a checkpoint it would be served, and some faults alter what was given."""
    desk = Desk()
    recorded = record(desk, desk.agent)
    target = recorded.call("place")
    again = replay(recorded, desk.agent, target, fault, restores=fault is None)
    assert "result_not_json" == again.reason
    assert "Order" in str(again.detail)


def test_a_model_that_gives_no_json_cannot_be_served() -> None:
    """Answers of models are served in every control."""
    ask = model(name="ask")(lambda: {1, 2})
    recorded = record(Sandbox(), lambda: sorted(ask()))
    again = replay(recorded, lambda: sorted(ask()))
    assert ("result_not_json", "ask: the result of ask is not JSON: set {1, 2} at the top") == (
        again.reason,
        again.detail,
    )
