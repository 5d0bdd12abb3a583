"""Conversations from the dataset to the report, with real workers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

DESK = """
import os, signal, time
import oloproof

class Desk:
    def reset(self, state):
        self.world, self.goal, self.said = state, None, []

    def snapshot(self): return self.world

    def active_state(self): return self.goal

    @oloproof.tool
    def refund(self, order):
        self.world["refunds"].append(order)
        return {"ok": True}

    def turn(self, message):
        self.said.append(message)
        verb, _, order = message.partition(" ")
        self.goal = {"order": order}
        getattr(self, verb)(order)
        return f"{verb}: {order}"

    def look(self, order): pass
    def book(self, order): self.refund(order)
    def twice(self, order): self.refund(order), self.refund(order + "2")
    def boom(self, order): self.refund(order); raise ValueError("no " + order)
    def hang(self, order): self.refund(order); time.sleep(60)
    def kill(self, order): self.refund(order); os.kill(os.getpid(), signal.SIGKILL)

    def careful(self, order):
        try:
            self.refund(order)
        except Exception:
            self.refund(order)

    def flaky(self, order):
        if not os.path.exists("tried"):
            open("tried", "w").close()
            raise oloproof.TransientError("later")
"""
ASYNC = DESK.replace("def turn", "async def turn").replace(
    "self.goal = ", "import asyncio; await asyncio.sleep(0.02); self.goal = "
)


def talk(name: str, *turns: str, after: dict[int, list[str]] | None = None) -> dict[str, Any]:
    """A case whose refunds are expected to be these `after` some turns."""
    expected = {str(n): {"state": {"refunds": refunds}} for n, refunds in (after or {}).items()}
    return {
        "id": name,
        "turns": list(turns),
        "initial_state": {"refunds": []},
        "expected": {"turns": expected},
    }


def write(tiny: TinyProject, *cases: dict[str, Any], app: str = DESK, **given: Any) -> TinyProject:
    system = {"callable": "app:Desk", "timeout_s": 20} | given.pop("system", {})
    return tiny.write(app=app, cases=list(cases), system=system, **given)


def told(tiny: TinyProject, case: str, metric: str = "state_matches") -> tuple[str, str | None]:
    verdict = tiny.verdict(case, metric)
    return verdict.status, verdict.reason or verdict.label


def test_states_are_judged_after_each_turn(tiny: TinyProject) -> None:
    """What was wrong in between is found, though the end is right; a class needs no call."""
    write(
        tiny,
        talk("right", "book a", "book b", after={1: ["a"], 2: ["a", "b"]}),
        talk("early", "book a", "look b", after={1: [], 2: ["a"]}),
        evaluators=[
            {"type": "state_matches"},
            {"type": "state_matches", "criterion": "end", "turn": 2},
        ],
    ).run()
    assert "pass" == told(tiny, "right")[0]
    assert ["fail", "pass"] == [told(tiny, "early")[0], told(tiny, "early", "end")[0]]
    assert "book: b" == tiny.panel("right").output


def test_the_working_state_is_read_after_each_turn(tiny: TinyProject) -> None:
    """By `active_state`, beside the world."""
    case = talk("a", "look a", "look b")
    case["expected"] = {"turns": {"1": {"active": {"order": "a"}}, "2": {"active": {"order": "x"}}}}
    checks = [
        {"type": "state_matches", "of": "active", "criterion": f"goal_{n}", "turn": n}
        for n in (1, 2)
    ]
    write(tiny, case, evaluators=checks).run()
    assert ["pass", "fail"] == [told(tiny, "a", f"goal_{n}")[0] for n in (1, 2)]


def test_steps_say_their_turn(tiny: TinyProject) -> None:
    """The user's messages and the calls that followed them."""
    write(tiny, talk("a", "book a", "look b", "book c")).run()
    steps = tiny.panel("a").steps
    assert [1, 2, 3] == [step["turn"] for step in steps if step.get("agent") == "user"]
    assert [1, 3] == [step["turn"] for step in steps if step["kind"] == "tool_call"]


