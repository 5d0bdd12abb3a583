"""Replays of declared tools and models, with real workers and no code of the agent's author."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.canonical import encode
from oloproof.engine.results import take_over_journals
from oloproof.records.faults import fault_names
from oloproof.reuse.fingerprint import Fingerprint, Keys
from oloproof.store.database import Store
from oloproof.store.journal import JournalWriter

if TYPE_CHECKING:
    from oloproof.records.case_report import ReplayReport
    from tests.workflows.conftest import TinyProject

DESK = """
import random, time
import oloproof

class Desk:
    def reset(self, state): self.world = state
    def snapshot(self): return self.world

    @oloproof.tool(reads=True)
    def look(self): return {"refunds": list(self.world["refunds"])}

    @oloproof.tool
    def refund(self, order):
        self.world["refunds"].append(order)
        return {"ok": True}

    @oloproof.tool
    def escalate(self, order):
        return {"ok": True}

    @oloproof.model
    def think(self, question): return self.mind(question)

    def mind(self, question): return "refund"

    def __call__(self, request):
        answer = getattr(self, request["agent"])(request)
        oloproof.finish("failure" if answer == "failed" else "success")
        return {"answer": answer}

    def try_refund(self, order):
        try:
            return self.refund(order)["ok"]
        except Exception:
            return False
"""
AGENTS = """
    def gives_up(self, request):
        return "refunded" if self.try_refund("o1") else "failed"

    def retries(self, request):
        return "refunded" if self.try_refund("o1") or self.try_refund("o1") else "failed"

    def verifies(self, request):
        if self.try_refund("o1") or "o1" in self.look()["refunds"]:
            return "refunded"
        return "refunded" if self.try_refund("o1") else "failed"

    def escalates(self, request):
        if self.try_refund("o1"):
            return "refunded"
        self.escalate("o1")
        return "escalated"
"""
RECOVERY: dict[str, Any] = {
    "type": "fault_recovery",
    "tool": "refund",
    "escalate_tools": ["escalate"],
}


def case(agent: str, **request: Any) -> dict[str, Any]:
    return {
        "id": agent,
        "input": {"agent": agent, **request},
        "initial_state": {"refunds": []},
        "expected": {"answer": "refunded", "state": {"refunds": ["o1"]}},
    }


def write(
    tiny: TinyProject, agents: str, *names: str, fault: Any = "error", **given: Any
) -> TinyProject:
    """A desk with agents, each with a case of its name."""
    system = {"callable": "app:Desk", "timeout_s": given.pop("timeout_s", 20)}
    system |= given.pop("system", {})
    return tiny.write(
        app=DESK + agents,
        cases=[case(name) for name in names],
        evaluators=[{"type": "state_matches"}, RECOVERY | {"fault": fault} | given.pop("line", {})],
        system=system,
        **given,
    )


def replay(tiny: TinyProject, name: str, fault: str = "error") -> ReplayReport:
    """The replay of a case under a fault."""
    return next(r for r in tiny.panel(name).replays if r.fault == fault)


def told(tiny: TinyProject, name: str, fault: str = "error") -> tuple[str, str | None]:
    """Verdict and label, or reason."""
    verdict = tiny.verdict(name, f"recovers_from_{fault}_at_refund")
    return verdict.status, verdict.label or verdict.reason


def test_four_agents_against_two_faults(tiny: TinyProject) -> None:
    """As the documented table of truth has it."""
    names = ("gives_up", "retries", "verifies", "escalates")
    write(tiny, AGENTS, *names, fault=["error", "applied_error"]).run()
    assert {
        "gives_up": (("fail", "gave_up"), ("pass", "recovered")),
        "retries": (("pass", "recovered"), ("fail", "duplicate_effect")),
        "verifies": (("pass", "recovered"), ("pass", "recovered")),
        "escalates": (("pass", "escalated"), ("pass", "escalated")),
    } == {name: (told(tiny, name), told(tiny, name, "applied_error")) for name in names}


def test_every_fault_is_delivered_and_judged_over_one_control(tiny: TinyProject) -> None:
    """`fault: all` on one line; each is seen in the replayed trajectory."""
    report = write(tiny, AGENTS, "retries", fault="all").run()
    # One control and all the faults.
    assert 1 + len(fault_names()) == report.replayed
    replays = {r.fault: r for r in tiny.panel("retries").replays}
    assert len(fault_names()) == len(replays)
    shown = {
        name
        for name, found in replays.items()
        if found.replay is not None and any(step.get("fault") for step in found.replay.steps)
    }
    unseen = replays.keys() - shown
    # Its answer is too small to be altered in every way, and it is the first of its tool.
    altering = {"truncated", "missing_field", "injected_text", "partial"}
    assert {"stale"} <= unseen <= {"stale", *altering}
    assert {"not_applicable"} == {told(tiny, "retries", "stale")[0]}
    assert {"missing"} >= {told(tiny, "retries", name)[0] for name in unseen - {"stale"}}


@pytest.mark.parametrize(("duration", "retries"), [(2, 1), ("always", 1), ("once", 0)])
def test_a_fault_may_last(tiny: TinyProject, duration: Any, retries: int) -> None:
    """Every call that is struck shows it, and the agent that retries once meets it again."""
    write(tiny, AGENTS, "retries", line={"duration": duration}).run()
    (found,) = tiny.panel("retries").replays
    assert found.replay is not None
    struck = [s for s in found.replay.steps if s["kind"] == "tool_result" and s.get("fault")]
    assert 1 + retries == len(struck)


HIDDEN = """
    def draws(self, request):
        self.try_refund("o1")
        return f"refunded {random.random()}"

    def swallows(self, request):
        try:
            self.refund(f"o{random.random()}")
        except BaseException:
            pass
        try:
            self.refund("o1")
        except BaseException:
            pass
        return "refunded"

    def keeps(self, request):
        self.calls = getattr(self, "calls", 0) + 1
        self.try_refund("o1")
        self.world["calls"] = self.calls
        return "refunded"

    def asks_ours(self, request):
        name = oloproof.uuid4().hex + str(oloproof.rng().random()) + oloproof.now().isoformat()
        self.try_refund("o1")
        return name
