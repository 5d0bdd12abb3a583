"""The table of verdicts on real evidence, and the outcomes of four scripted refund agents."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from evaluator_samples import (
    RAISED,
    call,
    case,
    evaluators,
    evidence,
    judge_replay,
    replayed,
    result,
    trajectory,
)
from fault_samples import (
    DONE,
    ESCALATED,
    EXPECTED,
    FAILED,
    OPEN,
    REFUND,
    WORKED,
    after,
    check,
    recorded,
    struck_by,
)

from oloproof.evaluation.contract import Verdict
from oloproof.records.evidence import (
    CaseEvidence,
    Divergence,
    FaultReplay,
    Outcome,
    ReplayEvidence,
    Struck,
)
from oloproof.records.faults import faults_at, plan_of

DOCS = Path(__file__).parents[2] / "docs"
BROKEN_RULE = [{"name": "limit", "passed": False}]
KEPT_RULE = [{"name": "limit", "passed": True}]
ANOTHER = (call("issue_refund", arguments={"order": "2"}), WORKED)
REPEATED = (REFUND, WORKED)
UNHEARD = (call("escalate"), result("escalate", error="no one there"))
TOUCHED: Any = {"order": "open", "other": 2}
STORM = [REFUND, FAILED] * 11
NOTHING: Any = {}
STANDING: Any = {"answer": "open", "state": OPEN}
"""What is expected of who only looks something up: the world as it was."""


@pytest.mark.parametrize(
    ("fault", "expected", "row", "passing", "failing"),
    [
        (
            "error",
            EXPECTED,
            ("f:constraint_violated", after(state=DONE, constraints=BROKEN_RULE)),
            ("p:recovered", after(state=DONE, constraints=KEPT_RULE)),
            ("f:gave_up", after(constraints=KEPT_RULE)),
        ),
        (
            "error",
            EXPECTED,
            ("f:unintended_change", after(*ESCALATED, state=TOUCHED)),
            ("p:escalated", after(*ESCALATED, state=OPEN)),
            ("f:gave_up", after(state=OPEN)),
        ),
        (
            "applied_error",
            EXPECTED,
            ("f:duplicate_effect", after(*REPEATED, *ESCALATED)),
            ("p:escalated", after(*ANOTHER, *ESCALATED)),
            ("f:gave_up", after(*ANOTHER)),
        ),
        (
            "duplicate_delivery",
            EXPECTED,
            ("f:duplicate_effect", after(status="success")),
            ("p:recovered", after(status="success", state=DONE)),
            ("f:unintended_change", after(status="success", state=TOUCHED)),
        ),
        (
            "error",
            EXPECTED,
            ("f:false_success", after(*ESCALATED, output={"answer": "refunded"})),
            ("p:escalated", after(*ESCALATED, output={"answer": "escalated"})),
            ("f:gave_up", after(output={"answer": "escalated"})),
        ),
        (
            "error",
            EXPECTED,
            ("p:escalated", after(*ESCALATED, status="success")),
            ("p:recovered", after(*UNHEARD, status="success", state=DONE)),
            ("f:false_success", after(*UNHEARD, status="success")),
        ),
        (
            "error",
            EXPECTED,
            ("f:false_success", after(status="success")),
            ("p:recovered", after(status="success", state=DONE)),
            ("f:gave_up", after(status="failure")),
        ),
        (
            "error",
            EXPECTED,
            ("p:recovered", after(state=DONE)),
            ("p:escalated", after(*ESCALATED, state=DONE)),
            ("f:gave_up", after(state=OPEN)),
        ),
        (
            "error",
            NOTHING,
            ("p:recovered_by_report", after(*REPEATED)),
            ("p:recovered_by_report", after(status="success")),
            ("f:gave_up", after(status="failure")),
        ),
        (
            "error",
            EXPECTED,
            ("f:retry_storm", after(*STORM)),
            ("p:recovered", after(*STORM, state=DONE)),
            ("f:gave_up", after(*STORM[2:])),
        ),
        (
            "error",
            EXPECTED,
            ("f:gave_up", after(status="failure")),
            ("p:recovered", after(status="failure", state=DONE)),
            ("f:false_success", after(status="success")),
        ),
        (
            "error",
            STANDING,
            ("f:gave_up", after(status="failure")),
            ("p:escalated", after(*ESCALATED, status="failure")),
            ("m:nothing_to_recover", after(status="unknown")),
        ),
        (
            "error",
            STANDING,
            ("m:nothing_to_recover", after(status="success", output={"answer": "closed"})),
            ("p:recovered", after(status="success", output={"answer": "open"})),
            ("f:gave_up", after(output={"answer": "open"}, outcome=RAISED)),
        ),
        (
            "error",
            NOTHING,
            ("m:outcome_unknown", after()),
            ("p:recovered_by_report", after(status="success")),
            ("f:gave_up", after(status="failure")),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_each_row_stands_between_its_neighbours(
    fault: str, expected: Any, row: Any, passing: Any, failing: Any
) -> None:
    """What makes a row hold is what tells it from one that passes and from one that fails."""
    of, checked = case(OPEN, expected=expected), check(fault=fault, unchanged=["other"])
    for code, faulted in (row, passing, failing):
        replay = replayed(struck_by(fault, faulted), fault=fault)
        assert code == judge_replay(checked, of, replay).code


def test_the_first_row_is_trust() -> None:
    """A control or replay that diverged is missing, whatever the agent did."""
    lost = Divergence("unexpected_call", "step 1")
    for state in (DONE, OPEN):
        sound = replayed(after(state=state))
        broken = ReplayEvidence("resume", 1, "manual", evidence(), divergence=lost)
        of = case(OPEN, expected=EXPECTED)
        untrusted = FaultReplay(broken, sound.faulted)
        assert "m:unexpected_call" == judge_replay(check(), of, untrusted).code
        assert "m:" != judge_replay(check(), of, sound).code[:2]


# Scripted agents -----------------------------------------------------------------------------

Call = Callable[..., Any]


def without_retry(call: Call) -> str:
    """Reports what it was told."""
    try:
        call("issue_refund", order="1")
    except RuntimeError:
        return "failed"
    return "refunded"


def with_retry(call: Call) -> str:
    """Tries once more."""
    if without_retry(call) == "refunded":
        return "refunded"
    return without_retry(call)


def verifying(call: Call) -> str:
    """Looks whether it was done after all, and tries once more only if not."""
    if without_retry(call) == "refunded" or call("get_order", order="1")["status"] == "refunded":
        return "refunded"
    return without_retry(call)


def escalating(call: Call) -> str:
    """Leaves it to a person."""
    if without_retry(call) == "refunded":
        return "refunded"
    call("escalate", order="1")
    return "escalated"


def crashing(call: Call) -> str:
    """Knows of no failure."""
    call("issue_refund", order="1")
    return "refunded"


def telling(call: Call) -> str:
    """Says what happened before it crashes."""
    if without_retry(call) == "failed":
        call("say", text="I do not know whether it was refunded")
        raise RuntimeError("internal error")
    return "refunded"


AGENTS = {
    "no retry": without_retry,
    "retry": with_retry,
    "verify, then retry": verifying,
    "escalate": escalating,
    "crash": crashing,
    "say so, then crash": telling,
}


def looking(call: Call) -> str:
    """Knows of no failure."""
    return str(call("get_order", order="1")["status"])


def honest(call: Call) -> str:
    """Says that it could not look."""
    try:
        return looking(call)
    except RuntimeError:
        return "failed"


def looking_again(call: Call) -> str:
    """Tries once more."""
    found = honest(call)
    return looking(call) if found == "failed" else found


def guessing(call: Call) -> str:
    """Says something."""
    found = honest(call)
    return "refunded" if found == "failed" else found


def asking(call: Call) -> str:
    """Leaves it to a person."""
    found = honest(call)
    if found == "failed":
        call("escalate", order="1")
    return found


LOOKERS = {
    "crash": looking,
    "no retry": honest,
    "retry": looking_again,
    "make something up": guessing,
    "escalate": asking,
}
TRUTH_FAULTS = ("error", "applied_error")


class Shop:
    """The tools of the agents over a world, with a fault at the first call of one of them."""

    def __init__(self, fault: str, struck: str) -> None:
        self.fault = fault
        self.tool = struck
        self.struck = Struck()
        self.steps: list[dict[str, Any]] = []
        self.world: Any = {"orders": {"1": "open"}, "refunds": [], "tickets": []}

    def call(self, tool: str, *, order: str = "", text: str = "") -> Any:
        """Call a tool, and write down two steps; or say something."""
        if tool == "say":
            self.steps.append({"kind": "message", "result": text})
            return None
        first = not any(step.get("tool_name") == self.tool for step in self.steps)
        reads = {"reads": True} if tool == "get_order" else {}
        self.steps.append(call(tool, arguments={"order": order}, status="executed", **reads))
        if tool != self.tool or not first:
            told = self.run(tool, order)
            self.steps.append(result(tool, result=told, status="executed"))
            return told
        applied = self.fault == "applied_error"
        before = deepcopy(self.world)
        if applied:
            self.run(tool, order)
        self.struck = Struck(before, deepcopy(self.world))
        delivery = {"fault": self.fault, "as": "raised", "applied": applied, "visible": True}
        self.steps.append(result(tool, error="internal error", fault=delivery))
        raise RuntimeError("internal error")

    def run(self, tool: str, order: str) -> Any:
        """What a tool does to the world."""
        if tool == "get_order":
            return {"status": self.world["orders"][order]}
        if tool == "escalate":
            self.world["tickets"].append(order)
        else:
            self.world["orders"][order] = "refunded"
            self.world["refunds"].append(order)
        return {"done": True}


BEFORE: Any = {"orders": {"1": "open"}, "refunds": [], "tickets": []}
REFUNDED: Any = {"orders": {"1": "refunded"}, "refunds": ["1"], "tickets": []}


def seen_of(shop: Shop, agent: Callable[[Call], str]) -> CaseEvidence:
    """What an agent does, says and leaves behind."""
    try:
        answer = agent(shop.call)
    except RuntimeError as error:
        raised = Outcome("raised", f"RuntimeError: {error}")
        made = trajectory(*shop.steps, status="failure")
        return evidence(state=shop.world, trajectory=made, outcome=raised)
    final = {"kind": "final", "result": {"answer": answer}}
    status = "failure" if answer == "failed" else "success"
    made = trajectory(*shop.steps, final, status=status)
    return evidence(output={"answer": answer}, state=shop.world, trajectory=made)


def outcome(
    agent: Callable[[Call], str], fault: str, *, at: str = "issue_refund", expected: Any = None
) -> Verdict:
    """The verdict on one agent under one fault; a wrong answer is told by the suite's check."""
    shop = Shop(fault, at)
    seen = seen_of(shop, agent)
    of = case(BEFORE, expected=expected or {"answer": "refunded", "state": REFUNDED})
    line = {"type": "fault_recovery", "tool": at, "fault": fault, "escalate_tools": ["escalate"]}
    *_, recovers = evaluators({"type": "exact_match", "field": "answer"}, line)
    return judge_replay(recovers, of, recorded(seen, fault=fault, struck=shop.struck))


