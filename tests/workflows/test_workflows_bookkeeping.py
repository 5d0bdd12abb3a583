"""Stamps, row numbers and generated keys, in runs of sandboxes that write them by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.workflows.check import check
from oloproof.workflows.replay import replay

STORE = """
import itertools, time, uuid
import oloproof

numbers = itertools.count(100)


class Store:
    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    def write(self, item):
        key = f"ord-{uuid.uuid4().hex[:8]}"
        self.world["orders"][key] = {"id": key, "item": item, "at": time.time_ns()}
        self.world["log"].append({"row": next(numbers), "what": item, "order": key})
        self.world["as_of"] = time.time_ns()
"""
SINGLE = """
    @oloproof.tool
    def order(self, item):
        self.write(item)
        return {"ok": True}

    @oloproof.tool
    def mail(self, to):
        self.world["mails"].append(to)
        return {"ok": True}

    def __call__(self, request):
        for item in request["items"]:
            self.order(item=item)
        self.mail(to=request["to"])
        return {"answer": "done"}
"""
ASYNC = (
    SINGLE.replace("    def __call__", "    async def __call__")
    .replace("    @oloproof.tool\n    def", "    @oloproof.tool\n    async def")
    .replace("self.order(", "await self.order(")
    .replace("self.mail(", "await self.mail(")
)
TALK = (
    SINGLE.replace("def __call__(self, request):", "def turn(self, message):")
    .replace('request["items"]', "message.split()[1:]")
    .replace('request["to"]', "message.split()[0]")
)
BY_HAND = """
    def call(self, tool, **arguments):
        step = {"kind": "tool_call", "tool_name": tool, "arguments": arguments}
        self.steps.append(step | {"result": {"ok": True}})

    def tail(self, request):
        self.write(request["items"][0])
        self.call("order", item=request["items"][0])
        self.steps.append({"kind": "final", "result": {"answer": "done"}})

    def report(self):
        steps = [{"index": n, **step} for n, step in enumerate(self.steps, start=1)]
        return oloproof.AgentTrajectory.model_validate({"steps": steps})

    def __call__(self, request):
        self.steps = []
        self.tail(request)
        oloproof.current_case().agent_trajectory(self.report())
        return {"answer": "done"}

    async def replay(self, trajectory, *, checkpoint, change):
        self.steps = []
        if change.kind == "inject_fault":
            self.call("order", item="book")
            self.steps[-1]["result"] = change.fault_result
            return self.report()
        self.tail(oloproof.current_case().input)
        return self.report()
