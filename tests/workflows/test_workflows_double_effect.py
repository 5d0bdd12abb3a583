"""An effect made twice under a fault, where the expectation does not speak of the second one."""

from __future__ import annotations

from typing import Any

import pytest

APP = """
import oloproof


class Desk:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    @oloproof.tool
    def pay(self, order):
        BODY
        return {"ok": True}

    @oloproof.tool
    def note(self, text):
        self.state["log"].append(text)

    def __call__(self, request):
        for attempt in range(3):
            try:
                self.pay(request["order"])
                break
            except Exception:
                RETRY
        oloproof.finish("success")
        return {"answer": "paid"}


system = Desk
"""
APPLIED = ["applied_error", "applied_timeout", "duplicate_delivery"]
ROWS = 'rows = self.state["payments"]; rows[f"p{len(rows) + 1}"] = {"order": order}'
LIST = 'self.state["list"].append({"order": order})'
IDEMPOTENT = 'self.state["payments"]["p1"] = {"order": order}'
COUNTED = IDEMPOTENT + '; self.state["paid"] += 1'
EXPECTED: dict[str, Any] = {"payments": {"p1": {"order": "o"}}}


def verdicts(tiny: Any, body: str, retry: str, expected: Any, **how: Any) -> set[str | None]:
    tiny.write(
        app=APP.replace("BODY", body).replace("RETRY", retry),
        cases=[
            {
                "id": "c",
                "input": {"order": "o"},
                "initial_state": {"payments": {}, "list": [], "log": [], "paid": 0},
                "expected": {"state": expected},
            }
        ],
        evaluators=[
            {"type": "state_matches", **how},
            {"type": "fault_recovery", "tool": "pay", "fault": APPLIED},
        ],
    )
    tiny.run()
    panel = tiny.panel("c")
    assert "pass" == next(v.status for v in panel.verdicts if v.metric == "state_matches")
    return {v.label or v.reason for v in panel.verdicts if v.metric.startswith("recovers_from")}


@pytest.mark.parametrize(
    ("body", "expected", "how"),
    [
        (ROWS, EXPECTED, {"mode": "subset"}),
        (ROWS, EXPECTED, {"mode": "paths", "paths": ["payments.p1"]}),
        (f"{LIST}; {IDEMPOTENT}", EXPECTED, {"mode": "subset"}),
        (COUNTED, EXPECTED, {"mode": "subset"}),
    ],
)
def test_an_effect_that_is_there_twice_is_no_recovery(
    tiny: Any, body: str, expected: Any, how: dict[str, Any]
) -> None:
    """A second row, item or count beside what is expected is what a blind retry does."""
    assert {"duplicate_effect"} == verdicts(tiny, body, "pass", expected, **how)


def test_a_retry_that_changes_nothing_twice_recovers(tiny: Any) -> None:
    """What else the agent left, such as a note of the failure, is no second effect."""
    found = verdicts(tiny, IDEMPOTENT, 'self.note("again")', EXPECTED, mode="subset")
    assert {"recovered"} == found