"""


def test_what_does_not_reproduce_never_counts(tiny: TinyProject) -> None:
    """Wherever hidden randomness or state shows, and whatever the agent does about it."""
    write(tiny, HIDDEN, "draws", "swallows", "keeps", "asks_ours").run()
    kinds = {}
    for name in ("draws", "swallows", "keeps"):
        assert "missing" == told(tiny, name)[0]
        control = replay(tiny, name).control
        assert control is not None
        assert not control.trusted
        kinds[name] = control.divergence.kind if control.divergence else control.reason
    assert {
        "draws": "changed_output",
        "swallows": "changed_args",
        "keeps": "changed_state",
    } == kinds
    assert "missing" != told(tiny, "asks_ours")[0]


MINDS = """
    def asks(self, request):
        self.think("what now?")
        done = self.try_refund("o1")
        self.think("well done?" if done else "and now?")
        return "refunded" if done or self.try_refund("o1") else "failed"
"""


@pytest.mark.parametrize(
    ("models", "expected"),
    [("live", ("pass", "recovered")), ("recorded", ("missing", "model_needed"))],
)
def test_models_behind_a_fault_are_asked_or_are_missing(
    tiny: TinyProject, models: str, expected: tuple[str, str]
) -> None:
    """Without keys nothing is guessed; another policy is another replay."""
    write(tiny, MINDS, "asks").run()
    assert ("pass", "recovered") == told(tiny, "asks")
    write(tiny, MINDS, "asks", system={"models": models}).run()
    assert expected == told(tiny, "asks")


def test_a_replay_of_a_killed_run_counts_under_its_fingerprint_alone(tiny: TinyProject) -> None:
    """What was finished is taken over as what the dead run made, and for nothing else."""
    print_ = Fingerprint(python="p", system="s", version="1", source="0", models="recorded")
    with Store(tiny.folder / ".oloproof") as store:
        manifest = encode({"fingerprint": print_.to_json()})
        run = store.begin_run(started_at="t", manifest=manifest, inputs=b"")
        recorded = b'{"outcome":{"status":"completed"}}'
        evidence = store.add_result(b"k" * 32, recorded, run=run, duration_s=0)
        store.finish_run(run, status="interrupted", summary=b"{}")
        journal = JournalWriter(tiny.folder / ".oloproof/journal", run)
        journal.begin(0)
        header = {"key": (b"k" * 32).hex(), "recording": evidence.hex(), "step_index": 3}
        header |= {"fault": "error", "s": 0.0, "timeout_s": 1.0}
        journal.write(header, b'{"reason":"model_needed"}')
        journal.close()
        take_over_journals(store)
        place = (b"k" * 32, evidence, 3, "error")
        assert store.result(Keys(print_).replay(*place)) is not None
        for other in (replace(print_, models="live"), replace(print_, replay=99)):
            assert store.result(Keys(other).replay(*place)) is None


ODD = """
    @oloproof.model
    def odd(self): return {1, 2}

    def is_odd(self, request):
        self.odd()
        return "refunded" if self.try_refund("o1") else "failed"

    @oloproof.model
    def key(self): return {"key": "sk-hush-hush"}

    def is_secret(self, request):
        self.key()
        return "refunded" if self.try_refund("o1") else "failed"