"""
IGNORE = ["as_of", "orders[*].at", "log[*].row", "log[*].order"]
SYSTEM = {"callable": "app:Store", "ignore": IGNORE, "generated_keys": ["orders"]}
WORLD: dict[str, Any] = {
    "orders": {"7": {"id": "7", "item": "old", "at": 0}},
    "log": [],
    "mails": [],
    "as_of": 0,
}
EXPECTED = {
    "orders": {"7": {"id": "7", "item": "old"}, "new-1": {"id": "new-1", "item": "book"}},
    "log": [{"what": "book"}],
    "mails": ["ann"],
}
FAULT = {"type": "fault_recovery", "tool": "order", "fault": "error"}


POLITE = {"transforms": [{"name": "polite", "field": "note", "template": "Please: {value}"}]}
RELATION = {"type": "metamorphic_relation", "relation": "same_state", "transform": "polite"}


def case(name: str = "a", **fields: Any) -> dict[str, Any]:
    asked = {"items": ["book"], "to": "ann", "note": "soon"}
    given = {"id": name, "input": asked, "initial_state": WORLD, "expected": {"state": EXPECTED}}
    return given | fields


def verdicts(tiny: Any, name: str = "a") -> dict[str, tuple[str, str | None]]:
    found = tiny.panel(name).verdicts
    return {one.metric: (one.status, one.reason or one.label) for one in found}


def write(tiny: Any, agent: str, evaluators: list[dict[str, Any]], **options: Any) -> None:
    tiny.write(
        app=STORE + agent,
        cases=options.pop("cases", [case()]),
        system=options.pop("system", SYSTEM),
        evaluators=evaluators,
        **options,
    )


@pytest.mark.parametrize("agent", [SINGLE, ASYNC], ids=["sync", "async"])
def test_what_a_store_writes_by_itself_counts_nowhere(tiny, agent):
    """Controls hold, states are the expected ones, and a copy leaves the same as its source."""
    checks = [
        {"type": "state_matches"},
        {"type": "state_unchanged", "except": ["orders", "log", "mails"]},
        FAULT,
        FAULT | {"tool": "mail", "fault": "applied_error"},
        RELATION,
    ]
    write(tiny, agent, checks, metamorphic=POLITE)
    tiny.run()
    assert {
        "state_matches": ("pass", None),
        "state_unchanged": ("pass", None),
        "recovers_from_error_at_order": ("fail", "gave_up"),
        "recovers_from_applied_error_at_mail": ("fail", "gave_up"),
        "same_state_under_polite": ("not_applicable", "not_a_metamorphic_pair"),
        "same_state_under_identity": ("not_applicable", "not_a_metamorphic_pair"),
    } == verdicts(tiny)
    assert ("pass", None) == verdicts(tiny, "a~identity")["same_state_under_identity"]
    assert ("pass", None) == verdicts(tiny, "a~polite")["same_state_under_polite"]
    (report,) = replay(tiny.folder, "a", tool="mail", fault="error")
    assert (True, "gave_up") == (report.control.trusted, report.label)


def test_what_is_not_declared_counts(tiny):
    """A control does not hold, and the verdict says how the place is declared."""
    write(
        tiny,
        SINGLE,
        [FAULT, RELATION],
        metamorphic=POLITE,
        system={"callable": "app:Store"},
        cases=[case(expected=None)],
    )
    tiny.run()
    verdict = tiny.verdict("a", "recovers_from_error_at_order")
    assert ("missing", "changed_state") == (verdict.status, verdict.reason)
    assert "`system.ignore`" in verdict.detail
    assert "fail" == tiny.verdict("a~identity", "same_state_under_identity").status
    assert "not_attributable" == tiny.verdict("a~polite", "same_state_under_polite").reason


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ('self.write(item + "!")', "orders.new-1.item"),
        ('self.write(item); self.write("pen")', "log[1]"),
        ('self.write(item); self.world["orders"]["7"]["item"] = "lost"', "orders.7.item"),
        ('self.write(item); self.world["log"][-1]["what"] = "else"', "log[0].what"),
    ],
)
def test_what_an_agent_does_is_seen_all_the_same(tiny, broken, place):
    """Another row, one row more, and an old row that was touched are no bookkeeping."""
    agent = SINGLE.replace("self.write(item)", f"{broken}")
    write(tiny, agent, [{"type": "state_matches"}])
    tiny.run()
    verdict = tiny.verdict("a", "state_matches")
    assert "fail" == verdict.status
    assert place in [one.path for one in verdict.compared if not one.passed]


def test_conversations(tiny):
    """After every turn, and between turns, what the store writes by itself does not count."""
    turns = [{"user": "ann book"}, {"user": "bob pen"}]
    after_first = {"state": EXPECTED}
    second = {"id": "new-2", "item": "pen"}
    in_the_end = {
        "orders": EXPECTED["orders"] | {"new-2": second},
        "log": [{"what": "book"}, {"what": "pen"}],
        "mails": ["ann", "bob"],
    }
    talk = {
        "id": "a",
        "turns": turns,
        "initial_state": WORLD,
        "expected": {"state": in_the_end, "turns": {"1": after_first}},
    }
    checks = [
        {"type": "state_matches"},
        {"type": "state_preserved", "except": ["log", "mails"]},
        {"type": "state_changed_only", "paths": ["orders", "log", "mails"]},
        {"type": "state_invariants", "invariants": ["not changed(as_of)", "present(as_of)"]},
        FAULT | {"turn": 2},
    ]
    write(tiny, TALK, checks, cases=[talk])
    tiny.run()
    assert {
        "state_matches": ("pass", None),
        "state_preserved": ("pass", None),
        "state_changed_only": ("pass", None),
        "state_invariants": ("pass", None),
        "recovers_from_error_at_order_in_turn_2": ("fail", "gave_up"),
    } == verdicts(tiny)


def test_a_replay_by_hand(tiny):
    """Its control is held against the recording in the same way."""
    expected = {"answer": "done", "state": EXPECTED | {"mails": []}}
    write(tiny, BY_HAND, [FAULT], cases=[case(expected=expected)])
    tiny.run()
    assert {"recovers_from_error_at_order": ("fail", "gave_up")} == verdicts(tiny)
    write(tiny, BY_HAND, [FAULT], system={"callable": "app:Store"}, cases=[case(expected=None)])
    tiny.run()
    assert {"recovers_from_error_at_order": ("missing", "changed_state")} == verdicts(tiny)


def test_a_conformance_check_knows_of_it(tiny):
    """A store that stamps what is declared can be relied on; where it is not, it says how."""
    write(tiny, SINGLE, [FAULT])
    assert [] == check(tiny.folder).reasons
    write(tiny, SINGLE, [FAULT], system={"callable": "app:Store"})
    (reason,) = check(tiny.folder).reasons
    assert ("hidden_nondeterminism", True) == (reason.reason, "`system.ignore`" in reason.fix)


def test_a_declaration_makes_replays_again_and_runs_no_agent(tiny):
    """Controls follow from what counts, and recordings do not."""
    write(tiny, SINGLE, [FAULT], system=SYSTEM | {"ignore": IGNORE[:-1]})
    tiny.run()
    write(tiny, SINGLE, [FAULT])
    report = tiny.run()
    assert (0, 2) == (report.executed, report.replayed)
    assert {"recovers_from_error_at_order": ("fail", "gave_up")} == verdicts(tiny)


@pytest.mark.parametrize(
    ("system", "evaluator", "where", "what"),
    [
        (
            {},
            {"type": "state_matches", "mode": "paths", "paths": ["orders.7.at"]},
            "paths",
            "leaves",
        ),
        ({}, {"type": "state_unchanged", "paths": ["as_of"]}, "paths", "out of all comparisons"),
        ({}, {"type": "state_preserved", "paths": ["as_of"]}, "paths", "out of all comparisons"),
        ({}, FAULT | {"unchanged": ["orders[*].at"]}, "unchanged", "out of all comparisons"),
        (
            {"ignore": ["orders"], "generated_keys": ["orders"]},
            {"type": "state_matches"},
            "system.generated_keys[0]",
            "by their rows, and to be ignored",
        ),
        ({"ignore": ["a..b"]}, {"type": "state_matches"}, "system.ignore[0]", "cannot be read"),
        ({"ignore": "as_of"}, {"type": "state_matches"}, "system.ignore", "list"),
    ],
)
def test_what_counts_cannot_be_ignored(tiny, system, evaluator, where, what):
    """A place that a check compares, and one that cannot be read, are refused with their line."""
    write(tiny, SINGLE, [evaluator], system=SYSTEM | system)
    with pytest.raises(ConfigurationError) as caught:
        tiny.run()
    assert caught.value.where.endswith(where)
    assert what in caught.value.what


def test_a_place_that_is_nowhere_is_told(tiny):
    """It is most likely misspelt; the states of the cases say what was meant."""
    system = SYSTEM | {"ignore": ["as_off", *IGNORE[1:]], "generated_keys": ["order"]}
    write(tiny, SINGLE, [{"type": "state_matches"}], system=system)
    told = [text for text in tiny.run().notices if "system." in text]
    assert 2 == len(told)
    assert "`system.ignore` names the path `as_off`" in told[0]
    assert "did you mean `orders`?" in told[1]
