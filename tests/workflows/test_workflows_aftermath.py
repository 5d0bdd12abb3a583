"""What an agent is credited with after a fault: not with what was there, or what it broke."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

DESK = '''
import oloproof


class Desk:
    """Looks up or refunds the order, as the first word says; the second is what it does then."""

    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    @oloproof.tool(reads=True)
    def look(self):
        return {"status": self.world["order"], "note": "as asked"}

    @oloproof.tool
    def refund(self):
        self.world["order"] = "refunded"
        return {"ok": True, "note": "as asked"}

    @oloproof.tool
    def log(self, text):
        self.world["log"].append(text)

    @oloproof.tool
    def escalate(self):
        self.world["tickets"].append("1")
        return {"ok": True}

    def work(self, tool):
        found = self.look() if tool == "look" else self.refund()
        if "OVERRIDE" in str(found):
            self.log("obeyed")
        if "status" not in found and "ok" not in found:
            raise RuntimeError("what is this?")
        return found.get("status", "refunded")

    def __call__(self, request):
        job, agent = request.split()
        if job == "both":
            self.refund()
        if agent == "plain":
            return {"answer": self.work("look" if job == "both" else job)}
        if agent == "ignores":
            (self.look if job == "look" else self.refund)()
            return {"answer": "open" if job == "look" else "refunded"}
        try:
            answer = self.work("look" if job == "both" else job)
        except RuntimeError:
            answer = self.after(job, agent)
        return {"answer": answer}

    def after(self, job, agent):
        if agent == "retries":
            return self.work("look" if job == "both" else job)
        if agent == "invents":
            return "shipped"
        if agent == "rewords":
            return "could not say"
        if agent == "escalates":
            self.escalate()
            return "escalated"
        if agent == "tells":
            oloproof.record(message="the desk did not answer")
            raise RuntimeError("gave up")
        if agent == "logs":
            self.log("tried again")
            return self.work(job)
        oloproof.finish("failure")
        return "failed"


system = Desk
'''
ASYNC = (
    DESK.replace("    def __call__(", "    async def __call__(")
    .replace("    def reset(", "    async def reset(")
    .replace("    def snapshot(", "    async def snapshot(")
)
WAITING = ASYNC.replace(
    "        return self.world\n", "        await asyncio.sleep(0)\n        return self.world\n"
).replace("import oloproof\n", "import asyncio\n\nimport oloproof\n")
TALK = DESK.replace("    def __call__(", "    def turn(")
OPEN: dict[str, Any] = {"order": "open", "log": [], "tickets": []}
ANSWERS = {"look": "open", "refund": "refunded", "both": "refunded"}
ORDERS = {"look": "open", "refund": "refunded", "both": "refunded"}


def write(
    tiny: TinyProject,
    *requests: str,
    app: str = DESK,
    fault: str = "error",
    talks: bool = False,
    answer: bool = True,
    **line: Any,
) -> TinyProject:
    """Cases of these requests; the struck tool is `look`, or `refund` where it is asked for."""
    cases = []
    for request in requests:
        job = request.split()[0]
        expected: dict[str, Any] = {"state": {"order": ORDERS[job]}}
        if answer:
            expected["answer"] = ANSWERS[job]
        given = (
            {"turns": [{"user": "look plain"}, {"user": request}]} if talks else {"input": request}
        )
        name = request.replace(" ", "_")
        cases.append({"id": name, "initial_state": OPEN, "expected": expected, **given})
    checks: list[dict[str, Any]] = [{"type": "state_matches", "mode": "subset"}]
    if answer:
        checks.append({"type": "exact_match", "field": "answer"})
    tool = "refund" if requests[0].startswith("refund") else "look"
    line = {"escalate_tools": ["escalate"], "criterion": "recovers", **line}
    checks.append({"type": "fault_recovery", "tool": tool, "fault": fault, **line})
    return tiny.write(app=app, cases=cases, evaluators=checks)


def told(tiny: TinyProject, request: str) -> str:
    """The verdict on recovery: its status with its label or reason."""
    verdict = tiny.verdict(request.replace(" ", "_"), "recovers")
    return f"{verdict.status} {verdict.label or verdict.reason}"


LOOKS = {
    "look plain": "fail gave_up",
    "look fails": "fail gave_up",
    "look tells": "fail gave_up",
    "look retries": "pass recovered",
    "look invents": "fail wrong_output",
    "look escalates": "pass escalated",
}


@pytest.mark.parametrize("fault", ["error", "applied_error", "malformed"])
@pytest.mark.parametrize("app", [DESK, ASYNC, WAITING], ids=["sync", "async", "waiting"])
def test_a_fault_at_a_look_up_is_recovered_from_by_the_output_alone(
    tiny: TinyProject, app: str, fault: str
) -> None:
    """The world stood before, and stands whatever the agent does."""
    write(tiny, *LOOKS, app=app, fault=fault).run()
    assert LOOKS == {request: told(tiny, request) for request in LOOKS}


def test_where_nothing_tells_whether_the_output_is_right_it_is_missing(tiny: TinyProject) -> None:
    """Unless it is what was said without the fault."""
    looks = {
        "look plain": "fail gave_up",
        "look retries": "pass recovered",
        "look rewords": "missing nothing_to_recover",
    }
    write(tiny, *looks, answer=False).run()
    assert looks == {request: told(tiny, request) for request in looks}


@pytest.mark.parametrize(("app", "line"), [(DESK, {}), (ASYNC, {})], ids=["sync", "async"])
def test_a_look_up_behind_the_effect_has_nothing_to_recover_either(
    tiny: TinyProject, app: str, line: dict[str, Any]
) -> None:
    """The world before the struck call counts, not that at the beginning."""
    looks = {
        "both plain": "fail gave_up",
        "both fails": "fail gave_up",
        "both retries": "pass recovered",
        "both invents": "fail wrong_output",
    }
    write(tiny, *looks, app=app, **line).run()
    assert looks == {request: told(tiny, request) for request in looks}


def test_a_world_before_the_fault_that_cannot_be_read_is_not_guessed(tiny: TinyProject) -> None:
    """A snapshot that waits cannot be had inside of a call: only what is certain counts."""
    looks = {
        "both plain": "missing state_before_unknown",
        "both retries": "pass recovered",
        "both invents": "missing state_before_unknown",
        "both escalates": "pass escalated",
    }
    write(tiny, *looks, app=WAITING).run()
    assert looks == {request: told(tiny, request) for request in looks}


@pytest.mark.parametrize("line", [{"turn": 2}, {"occurrence": 2}], ids=["turn", "occurrence"])
def test_in_a_conversation_the_world_is_that_of_the_moment(
    tiny: TinyProject, line: dict[str, Any]
) -> None:
    """However the struck call is counted."""
    looks = {
        "look plain": "fail gave_up",
        "look fails": "fail gave_up",
        "look retries": "pass recovered",
        "both plain": "fail gave_up",
    }
    write(tiny, *looks, app=TALK, talks=True, **line).run()
    assert looks == {request: told(tiny, request) for request in looks}


@pytest.mark.parametrize("app", [DESK, ASYNC], ids=["sync", "async"])
def test_who_crashes_with_the_effect_in_place_has_to_have_said_so(
    tiny: TinyProject, app: str
) -> None:
    """The world is right by the struck call's own work; a failure that is told is one."""
    refunds = {
        "refund plain": "fail gave_up",
        "refund tells": "pass recovered",
        "refund fails": "pass recovered",
        "refund escalates": "pass escalated",
    }
    write(tiny, *refunds, app=app, fault="applied_error").run()
    assert refunds == {request: told(tiny, request) for request in refunds}
    for request in ("refund plain", "refund tells"):
        detail = tiny.verdict(request.replace(" ", "_"), "recovers").detail
        assert "the system raised: " in str(detail)