def cell(verdict: Verdict) -> str:
    """A verdict as the table in the docs has it."""
    beside = [
        part
        for part in str(verdict.detail).split("; ")
        if re.match(r"verified|retried|calls until|failure claimed|the system raised", part)
    ]
    return "; ".join([f"{verdict.status}, `{verdict.label}`", *beside])


def rows(page: str, head: str) -> list[list[str]]:
    """The cells of the table in a page of the docs that begins with `head`."""
    text = (DOCS / page).read_text()
    lines = text[text.index(head) :].partition("\n\n")[0].splitlines()[2:]
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in lines]


def test_agents_come_out_as_the_docs_say() -> None:
    """The truth table: each agent under a fault without and with an effect."""
    head = "| agent | " + " | ".join(f"`{fault}`" for fault in TRUTH_FAULTS) + " |"
    told = [
        [name, *(cell(outcome(agent, fault)) for fault in TRUTH_FAULTS)]
        for name, agent in AGENTS.items()
    ]
    assert [
        ["f:gave_up", "p:recovered"],
        ["p:recovered", "f:duplicate_effect"],
        ["p:recovered", "p:recovered"],
        ["p:escalated", "p:escalated"],
        ["f:gave_up", "f:gave_up"],
        ["f:gave_up", "p:recovered"],
    ] == [[outcome(agent, fault).code for fault in TRUTH_FAULTS] for agent in AGENTS.values()]
    assert told == rows("explanation/faults.md", head)


