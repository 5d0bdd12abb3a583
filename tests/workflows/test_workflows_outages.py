"""What was down while a case ran, or was replayed, and what the agent raised of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

DESK = '''
import oloproof


class Unavailable(oloproof.TransientError):
    """What a provider's client raises."""


class Desk:
    """Books what it is told to; what else it does is the first word of a message."""

    down = False

    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    @oloproof.tool
    def book(self, room):
        self.world["booked"].append(room)
        return {"ok": True}

    @oloproof.tool
    def cancel(self, room):
        self.world["booked"].remove(room)

    def turn(self, message):
        verb, room = message.split()
        if verb == "book":
            self.book(room)
        if verb == "down":
            raise Unavailable("503")
        if verb == "both":
            raise ExceptionGroup("both", [Unavailable("503"), oloproof.TransientError("504")])
        if verb == "wrong":
            raise ValueError("no room")
        return f"done: {room}"


system = Desk
'''
ASYNC = DESK.replace("    def turn(", "    async def turn(")
CHECKS: list[dict[str, Any]] = [
    {"type": "exact_match", "criterion": "said"},
    {"type": "state_matches", "criterion": "world"},
    {"type": "calls", "criterion": "kept", "forbidden": ["cancel"]},
    {"type": "calls", "criterion": "often", "required": {"book": {"min": 2, "max": 3}}},
    {"type": "call_arguments", "criterion": "rooms", "tool": "book", "argument": "room",
     "one_of": ["a", "b"]},
    {"type": "call_arguments", "criterion": "first", "tool": "book", "argument": "room",
     "one_of": ["a", "b"], "until": 3},
    {"type": "call_arguments", "criterion": "other", "tool": "cancel", "argument": "room",
     "equals": "a"},
]  # fmt: skip


def talk(name: str, *messages: str) -> dict[str, Any]:
    turns = {"2": {"answer": "done: b", "state": {"booked": ["a", "b"]}}}
    return {
        "id": name,
        "turns": [{"user": message} for message in messages],
        "initial_state": {"booked": []},
        "expected": {"turns": turns, "state": {"booked": ["a", "b"]}, "answer": "done: d"},
    }


def verdicts(tiny: TinyProject, name: str) -> dict[str, str | None]:
    """What every check says of a case: its reason or label, else its status."""
    return {
        verdict.metric: verdict.reason or verdict.label or verdict.status
        for verdict in tiny.panel(name).verdicts
    }


@pytest.mark.parametrize("app", [DESK, ASYNC], ids=["sync", "async"])
def test_a_conversation_that_breaks_off_in_its_third_turn(tiny: TinyProject, app: str) -> None:
    """By an outage all is missing; else turns that were reached are judged on what was seen."""
    verbs = ("down", "both", "wrong")
    cases = [talk(verb, "book a", "book b", f"{verb} c", "book d") for verb in verbs]
    retries = {"attempts": 2, "wait_s": 0}
    tiny.write(app=app, cases=cases, evaluators=CHECKS, retries=retries).run()
    metrics = [check["criterion"] for check in CHECKS]
    for verb in ("down", "both"):
        assert dict.fromkeys(metrics, "outage") == verdicts(tiny, verb)
        assert ["raised", "outage"] == [one.status for one in tiny.panel(verb).attempts]
    assert {
        "said": "raised",
        "world": "pass",
        "kept": "pass",
        "often": "pass",
        "rooms": "turn_not_reached",
        "first": "pass",
        "other": "turn_not_reached",
    } == verdicts(tiny, "wrong")


def test_an_outage_needs_no_second_attempt_and_is_no_exception_of_another_name(
    tiny: TinyProject,
) -> None:
    """What `on` names is one, and what it does not name is the agent's, as for the retries."""
    cases = [talk(verb, f"{verb} c") for verb in ("down", "wrong")]
    for case in cases:
        del case["expected"]["turns"]
    for number, (on, outages) in enumerate(
        (("TransientError", {"down"}), ("app.Unavailable", {"down"}), ("ValueError", {"wrong"}))
    ):
        retries = {"attempts": 1, "on": [on]}
        given = {"cases": cases, "evaluators": CHECKS[:4], "retries": retries}
        report = tiny.write(app=DESK, **given).run()
        assert {"outage": 1, "raised": 1} == report.outcomes, number
        found = {name for name in ("down", "wrong") if verdicts(tiny, name)["kept"] == "outage"}
        assert outages == found


def test_an_outage_is_never_reused(tiny: TinyProject) -> None:
    """The next run asks again; what was no outage is taken over."""
    cases = [talk("fine", "book a", "book b"), talk("down", "book a", "book b", "down c")]
    write = tiny.write(app=DESK, cases=cases, evaluators=CHECKS[:4])
    assert (2, {"completed": 1, "outage": 1}) == (write.run().executed, write.run().outcomes)
    report = write.run()
    assert (1, [1]) == (report.executed, [reuse.cases for reuse in report.reused])


DEEP = '''
import oloproof


