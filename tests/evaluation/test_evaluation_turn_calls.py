"""Calls with the turns they stand in, also those that waited."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.evaluation.contract import Context
from oloproof.evaluation.conversations.calls import TurnCall, turn_calls
from oloproof.evaluation.turns import Conversation
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence


def made(*steps: dict[str, Any]) -> list[TurnCall]:
    numbered: Any = [{"index": index, **step} for index, step in enumerate(steps, 1)]
    case = Case(id="c", input=None, turns=({"user": "a"}, {"user": "b"}))
    evidence = CaseEvidence(COMPLETED, trajectory={"steps": numbered})
    return turn_calls(Conversation(Context(case, evidence)))


def call(turn: int, status: str | None = None, **fields: Any) -> dict[str, Any]:
    given = {} if status is None else {"status": status}
    return {"kind": "tool_call", "tool_name": "t", "turn": turn, **given, **fields}


def result(turn: int, status: str | None = None, **fields: Any) -> dict[str, Any]:
    return call(turn, status, **fields) | {"kind": "tool_result"}


@pytest.mark.parametrize(
    ("steps", "status", "turn", "settled", "place"),
    [
        ([call(1)], "executed", 1, 1, 1),
        ([call(1), result(2)], "executed", 1, 1, 1),
        ([call(1, "queued")], "queued", 1, 1, 1),
        ([call(1, "queued"), result(1)], "queued", 1, 1, 1),
        ([call(1, "queued"), result(2, "executed")], "executed", 1, 2, 2),
        ([call(1, "proposed"), result(2, "blocked")], "blocked", 1, 2, 2),
        ([call(1, "queued", call_id="q"), call(2, "cancelled", call_id="q")], "cancelled", 1, 2, 2),
        (
            [
                call(1, "proposed", call_id="q"),
                call(1, "queued", call_id="q"),
                call(2, call_id="q"),
                result(2, call_id="q"),
            ],
            "executed",
            1,
            2,
            3,
        ),
    ],
)
def test_a_call_is_settled_where_its_last_status_was_reached(
    steps: Any, status: str, turn: int, settled: int, place: int
) -> None:
    """One that did not wait stands where it was made, however late its result came."""
    (one,) = made(*steps)
    assert (status, turn, settled, place) == (one.status, one.turn, one.settled_turn, one.place)
    assert one.stands_in((turn,))
    assert one.stands_in((settled,))
    assert not one.stands_in((3,))


def test_a_call_of_which_two_steps_tell_keeps_what_it_rests_on() -> None:
    """Its arguments and revision are those it was built with; its result is the later one's."""
    (one,) = made(
        call(1, "queued", call_id="q", arguments={"a": 1}, state_revision=1),
        call(2, "executed", call_id="q", state_revision=2, result={"ok": True}),
    )
    assert ({"a": 1}, 1, {"ok": True}) == (one.arguments, one.revision, one.answer)
    assert "t (step 1 of turn 1, executed at step 2 of turn 2)" == str(one)


def test_the_same_id_after_the_end_or_for_another_tool_is_another_call() -> None:
    """Only one that waits can come to something else."""
    assert 2 == len(made(call(1, call_id="q"), call(2, call_id="q")))
    other = call(2, call_id="q") | {"tool_name": "u"}
    assert 2 == len(made(call(1, "queued", call_id="q"), other))
    assert 2 == len(made(call(1, "queued"), call(2, "executed")))


STOP = call(2, "cancelled", call_id="q")
QUEUED = call(1, "queued", call_id="q", arguments={"a": 1})
OTHER = call(1, "queued", call_id="o")
ANOTHER = call(1, call_id="x") | {"tool_name": "u"}