@pytest.mark.parametrize(("verb", "status"), [("boom", "raised"), ("hang", "timed_out")])
def test_what_was_before_a_turn_that_ends_badly_is_kept(
    tiny: TinyProject, verb: str, status: str
) -> None:
    """Its own damage too, where it can be read; a turn that was not reached is missing."""
    case = talk("a", "book a", f"{verb} b", "book c", after={1: ["a"], 3: []})
    checks: list[dict[str, Any]] = [
        {"type": "state_matches", "criterion": f"after_{n}", "turn": n} for n in (1, 3)
    ]
    checks += [{"type": "state_unchanged", "criterion": "kept", "paths": ["other"]}]
    write(tiny, case, evaluators=checks, system={"timeout_s": 1}).run()
    panel = tiny.panel("a")
    assert status == panel.outcome.status
    calls = [(s["turn"], s["arguments"]) for s in panel.steps if s["kind"] == "tool_call"]
    assert [(1, {"order": "a"}), (2, {"order": "b"})] == calls
    assert ("missing", "turn_not_reached") == told(tiny, "a", "after_3")
    assert "pass" == told(tiny, "a", "after_1")[0]
    # Of a process that was ended nobody knows what its last turn left behind.
    assert (status == "raised") == panel.final.recorded
    assert {"raised": "pass", "timed_out": "missing"}[status] == told(tiny, "a", "kept")[0]


def test_a_turn_that_waits_too_long_is_cancelled_alone(tiny: TinyProject) -> None:
    """The states before and after it are there, since an async call leaves its process be."""
    app = ASYNC.replace("time.sleep(60)", "self.late()").replace(
        "getattr(self, verb)(order)",
        "getattr(self, verb)(order); await asyncio.sleep(60 * (verb == 'hang'))",
    )
    app = app.replace("def look(", "def late(self): pass\n    def look(")
    case = talk("a", "book a", "hang b", "book c", after={1: ["a"], 2: ["a", "b"]})
    checks = [{"type": "state_matches", "criterion": f"after_{n}", "turn": n} for n in (1, 2)]
    write(tiny, case, app=app, evaluators=checks, system={"timeout_s": 0.5}).run()
    assert "timed_out" == tiny.panel("a").outcome.status
    assert ["pass", "pass"] == [told(tiny, "a", f"after_{n}")[0] for n in (1, 2)]


def test_a_kill_in_the_second_turn_shows_what_was_before(tiny: TinyProject) -> None:
    """Steps, reply and states were said on the way, so that only the turn itself is lost."""
    case = talk("a", "book a", "kill b", after={1: ["a"], 2: ["a"]})
    case["expected"]["turns"]["1"]["active"] = {"order": "a"}
    checks = [
        {"type": "state_matches", "criterion": "after_1", "turn": 1},
        {"type": "state_matches", "criterion": "goal_1", "turn": 1, "of": "active"},
        {"type": "state_matches", "criterion": "after_2", "turn": 2},
    ]
    write(tiny, case, talk("z", "book z", "look z", after={2: ["z"]}), evaluators=checks).run()
    panel = tiny.panel("a")
    assert "killed" == panel.outcome.status
    assert [(1, "user"), (2, "user")] == [
        (step["turn"], step["agent"]) for step in panel.steps if step.get("agent")
    ]
    assert [1, 2] == [step["turn"] for step in panel.steps if step["kind"] == "tool_call"]
    assert ["pass", "pass"] == [told(tiny, "a", f"{of}_1")[0] for of in ("after", "goal")]
    assert ("missing", "no_recorded_state") == told(tiny, "a", "after_2")
    assert "pass" == told(tiny, "z", "after_2")[0]


