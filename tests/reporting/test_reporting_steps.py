"""The steps of a trajectory, as they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.reporting.terminal.page import Page
from oloproof.reporting.terminal.steps import write_step

STRUCK = {"fault": "error", "as": "raised", "applied": False, "visible": True}


def shown(**fields: Any) -> str:
    page = Page()
    write_step(page, {"kind": "tool_call", "tool_name": "pay", **fields})
    return page.text


@pytest.mark.parametrize("status", ["proposed", "queued", "blocked", "cancelled"])
def test_a_status_that_says_something_is_shown(status: str) -> None:
    """A call that was not simply executed says so."""
    assert f'status  "{status}"' in shown(status=status)


@pytest.mark.parametrize("status", [None, "executed"])
def test_a_call_that_was_executed_does_not_say_so(status: str | None) -> None:
    """Nearly every call is executed, so it is not said of each."""
    assert "tool_call  pay" == shown(status=status).strip()


@pytest.mark.parametrize("status", ["executed", "blocked"])
def test_a_struck_call_shows_what_the_fault_did_instead(status: str) -> None:
    """What became of the effect stands with the fault, and no status contradicts it."""
    text = shown(status=status, fault=STRUCK)
    assert "the effect did not happen" in text
    assert "status" not in text