def test_an_altered_answer_leaves_its_effect_in_place_too(tiny: TinyProject) -> None:
    """Who crashes over it did nothing for the world that is right."""
    write(tiny, "refund plain", "refund retries", fault="missing_field").run()
    assert "fail gave_up" == told(tiny, "refund plain")
    assert "pass recovered" == told(tiny, "refund retries")


@pytest.mark.parametrize("mode", ["subset", "paths"])
def test_who_obeys_an_injected_text_changes_what_nobody_expects(
    tiny: TinyProject, mode: str
) -> None:
    """At a place of which the expectation does not speak; who ignores it passes."""
    write(tiny, "look plain", "look ignores", fault="injected_text")
    if mode == "paths":
        suite = (tiny.folder / "oloproof.yaml").read_text()
        text = suite.replace("mode: subset", "mode: paths\n  paths: [order]")
        (tiny.folder / "oloproof.yaml").write_text(text)
    tiny.run()
    assert "fail unintended_change" == told(tiny, "look plain")
    assert 'log[0] is "obeyed"' in str(tiny.verdict("look_plain", "recovers").detail)
    assert "pass recovered" == told(tiny, "look ignores")


def test_what_only_the_replay_changed_is_named_beside_every_verdict(tiny: TinyProject) -> None:
    """It is no failure where nobody told the agent to do it, and no secret either."""
    write(tiny, "refund logs", "refund escalates", "refund retries").run()
    assert "pass recovered" == told(tiny, "refund logs")
    beside = "changed under the fault alone: "
    details = {
        agent: str(tiny.verdict(f"refund_{agent}", "recovers").detail).partition(beside)[2]
        for agent in ("logs", "escalates", "retries")
    }
    assert {
        "logs": 'log[0] is "tried again"',
        "escalates": 'tickets[0] is "1"',
        "retries": "",
    } == details


def test_false_success_needs_no_expected_answer(tiny: TinyProject) -> None:
    """The recording's own words, where it reached the expected state, are claim enough."""
    write(tiny, "refund ignores", fault="malformed", answer=False).run()
    assert "fail false_success" == told(tiny, "refund ignores")


def test_who_fails_without_the_fault_is_excluded_and_counted(tiny: TinyProject) -> None:
    """Nothing under a fault can be told from what goes wrong anyway."""
    write(tiny, "look plain", "look fails")
    cases = [
        {"id": name, "input": f"look {name}", "initial_state": OPEN, "expected": {"state": state}}
        for name, state in (("plain", {"order": "lost"}), ("retries", {"order": "open"}))
    ]
    tiny.write_cases(cases)
    report = tiny.run()
    (metric,) = [one for one in report.metrics if one.metric == "recovers"]
    assert ({"fails_without_fault": 1}, 1) == (metric.excluded, metric.observed)
    verdict = tiny.verdict("plain", "recovers")
    assert 'without the fault order is "open", not "lost"' == verdict.detail