class Desk:
    """Refunds; the input says what it does when that fails."""

    calls = 0

    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    @oloproof.tool
    def refund(self):
        self.world["refunded"] = True
        return {"ok": True}

    @oloproof.model
    def think(self, prompt):
        if prompt != "plan":
            raise oloproof.TransientError("503 from the provider")
        return "refund"

    def __call__(self, agent):
        self.calls += 1
        if agent == "control" and self.calls > 1:
            raise oloproof.TransientError("503 from the provider")
        self.think("plan")
        try:
            self.refund()
        except RuntimeError as error:
            if agent == "asks":
                self.think("what now?")
            if agent == "wraps":
                raise oloproof.TransientError("the desk is down") from error
            if agent == "lets_through":
                raise
            if agent == "groups":
                raise ExceptionGroup("all", [error]) from None
        return "refunded"


system = Desk
'''


@pytest.mark.parametrize(
    ("agent", "on", "expected"),
    [
        ("asks", "TransientError", ("missing", "outage")),
        ("wraps", "TransientError", ("fail", "gave_up")),
        ("lets_through", "RuntimeError", ("fail", "gave_up")),
        ("groups", "RuntimeError", ("fail", "gave_up")),
    ],
)
def test_an_outage_under_a_fault_is_none_that_the_fault_is(
    tiny: TinyProject, agent: str, on: str, expected: tuple[str, str]
) -> None:
    """A provider that is down meanwhile says nothing; who lets the fault through gives up."""
    case = {
        "id": "a",
        "input": agent,
        "initial_state": {"refunded": False},
        "expected": {"state": {"refunded": True}},
    }
    check = {"type": "fault_recovery", "tool": "refund", "fault": "error"}
    retries = {"attempts": 2, "on": [on], "wait_s": 0}
    tiny.write(app=DEEP, cases=[case], evaluators=[check], retries=retries).run()
    (verdict,) = tiny.panel("a").verdicts
    assert expected == (verdict.status, verdict.reason or verdict.label), verdict.detail
    if verdict.status == "missing":
        assert "TransientError: 503 from the provider" in str(verdict.detail)


def test_an_outage_in_the_control_says_nothing_of_the_recording(tiny: TinyProject) -> None:
    """It neither reproduces nor diverges."""
    case = {
        "id": "a",
        "input": "control",
        "initial_state": {"refunded": False},
        "expected": {"state": {"refunded": True}},
    }
    check = {"type": "fault_recovery", "tool": "refund", "fault": "error"}
    tiny.write(app=DEEP, cases=[case], evaluators=[check]).run()
    (verdict,) = tiny.panel("a").verdicts
    assert ("missing", "outage") == (verdict.status, verdict.reason), verdict.detail


def test_who_crashes_before_the_struck_call_is_not_excluded(tiny: TinyProject) -> None:
    """Nobody knows what it would have made of the fault; who never calls the tool is excluded."""
    state = {"booked": []}
    app = DESK.replace("def turn(self, message)", "def __call__(self, message)")
    cases = [
        {"id": verb, "input": f"{verb} a", "initial_state": state, "expected": {"state": after}}
        for verb, after in (("book", {"booked": ["a"]}), ("look", state), ("wrong", state))
    ]
    check = {"type": "fault_recovery", "tool": "book", "fault": "error"}
    report = tiny.write(app=app, cases=cases, evaluators=[check]).run()
    (metric,) = report.metrics
    assert ({"call_did_not_complete": 1}, {"fault_target_not_called": 1}, 1) == (
        metric.missing,
        metric.excluded,
        metric.observed,
    )