def test_a_report_replaces_steps_and_no_turns(tiny: TinyProject) -> None:
    """A system that reports its trajectory in each turn keeps the states that were said."""
    report = """
        steps = [oloproof.AgentStep(index=1, kind="message", turn=1, result=message)]
        oloproof.current_case().agent_trajectory(oloproof.AgentTrajectory(steps=steps))
        verb, _, order"""
    app = DESK.replace("\n        verb, _, order", report)
    checks = [{"type": "state_matches", "turn": 1}]
    write(tiny, talk("a", "book a", "kill b", after={1: ["a"]}), app=app, evaluators=checks).run()
    panel = tiny.panel("a")
    assert ("killed", ["kill b"]) == (panel.outcome.status, [s["result"] for s in panel.steps])
    assert "pass" == told(tiny, "a")[0]


def test_another_attempt_begins_with_nothing_said(tiny: TinyProject) -> None:
    """What an attempt left behind is no evidence of the one after it."""
    app = DESK.replace(
        "def look(self, order): pass",
        "def look(self, order):\n        if os.path.exists('tried'): time.sleep(60)",
    )
    case = talk("a", "look a", "book a", "flaky b", after={1: []})
    retries = {"attempts": 2, "wait_s": 0.01}
    write(tiny, case, app=app, retries=retries, system={"timeout_s": 1}).run()
    panel = tiny.panel("a")
    assert "timed_out" == panel.outcome.status
    assert ["look a"] == [step["result"] for step in panel.steps]
    assert ("missing", "no_recorded_state") == told(tiny, "a")


def recovery(**given: Any) -> dict[str, Any]:
    return {"type": "fault_recovery", "tool": "refund", "fault": "error", **given}


def test_a_fault_strikes_a_call_of_a_turn(tiny: TinyProject) -> None:
    """The n-th call of turn t, whatever was called before; a turn without it is excluded."""
    done = ["a", "b", "b2", "c"]
    write(
        tiny,
        talk("plain", "book a", "twice b", "book c", after={3: done}),
        talk("careful", "book a", "careful b", after={2: ["a", "b"]}),
        evaluators=[
            {"type": "state_matches"},
            recovery(turn=2),
            recovery(turn=2, occurrence=2),
        ],
    ).run()
    first, second = (
        "recovers_from_error_at_refund_in_turn_2",
        ("recovers_from_error_at_refund_call_2_in_turn_2"),
    )
    for name, metric, turn, order in [
        ("plain", first, 2, "b"),
        ("plain", second, 2, "b2"),
        ("careful", first, 2, "b"),
    ]:
        replays = [r for r in tiny.panel(name).replays if r.step_index is not None]
        recorded = tiny.panel(name).steps
        struck = {
            (recorded[r.step_index - 1]["turn"], recorded[r.step_index - 1]["arguments"]["order"])
            for r in replays
            if r.step_index is not None
        }
        assert (turn, order) in struck
        assert tiny.verdict(name, metric).reason is None
    assert ("not_applicable", "fault_target_not_called") == told(tiny, "careful", second)
    assert all(
        r.control is not None and r.control.trusted
        for name in ("plain", "careful")
        for r in tiny.panel(name).replays
        if r.unavailable is None
    )


def test_a_recorded_conversation_is_replayed_up_to_its_fault(tiny: TinyProject) -> None:
    """The turns before are as recorded, and the later turns follow from what the agent saw."""
    write(
        tiny,
        talk("careful", "book a", "careful b", "book c", after={3: ["a", "b", "c"]}),
        talk("plain", "book a", "book b", "book c", after={3: ["a", "b", "c"]}),
        evaluators=[{"type": "state_matches"}, recovery(turn=2)],
    ).run()
    (careful,) = tiny.panel("careful").replays
    (plain,) = tiny.panel("plain").replays
    assert careful.replay is not None
    assert plain.replay is not None
    assert {"refunds": ["a", "b", "c"]} == careful.replay.final.state
    assert ("completed", "raised") == (careful.replay.outcome.status, plain.replay.outcome.status)
    assert {"refunds": ["a"]} == plain.replay.final.state
    assert [1, 2, 2, 3] == [s["turn"] for s in careful.replay.steps if s["kind"] == "tool_call"]