@pytest.mark.parametrize(
    "steps",
    [
        [QUEUED, result(2, call_id="q", result=1)],
        [QUEUED, result(2, result=1)],
        [call(1, "queued", arguments={"a": 1}), result(2, result=1)],
        [call(1, "proposed", call_id="q", arguments={"a": 1}), result(2, call_id="q", result=1)],
        [QUEUED, {"kind": "message", "turn": 1}, result(1, call_id="q", result=1)],
        [QUEUED, STOP, result(2, call_id="q", result=1)],
        [QUEUED, STOP, result(3, call_id="q", result=1)],
        [QUEUED, result(2, "cancelled", call_id="q"), result(2, call_id="q", result=1)],
        [QUEUED, OTHER, STOP | {"call_id": "o"}, result(2, result=1)],
        [OTHER, QUEUED, STOP | {"call_id": "o"}, result(2, result=1)],
        [QUEUED, OTHER, result(2, "cancelled", call_id="o"), result(2, result=1)],
        [QUEUED, result(1, "queued", call_id="q"), result(2, call_id="q", result=1)],
        [QUEUED, result(1, "queued", call_id="q"), STOP, result(3, call_id="q", result=1)],
        [QUEUED, result(1, call_id="q", result="in line"), result(2, call_id="q", result=1)],
        [QUEUED, result(1, call_id="q", result="in line"), result(2, result=1)],
        [QUEUED | {"result": "in line"}, result(2, call_id="q", result=1)],
        [QUEUED, ANOTHER, result(1, call_id="x"), STOP, result(2, call_id="q", result=1)],
    ],
)
def test_a_waiting_call_that_a_plain_result_comes_back_of_later_was_executed(steps: Any) -> None:
    """By its identifier or as the only open one of its tool, whatever was cancelled meanwhile."""
    one = next(c for c in made(*steps) if c.call.call_id in ("q", None) and c.tool == "t")
    assert ("executed", {"a": 1}, 1) == (one.status, one.arguments, one.answer)
    assert (1, len(steps)) == (one.turn, one.place)
    assert steps[-1]["turn"] == one.settled_turn


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ([QUEUED, result(1, call_id="q", result="in line")], "queued"),
        ([QUEUED, OTHER, result(1, call_id="q"), result(1, call_id="o")], "queued"),
        ([QUEUED, result(1, call_id="q", result=1), result(2, call_id="q", result=1)], "queued"),
        ([QUEUED | {"result": "in line"}, STOP], "cancelled"),
        ([QUEUED, result(1, call_id="q", result="in line"), STOP], "cancelled"),
        ([QUEUED, STOP, result(2, call_id="q", error="cancelled")], "cancelled"),
        ([QUEUED, STOP, result(2, "cancelled", call_id="q")], "cancelled"),
        ([QUEUED, result(2, "queued", call_id="q"), result(3, "blocked", call_id="q")], "blocked"),
        ([call(1, "blocked", call_id="q"), result(2, call_id="q", result=1)], "blocked"),
        ([QUEUED, result(2, call_id="q", error="no")], "executed"),
        ([QUEUED, result(2, call_id="q", result=1), STOP], "executed"),
        ([QUEUED, result(2, call_id="q"), result(3, "cancelled", call_id="q")], "executed"),
    ],
)
def test_a_receipt_settles_nothing_and_what_was_executed_is_not_undone(
    steps: Any, status: str
) -> None:
    """What comes back together with a call that waits is the word that it does."""
    assert status == made(*steps)[0].status


def test_what_came_of_a_call() -> None:
    """An error stands for the result; what is not known to have failed worked."""
    failed, told, done, stopped = (
        made(call(1, error="down"))[0],
        made(call(1, result={"error": "no room"}))[0],
        made(call(1))[0],
        made(call(1, "cancelled", result=1))[0],
    )
    answers = [{"error": "down"}, {"error": "no room"}, None]
    assert answers == [c.answer for c in (failed, told, done)]
    assert [False, False, True, False] == [c.worked for c in (failed, told, done, stopped)]
    assert [True, True, True, False] == [c.made for c in (failed, told, done, stopped)]
