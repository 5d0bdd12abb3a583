"""Declared tools whose calls are not recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

from oloproof.engine.tool_notices import Unrecorded
from oloproof.evaluation.contract import Context
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence, Moment

DECLARED = {"refund": False, "look": True}


def notices(declared: dict[str, bool], *cases: tuple[dict[str, Any], list[str]]) -> list[str]:
    """What is said of cases, each with its world at the end and the tools that it called."""
    found = Unrecorded(declared)
    for state, tools in cases:
        steps: Any = [{"kind": "tool_call", "tool_name": tool} for tool in tools]
        evidence = CaseEvidence(COMPLETED, trajectory={"steps": steps}, worlds=(Moment(state),))
        found.see(Context(Case("a", 1, initial_state={}), evidence))
    return found.notices()


@pytest.mark.parametrize(
    ("declared", "cases", "told"),
    [
        (DECLARED, [({"a": 1}, [])], "`refund`, while the world changed in 1 case without"),
        (DECLARED, [({"a": 1}, ["look"]), ({"a": 2}, [])], "in 2 cases without"),
        (DECLARED, [({"a": 1}, ["refund"]), ({"a": 1}, [])], None),
        (DECLARED, [({}, []), ({}, ["look"])], None),
        (DECLARED, [({"a": 1}, ["write"])], None),
        ({"look": True}, [({"a": 1}, [])], None),
        ({}, [({"a": 1}, [])], None),
        (dict.fromkeys("abcde", False), [({"x": 1}, [])], "`a`, `b`, `c` and 2 more, while"),
    ],
)
def test_a_world_that_changed_without_a_recorded_call_is_noted(
    declared: dict[str, bool], cases: Any, told: str | None
) -> None:
    """Only beside a tool that is declared to write and that no case called."""
    found = notices(declared, *cases)
    assert (told is not None) == bool(found)
    if told is not None:
        assert told in found[0]


APP = """
import oloproof


class Tools:
    def __init__(self):
        self.called = {}

    def tool(self, function):  # as a framework does: it keeps the function and gives it back
        self.called[function.__name__] = function
        return function


TOOLS = Tools()
WORLD = {}


@ABOVE
@BELOW
def refund(order):
    WORLD["orders"][order] = "refunded"


class Desk:
    def reset(self, state):
        WORLD.clear()
        WORLD.update(state)

    def snapshot(self):
        return WORLD

    def __call__(self, request):
        TOOLS.called["refund"](request["order"])
        return {"answer": "refunded"}
"""


@pytest.mark.parametrize(
    ("above", "below", "noted"),
    [("oloproof.tool", "TOOLS.tool", True), ("TOOLS.tool", "oloproof.tool", False)],
)
def test_a_run_says_that_a_framework_calls_another_function(
    tiny: TinyProject, above: str, below: str, noted: bool
) -> None:
    """Above a framework's decorator ours sees no call; below it each is recorded."""
    tiny.write(
        app=APP.replace("ABOVE", above).replace("BELOW", below),
        cases=[{"id": "a", "input": {"order": "7"}, "initial_state": {"orders": {"7": "open"}}}],
        system={"callable": "app:Desk"},
        evaluators=[{"type": "state_unchanged", "paths": ["orders.8"]}],
    )
    told = [notice for notice in tiny.run().notices if "no case called the declared" in notice]
    assert noted is bool(told)