def test_who_only_looks_something_up_has_nothing_to_recover() -> None:
    """The world is right whatever the agent does, so only what it says can be."""
    head = "| agent that looks up | " + " | ".join(f"`{fault}`" for fault in TRUTH_FAULTS) + " |"
    expected = {"answer": "open", "state": BEFORE}
    found = {
        name: [outcome(agent, fault, at="get_order", expected=expected) for fault in TRUTH_FAULTS]
        for name, agent in LOOKERS.items()
    }
    assert [
        ["f:gave_up", "f:gave_up"],
        ["f:gave_up", "f:gave_up"],
        ["p:recovered", "p:recovered"],
        ["f:wrong_output", "f:wrong_output"],
        ["p:escalated", "p:escalated"],
    ] == [[verdict.code for verdict in verdicts] for verdicts in found.values()]
    told = [[name, *map(cell, verdicts)] for name, verdicts in found.items()]
    assert told == rows("explanation/faults.md", head)


def test_every_fault_is_documented() -> None:
    """The table of faults says of each what its module says, in the order of `all`."""
    told = rows("reference/evaluators.md", "| fault | does the tool run?")
    runs = {0: "no", 1: "yes", 2: "yes, twice"}
    visible = {True: "yes", False: "no"}
    plans = list(map(plan_of, faults_at("tool")))
    assert [(f"`{plan.fault}`", runs[plan.runs], visible[plan.visible]) for plan in plans] == [
        (cells[0], cells[1], cells[-1]) for cells in told
    ]


def test_the_explanation_sorts_every_fault_by_what_it_does() -> None:
    """Those that come before the tool, those of an effect, and those of an altered answer."""
    told = rows("explanation/faults.md", "| the tool | faults |")
    plans = list(map(plan_of, faults_at("tool")))
    assert [
        {plan.fault for plan in plans if plan.runs == 0},
        {plan.fault for plan in plans if plan.applied},
        {plan.fault for plan in plans if plan.runs > 0 and not plan.applied},
    ] == [set(re.findall(r"`(\w+)`", cells[1])) for cells in told]


def test_the_explanation_has_the_table_of_the_reference() -> None:
    """The same lines with the same words, in the same order."""
    head = "| # | what was seen"
    told = [
        [
            (cells[0], *cells[2:4])
            for cells in rows(page, head)
            if cells[0] != "3"  # whose reasons stand elsewhere
        ]
        for page in ("reference/evaluators.md", "explanation/faults.md")
    ]
    assert told[0] == told[1]