def test_a_fault_in_a_turn_that_a_case_lacks_is_refused(tiny: TinyProject) -> None:
    """Before anything runs, as for every check of a turn."""
    write(tiny, talk("a", "book a"), evaluators=[recovery(turn=2)])
    with pytest.raises(ConfigurationError, match="speaks of turn 2, and case `a` has 1 turn"):
        tiny.run()


def test_one_turns_message_is_changed(tiny: TinyProject) -> None:
    """The copy is talked through with the others as they were."""
    pair = {"type": "metamorphic_relation", "relation": "same_state", "transform": "other"}
    rename = {"name": "other", "field": "turns[1].user", "replace": [["b", "x"]]}
    write(
        tiny,
        talk("same", "book a", "look b"),
        talk("different", "book a", "book b"),
        evaluators=[pair],
        metamorphic={"transforms": [rename]},
    ).run()
    metric = "same_state_under_other"
    assert ["pass", "fail"] == [told(tiny, f"{n}~other", metric)[0] for n in ("same", "different")]
    users = [s["result"] for s in tiny.panel("same~other").steps if s.get("agent") == "user"]
    assert ["book a", "look x"] == users


def test_a_conversation_is_tried_again_as_a_whole(tiny: TinyProject) -> None:
    """From a fresh sandbox, with nothing of the turns before."""
    case = talk("a", "book a", "flaky b", after={2: ["a"]})
    write(tiny, case, retries={"attempts": 2, "wait_s": 0.01}).run()
    assert ["raised", "completed"] == [attempt.status for attempt in tiny.panel("a").attempts]
    assert "pass" == told(tiny, "a")[0]


def test_async_turns_share_a_worker(tiny: TinyProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each conversation stays in its sandbox, and every turn in its own."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    cases = [
        talk(f"c{n}", f"book a{n}", f"book b{n}", after={1: [f"a{n}"], 2: [f"a{n}", f"b{n}"]})
        for n in range(12)
    ]
    write(tiny, *cases, app=ASYNC, concurrency={"system": 4}).run()
    assert {"pass"} == {told(tiny, f"c{n}")[0] for n in range(12)}


@pytest.mark.parametrize(
    ("callable_", "cases", "what", "field"),
    [
        ("call", [talk("a", "x")], "is a conversation, and `app:call` has no `turn`", "turns"),
        ("Talker", [{"id": "b", "input": 1}], "`app:Talker` can only be talked with", "input"),
        (
            "Talker",
            [talk("a", "x"), {"id": "b", "input": 1}],
            "case `b` is a single call",
            "input",
        ),
    ],
)
def test_a_case_that_the_system_cannot_take_is_refused(
    tiny: TinyProject, callable_: str, cases: list[dict[str, Any]], what: str, field: str
) -> None:
    """With the line of the first one, before any case is run."""
    for case in cases:
        case.pop("initial_state", None)
        case.pop("expected", None)
    app = "def call(request): return 1\nclass Talker:\n    def turn(self, message): return 1\n"
    write(tiny, *cases, app=app, system={"callable": f"app:{callable_}"})
    with pytest.raises(ConfigurationError, match=what) as caught:
        tiny.run()
    assert caught.value.where is not None
    assert caught.value.where.endswith(f"cases.jsonl:{len(cases)}: {field}")
    assert "give the system" in (caught.value.fix or "")


def test_a_system_with_both_takes_both(tiny: TinyProject) -> None:
    """Conversations and single calls may stand in one dataset."""
    app = DESK + "\n    def __call__(self, request):\n        return {'answer': request}\n"
    single = {"id": "s", "input": 7, "initial_state": {"refunds": []}, "expected": {"answer": 7}}
    checks = [{"type": "state_matches"}, {"type": "exact_match", "field": "answer"}]
    conversation = talk("t", "book a", after={1: ["a"]})
    write(tiny, single, conversation, app=app, evaluators=checks).run()
    assert ["pass", "pass"] == [told(tiny, "s", "exact_match")[0], told(tiny, "t")[0]]