"""


def test_what_cannot_be_served_is_said(tiny: TinyProject) -> None:
    """Of models, what is no JSON and secrets: the case is judged, its replays missing."""
    write(tiny, ODD, "is_odd", "is_secret", redact=["sk-[a-z-]+"]).run()
    assert {"completed"} == {tiny.panel(n).outcome.status for n in ("is_odd", "is_secret")}
    assert ("missing", "result_not_json") == told(tiny, "is_odd")
    assert ("missing", "redacted_value_needed") == told(tiny, "is_secret")
    written = [p for p in tiny.folder.rglob(".oloproof/**/*") if p.is_file()]
    assert b"hush" not in b"".join(path.read_bytes() for path in written)


LATE = """
    def hangs(self, request):
        self.look()
        self.world["refunds"].append("o1")
        time.sleep(60)

    def dies(self, request):
        import os
        self.look()
        os._exit(3)

    def hangs_under_a_fault(self, request):
        if not self.try_refund("o1"):
            time.sleep(60)
        return "refunded"

    def exits_under_a_fault(self, request):
        if not self.try_refund("o1"):
            import os
            os._exit(7)
        return "refunded"
"""


def test_what_was_done_until_the_end_is_shown(tiny: TinyProject) -> None:
    """Of an agent that hangs or ends its process, and of one that does so under a fault."""
    names = ("hangs", "dies", "hangs_under_a_fault", "exits_under_a_fault")
    write(tiny, LATE, *names, timeout_s=0.5).run()
    for name, status in (("hangs", "timed_out"), ("dies", "exited")):
        panel = tiny.panel(name)
        assert status == panel.outcome.status
        assert ["tool_call", "tool_result"] == [step["kind"] for step in panel.steps]
    assert ("fail", "gave_up") == told(tiny, "hangs_under_a_fault")
    assert ("fail", "gave_up") == told(tiny, "exits_under_a_fault")


REMEMBERS = """
    def remembers(self, request):
        self.budget = 1
        self.look()
        order = self.world
        while not self.try_refund("o1"):
            if self.budget == 0:
                return "failed"
            self.budget -= 1
        return "refunded" if order is self.world else "lost"

    def reset(self, state):
        self.world, self.budget = state, 0
"""


def test_an_agent_keeps_its_memory_and_references_in_a_replay(tiny: TinyProject) -> None:
    """`reset` may clear both; a replay begins at the start, so that neither is lost half-way."""
    write(tiny, REMEMBERS, "remembers").run()
    assert ("pass", "recovered") == told(tiny, "remembers")


UNSTABLE = """
    @oloproof.tool(reads=True)
    def roll(self): return random.random()

    def rolls(self, request):
        return "refunded" if self.roll() and self.try_refund("o1") else "failed"

    def rolls_and_forgets(self, request):
        self.plan = self.roll()
        done = self.try_refund("o1")
        return "refunded" if done else f"failed {self.plan}"

    def reset(self, state):
        self.world, self.plan = state, None

    def active_state(self):
        return {"plan": self.plan}
"""


def test_tools_that_do_not_give_the_same_again_are_served(tiny: TinyProject) -> None:
    """Then the sandbox is put into the checkpoint's state, and the agent must lose nothing."""
    write(tiny, UNSTABLE, "rolls", "rolls_and_forgets").run()
    assert ("fail", "gave_up") == told(tiny, "rolls")
    assert "missing" == told(tiny, "rolls_and_forgets")[0]
    control = replay(tiny, "rolls_and_forgets").control
    assert control is not None
    assert not control.trusted


SECRETS = """
    def tells(self, request):
        try:
            self.refund("sk-" + "abcdefgh"[int(random.random() * 8):] + "-hush")
        except RuntimeError:
            pass
        return "refunded"

    @oloproof.tool
    def quote(self): return 'say \\"sk-hush-hush\\" twice'

    def quotes(self, request):
        self.quote()
        return "refunded" if self.try_refund("o1") else "failed"
"""


