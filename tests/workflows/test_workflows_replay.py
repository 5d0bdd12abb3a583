"""`oloproof replay`: which calls there are, and any fault at any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.records.faults import faults_at
from oloproof.workflows.replay import checkpoints, replay

if TYPE_CHECKING:
    from conftest import TinyProject

    from oloproof.records.case_report import ReplayReport

APP = """
from oloproof import finish, model, tool

class Desk:
    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    @tool
    def look(self, order):
        return {"status": self.world["orders"][order]}

    @tool
    def refund(self, order):
        self.world["orders"][order] = "refunded"
        self.world["refunds"].append(order)
        return {"ok": True}

    def work(self, order):
        self.look(order)
        for _ in range(3):
            try:
                self.refund(order)
            except RuntimeError:
                continue
            finish("success")
            return "done"
        return "failed"

    def __call__(self, request):
        return {"answer": self.work(request["order"])}
"""
STATE = {"orders": {"o1": "paid", "o2": "paid"}, "refunds": []}
CASE = {
    "id": "a",
    "input": {"order": "o1"},
    "initial_state": STATE,
    "expected": {
        "answer": "done",
        "state": {"orders": {"o1": "refunded", "o2": "paid"}, "refunds": ["o1"]},
    },
}
FAULT = {"type": "fault_recovery", "tool": "refund", "fault": ["error", "applied_error"]}
TALK = APP.replace("def __call__(self, request):", "def turn(self, message):").replace(
    'request["order"]', "message"
)
CONVERSATION = {
    "id": "t",
    "turns": [{"user": "o1"}, {"user": "o2"}],
    "initial_state": STATE,
    "expected": {
        "state": {"orders": {"o1": "refunded", "o2": "refunded"}, "refunds": ["o1", "o2"]}
    },
}


def write(tiny: TinyProject, app: str = APP, *evaluators: dict[str, Any]) -> TinyProject:
    """A project that was run once."""
    cases = [CONVERSATION if "def turn" in app else CASE]
    tiny.write(
        app=app,
        cases=cases,
        evaluators=[{"type": "state_matches"}, *(evaluators or [FAULT])],
        system={"callable": "app:Desk"},
    )
    tiny.run()
    return tiny


def verdict(report: ReplayReport) -> tuple[str | None, str | None]:
    return report.verdict, report.label or report.reason


def test_the_list_has_every_call_with_its_faults(tiny: TinyProject) -> None:
    """Step, tool, occurrence, arguments, kept state and declared faults of each call."""
    report = checkpoints(write(tiny).folder, "a")
    assert ("recorded", 1) == (report.method, report.run)
    assert [
        (1, "look", 1, None, {"order": "o1"}, False, []),
        (3, "refund", 1, None, {"order": "o1"}, True, ["error", "applied_error"]),
    ] == [
        (c.step, c.tool, c.occurrence, c.turn, c.arguments, c.state_kept, c.faults)
        for c in report.checkpoints
    ]


def test_a_list_of_a_conversation_has_turns(tiny: TinyProject) -> None:
    """A call is counted over the whole case, and says in which turn it was made."""
    report = checkpoints(write(tiny, TALK, FAULT | {"occurrence": 2}).folder, "t")
    assert [("look", 1, 1), ("refund", 1, 1), ("look", 2, 2), ("refund", 2, 2)] == [
        (c.tool, c.occurrence, c.turn) for c in report.checkpoints
    ]
    assert ["error", "applied_error"] == report.checkpoints[3].faults


def test_a_declared_fault_in_a_later_turn_can_be_trusted(tiny: TinyProject) -> None:
    """What the turns before a checkpoint left is in its state, and no difference."""
    (error, applied) = replay(write(tiny, TALK, FAULT | {"occurrence": 2}).folder, "t")
    assert error.control is not None
    assert error.control.trusted
    assert ("pass", "recovered") == verdict(error)
    assert ("fail", "duplicate_effect") == verdict(applied)


def test_a_step_names_its_call(tiny: TinyProject) -> None:
    """`step` is another way to name a tool and an occurrence, and finds what is declared there."""
    folder = write(tiny).folder
    (by_step,) = replay(folder, "a", step=3, fault="error")
    assert by_step.stored
    assert [by_step] == replay(folder, "a", tool="refund", fault="error")
    (fresh,) = replay(folder, "a", step=1)
    assert ("look", "error", False) == (fresh.tool, fresh.fault, fresh.stored)


def test_a_step_that_is_no_call_is_refused(tiny: TinyProject) -> None:
    """The steps that are calls are named."""
    with pytest.raises(ConfigurationError, match="step 2 of case `a` is no call of a tool") as e:
        replay(write(tiny).folder, "a", step=2)
    assert "name one of the steps 1, 3" == e.value.fix


THINKING = APP.replace(
    """    def work(self, order):
        self.look(order)
        for _ in range(3):
            try:
""",
    """    @model
    def think(self, order):
        return {"next": "refund", "order": order}

    def work(self, order):
        self.look(order)
        for _ in range(3):
            try:
                self.think(order)
""",
)


def test_a_model_is_named_listed_and_struck_as_a_tool_is(tiny: TinyProject) -> None:
    """By `model`, by its step, or alone where the suite declares faults of nothing else."""
    declared = {"type": "fault_recovery", "model": "think", "fault": "error"}
    folder = write(tiny, THINKING, declared).folder
    assert [("look", None, []), (None, "think", ["error"]), ("refund", None, [])] == [
        (c.tool, c.model, c.faults) for c in checkpoints(folder, "a").checkpoints
    ]
    (stored,) = replay(folder, "a")
    assert (None, "think", True) == (stored.tool, stored.model, stored.stored)
    assert ("pass", "recovered") == verdict(stored)
    assert [stored] == replay(folder, "a", model="think") == replay(folder, "a", step=3)
    assert [stored] == replay(folder, "a", tool="think", fault="error")
    every = replay(folder, "a", fault="all")
    assert list(faults_at("model")) == [report.fault for report in every]
    assert {"think"} == {report.model for report in every}
    (lasting,) = replay(folder, "a", model="think", fault="rate_limit", duration=3)
    assert ("fail", "gave_up") == verdict(lasting)


def test_a_fault_of_an_effect_is_refused_at_a_model(tiny: TinyProject) -> None:
    """And told by its option, as a model that was not asked is."""
    folder = write(tiny, THINKING).folder
    for options, where, fix in (
        ({"model": "think", "fault": "applied_error"}, "--fault", "`rate_limit`"),
        ({"model": "thnik"}, "--model", "did you mean `think`?"),
        ({"model": "think", "occurrence": 2}, "--occurrence", "an earlier call"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            replay(folder, "a", **options)  # type: ignore[arg-type]
        assert where == caught.value.where
        assert fix in str(caught.value.fix)


def test_every_fault_shares_one_control(tiny: TinyProject) -> None:
    """`all` gives each of the faults, the declared ones as they were judged, in their order."""
    reports = replay(write(tiny).folder, "a", step=3, fault="all")
    assert list(faults_at("tool")) == [report.fault for report in reports]
    assert {"error", "applied_error"} == {one.fault for one in reports if one.stored}
    fresh = [one.control for one in reports if not one.stored]
    assert 1 == len({one.model_dump_json() for one in fresh if one is not None})
    found = {report.fault: verdict(report) for report in reports}
    assert ("fail", "gave_up") == found["timeout"]
    assert ("fail", "duplicate_effect") == found["duplicate_delivery"]
    assert "no_earlier_answer" == found["stale"][1]
    assert "recorded" == reports[0].method


@pytest.mark.parametrize(
    ("duration", "label"), [("once", "recovered"), (2, "recovered"), (3, "gave_up")]
)
def test_a_fault_lasts_as_long_as_was_asked(duration: Any, label: str, tiny: TinyProject) -> None:
    """An agent that tries three times survives two failures, and not three."""
    (report,) = replay(write(tiny).folder, "a", step=3, fault="error", duration=duration)
    assert (duration, label) == (report.duration, report.label)
    assert report.stored == (duration == "once")


def test_a_fault_declared_with_its_duration_is_that_one(tiny: TinyProject) -> None:
    """A declared duration is another fault than the same one that strikes once."""
    folder = write(tiny, APP, FAULT | {"duration": "always", "fault": "error"}).folder
    assert ["error always"] == checkpoints(folder, "a").checkpoints[1].faults
    assert [True] == [r.stored for r in replay(folder, "a", step=3, duration="always")]
    assert [False] == [r.stored for r in replay(folder, "a", step=3)]


def test_remarks_on_a_replay_are_shown(tiny: TinyProject) -> None:
    """A model that answers from a script is told of, in `replay` and in `inspect`."""
    app = APP.replace(
        "        self.look(order)\n",
        "        self.answers = iter(['look', 'refund', 'stop'])\n"
        "        self.ask([])\n        self.look(order)\n",
    ).replace(
        "                continue\n",
        "                self.ask(['failed'])\n                continue\n",
    )
    app += "\n    @model\n    def ask(self, told):\n        return next(self.answers)\n"
    write(tiny, app, FAULT | {"fault": "error"})
    (report,) = replay(tiny.folder, "a")
    assert ["scripted_model: ask"] == report.notes
    assert [report.notes] == [one.notes for one in tiny.panel("a").replays]


def test_why_a_replay_cannot_count_is_told(tiny: TinyProject) -> None:
    """A control says in detail what kept it from being made."""
    look = "        self.look(order)\n"
    app = APP.replace(look, f"        self.ask()\n{look}")
    app += "\n    @model\n    def ask(self):\n        return {1, 2}\n"
    (report,) = replay(write(tiny, app, FAULT | {"fault": "error"}).folder, "a")
    assert report.control is not None
    assert "result_not_json" == report.control.reason
    assert "ask: the result of ask is not JSON" in str(report.control.detail)


def test_without_a_declared_fault_the_calls_are_pointed_to(tiny: TinyProject) -> None:
    """A suite that declares none says how to name one."""
    folder = write(tiny, APP, {"type": "exact_match"}).folder
    with pytest.raises(ConfigurationError, match="declares no fault") as caught:
        replay(folder, "a")
    assert "--list" in str(caught.value.fix)
    assert [[], []] == [c.faults for c in checkpoints(folder, "a").checkpoints]


def test_a_fault_or_call_that_is_not_there_is_refused_by_its_option(tiny: TinyProject) -> None:
    """An unknown fault first, with the nearest; then the option that names no call."""
    folder = write(tiny, APP, {"type": "exact_match"}).folder
    for options, where, fix in (
        ({"fault": "eror"}, "--fault", "did you mean `error`?"),
        ({"tool": "lok"}, "--tool", "did you mean `look`?"),
        ({"step": 99}, "--step", "name one of the steps"),
        ({"tool": "look", "occurrence": 9}, "--occurrence", "an earlier call"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            replay(folder, "a", **options)
        assert where == caught.value.where
        assert fix in str(caught.value.fix)
    with pytest.raises(ConfigurationError, match="no run `99`") as caught:
        checkpoints(folder, "a", run="99")
    assert "--run" == caught.value.where


def test_an_undeclared_fault_is_judged_whomever_the_declared_lines_are_for(
    tiny: TinyProject,
) -> None:
    """`cases`, `dimension` and `criterion` belong to their lines, and not to the fault."""
    line = FAULT | {"cases": ["a"], "fault": "error", "criterion": "recovers"}
    cases = [CASE, CASE | {"id": "b"}]
    tiny.write(app=APP, cases=cases, evaluators=[line], system={"callable": "app:Desk"}).run()
    (found,) = replay(tiny.folder, "b", fault="timeout")
    assert ("fail", "gave_up") == verdict(found)


def test_a_recording_of_other_code_is_said_to_be_one(tiny: TinyProject) -> None:
    """A fault that is replayed now runs the code of now."""
    folder = write(tiny).folder
    (folder / "app.py").write_text(APP + "\nX = 1\n")
    told: list[str] = []
    replay(folder, "a", fault="timeout", warn=told.append)
    assert 1 == sum("the code of the system changed since run 1" in text for text in told)
    told.clear()
    replay(folder, "a", warn=told.append)
    assert [] == told