def test_what_differs_in_a_replay_is_told_without_secrets(tiny: TinyProject) -> None:
    """Neither a divergence nor a value inside of text inside of JSON brings one to the disk."""
    write(tiny, SECRETS, "tells", "quotes", redact=["sk-[a-z]*-hush(-hush)?"]).run()
    written = [p for p in tiny.folder.rglob(".oloproof/**/*") if p.is_file()]
    assert b"-hush" not in b"".join(path.read_bytes() for path in written)


SURROGATE = """
    @oloproof.tool(call_id=lambda arguments: arguments["text"])
    def say(self, text): return 1

    def speaks(self, request):
        self.say("\\ud83d")
        return "refunded"

    @oloproof.model
    def costly(self): return {"usage": {"input_tokens": 2**63}}

    def spends(self, request):
        self.costly(), self.costly()
        return "refunded"
"""


def test_names_and_sums_that_are_no_json_are_the_outcome_of_their_case(tiny: TinyProject) -> None:
    """Not an error of the program's own."""
    write(tiny, SURROGATE, "speaks", "spends").run()
    for name in ("speaks", "spends"):
        panel = tiny.panel(name)
        assert "completed" == panel.outcome.status
        assert panel.steps or panel.trajectory_problem


REPORTS = """
    def reports(self, request):
        self.escalate("o1")
        step = oloproof.AgentStep(index=1, kind="final", result="all quiet")
        oloproof.current_case().agent_trajectory(oloproof.AgentTrajectory(steps=[step]))
        return "refunded"
"""


def test_calls_that_were_seen_cannot_be_reported_away(tiny: TinyProject) -> None:
    """A trajectory that the system reports beside them does not take their place."""
    write(tiny, REPORTS, "reports").run()
    panel = tiny.panel("reports")
    assert "escalate" in {step.get("tool_name") for step in panel.steps}
    assert "the recorded calls count" in str(panel.trajectory_problem)


WAITING = """
import asyncio, oloproof

class Desk:
    async def reset(self, state): self.world = state
    async def snapshot(self): return self.world

    @oloproof.tool
    async def refund(self, order):
        await asyncio.sleep(0.005)
        self.world["refunds"].append(order)
        return {"ok": True}

    @oloproof.tool
    async def note(self, text):
        await asyncio.sleep(0.01)
        return text

    async def __call__(self, request):
        await asyncio.gather(self.note(request["agent"]), self.note("b"), self.note("c"))
        for _ in range(2):
            try:
                await self.refund("o1")
                break
            except RuntimeError:
                pass
        return {"answer": "refunded"}
"""


def test_sandboxes_that_share_a_worker_are_recorded_apart(
    tiny: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case has the calls it made itself, and replays like one that was alone."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    names = [f"case{n}" for n in range(12)]
    tiny.write(
        app=WAITING,
        cases=[case(name) for name in names],
        evaluators=[{"type": "state_matches"}, RECOVERY | {"fault": "error"}],
        system={"callable": "app:Desk"},
        concurrency={"system": 6},
    ).run()
    for name in names:
        calls = [s for s in tiny.panel(name).steps if s["kind"] == "tool_call"]
        assert {name, "b", "c"} == {
            c["arguments"]["text"] for c in calls if "text" in c["arguments"]
        }
        assert ("pass", "recovered") == told(tiny, name)


ORDERS = """
    def reads_order(self, request):
        self.world["z"], self.world["a"] = 1, 2
        self.try_refund("o1")
        return "refunded" if list(self.world) == ["refunds", "z", "a"] else str(list(self.world))
"""


def test_a_restored_sandbox_has_its_keys_in_the_order_they_had(tiny: TinyProject) -> None:
    """The agent sees it."""
    write(tiny, ORDERS, "reads_order").run()
    control = replay(tiny, "reads_order").control
    assert control is not None
    assert control.trusted


def test_a_tool_that_no_case_called_is_told_where_another_is_spelt_like_it(
    tiny: TinyProject,
) -> None:
    """A misspelt name passes for ever; a tool that is rightly never called is no news."""
    write(tiny, AGENTS, "retries", line={"escalate_tools": ["refnd", "escalate"]})
    told = [n for n in tiny.run().notices if "which no case called" in n]
    assert [
        "`recovers_from_error_at_refund` names `refnd`, which no case called: "
        "did you mean `refund`?"
    ] == told
    assert told == [n for n in tiny.run().notices if "which no case called" in n]
