"""Fault replays of agents that lie, escalate, retry or give up, and of replays that go astray."""

from __future__ import annotations

import pytest

DESK = '''
from oloproof import AgentStep, AgentTrajectory, current_case


class Desk:
    """Refunds an order; `agent` in the request says what it does when that fails."""

    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    def refund(self):
        self.world["order"] = "refunded"
        return {"ok": True}

    def escalate(self):
        self.world["escalations"] += 1
        return {"ok": True}

    def __call__(self, request):
        trajectory = self.work(request, None)
        current_case().agent_trajectory(trajectory)
        return trajectory.steps[-1].result

    async def replay(self, trajectory, *, checkpoint, change):
        request = current_case().input
        replayed = self.work(request, change.fault_result)
        return self.go_astray(request["agent"], replayed, change.kind)

    def go_astray(self, agent, replayed, kind):
        """Replays that do not reproduce the recording, each in its own way."""
        steps = replayed.steps
        if agent == "changes_result":
            steps[1] = steps[1].model_copy(update={"result": {"ok": 1}})
        if agent == "changes_output":
            steps[-1] = steps[-1].model_copy(update={"result": {"answer": "refunded!"}})
        if agent == "changes_state":
            self.world["noise"] = kind
        if agent == "changes_calls":
            steps[0] = steps[0].model_copy(update={"arguments": {"order": 2}})
        if agent == "raises":
            raise RuntimeError("no way back")
        if agent == "returns_nothing":
            return None
        return replayed.model_copy(update={"steps": steps})

    def work(self, request, fault_result):
        agent, steps = request["agent"], []

        def step(kind, **fields):
            steps.append(AgentStep(index=len(steps) + 1, kind=kind, **fields))

        def call(tool, run):
            step("tool_call", tool_name=tool, arguments={})
            result = run()
            step("tool_result", tool_name=tool, result=result)
            return result

        first = call("refund", self.refund if fault_result is None else lambda: fault_result)
        answer = "refunded"
        if "ok" not in first:
            if agent in ("escalates", "escalates_and_lies"):
                call("escalate", self.escalate)
            if agent == "retries":
                call("refund", self.refund)
            if agent in ("escalates", "gives_up"):
                answer = "failed"
        step("final", result={"answer": answer})
        status = "success" if answer == "refunded" else "failure"
        return AgentTrajectory(steps=steps, terminal_status=status)


system = Desk()
'''

CHECK = {
    "type": "fault_recovery",
    "criterion": "recovers",
    "tool": "refund",
    "fault": "error",
    "escalate_tools": ["escalate"],
}


def desk_case(agent: str) -> dict:
    """A refund that is due, asked of one kind of agent."""
    return {
        "id": agent,
        "input": {"agent": agent},
        "initial_state": {"order": "open", "escalations": 0},
        "expected": {"answer": "refunded", "state": {"order": "refunded", "escalations": 0}},
    }


@pytest.mark.parametrize(
    ("agent", "status", "label"),
    [
        ("lies", "fail", "false_success"),
        ("escalates", "pass", "escalated"),
        ("escalates_and_lies", "fail", "false_success"),
        ("retries", "pass", "recovered"),
        ("gives_up", "fail", "gave_up"),
    ],
)
def test_what_an_agent_does_about_a_failed_refund(tiny, agent, status, label):
    """The world decides, not what the agent says of it, and no constraint is needed for that."""
    tiny.write(app=DESK, cases=[desk_case(agent)], evaluators=[CHECK])
    assert 2 == tiny.run().replayed
    verdict = tiny.verdict(agent, "recovers")
    assert (status, label) == (verdict.status, verdict.label)


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("changes_result", "changed_result"),
        ("changes_output", "changed_output"),
        ("changes_state", "changed_state"),
        ("changes_calls", "changed_args"),
        ("raises", "replay_raised"),
        ("returns_nothing", "replay_returned_no_valid_trajectory"),
    ],
)
def test_a_control_that_does_not_reproduce_never_counts(tiny, agent, reason):
    """The control compares calls, results, output and world; without it there is no verdict."""
    tiny.write(app=DESK, cases=[desk_case(agent)], evaluators=[CHECK])
    report = tiny.run()
    assert 1 == report.replayed
    verdict = tiny.verdict(agent, "recovers")
    assert ("missing", reason) == (verdict.status, verdict.reason)
    assert {reason: 1} == report.metrics[0].missing


def test_a_replay_that_ignores_the_fault_says_nothing_of_it(tiny):
    """A continuation that does not show the fault's result at its call never counts."""
    app = DESK.replace("self.work(request, change.fault_result)", "self.work(request, None)")
    tiny.write(app=app, cases=[desk_case("lies")], evaluators=[CHECK])
    assert {"fault_not_delivered": 1} == tiny.run().metrics[0].missing


def test_a_system_without_replay_is_missing_not_passed(tiny):
    """What cannot be replayed in any way says nothing about faults."""
    app = DESK.replace("async def replay", "async def rerun")
    tiny.write(app=app, cases=[desk_case("retries")], evaluators=[CHECK])
    assert {"not_replayable": 1} == tiny.run().metrics[0].missing


def test_a_case_that_never_called_the_tool_is_excluded(tiny):
    """A fault at a call that was not made speaks of nothing."""
    tiny.write(app=DESK, cases=[desk_case("lies")], evaluators=[CHECK | {"tool": "escalate"}])
    report = tiny.run()
    assert (0, {"fault_target_not_called": 1}) == (report.replayed, report.metrics[0].excluded)


def test_replays_are_known_by_the_system_and_made_once(tiny):
    """A second run replays nothing; a new version of the system replays everything."""
    suite = {"app": DESK, "cases": [desk_case("lies")], "evaluators": [CHECK]}
    tiny.write(**suite)
    assert 2 == tiny.run().replayed
    assert 0 == tiny.run().replayed
    tiny.write(**suite, system={"version": "2"})
    assert 2 == tiny.run().replayed


def test_a_fault_declared_later_is_replayed_without_running_the_case_again(tiny):
    """New faults use the recording that is there."""
    suite = {"app": DESK, "cases": [desk_case("lies")]}
    tiny.write(**suite, evaluators=[CHECK])
    tiny.run()
    tiny.write(**suite, evaluators=[CHECK | {"fault": ["error", "timeout"]}])
    report = tiny.run()
    assert (0, 2) == (report.executed, report.replayed)
    assert [("fail", "false_success")] * 2 == [
        (verdict.status, verdict.label)
        for verdict in tiny.panel("lies").verdicts
        if verdict.metric.startswith("recovers")
    ]


def test_a_replay_that_hangs_or_dies_costs_its_own_verdict(tiny):
    """A replay has the limits of a case, and its end is nobody else's."""
    app = DESK.replace(
        'raise RuntimeError("no way back")',
        'import time; time.sleep(60) if kind == "inject_fault" else None',
    )
    tiny.write(
        app=app,
        cases=[desk_case("raises"), desk_case("lies")],
        evaluators=[CHECK],
        system={"timeout_s": 0.2},
    )
    report = tiny.run()
    assert {"replay_timed_out": 1} == report.metrics[0].missing
    assert {"false_success": 1} == report.metrics[0].failures


def test_steps_that_do_not_show_the_output_cannot_be_replayed(tiny):
    """A replay's output is what its steps show: an agent must not say the rest unseen."""
    app = DESK.replace("return trajectory.steps[-1].result", 'return {"answer": "something else"}')
    tiny.write(app=app, cases=[desk_case("escalates")], evaluators=[CHECK])
    assert {"output_not_shown": 1} == tiny.run().metrics[0].missing


PLAIN = """
from oloproof import AgentCheckpoint, AgentStep, AgentTrajectory, current_case

class Desk:
    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    def refund(self, fault):
        if fault is None:
            self.world["refunds"].append("o1")
        return [
            {"kind": "tool_call", "tool_name": "refund", "arguments": {"orders": ("o1",)}},
            {"kind": "tool_result", "tool_name": "refund", "result": fault or {"ok": True}},
        ]

    def work(self, fault=None):
        steps = self.refund(fault)
        if fault is not None and TRIES_AGAIN:
            steps += self.refund(None)
        return AgentTrajectory(
            steps=tuple(AgentStep(index=n, **step) for n, step in enumerate(steps, start=1)),
            terminal_status="success",
            constraints=(),
            checkpoints=(AgentCheckpoint(checkpoint_id="begin", kind="checkpoint"),),
        )

    def __call__(self, request):
        current_case().agent_trajectory(self.work())
        return {"answer": "refunded"}

    def replay(self, trajectory, *, checkpoint, change):
        assert ("begin", 1) == (checkpoint.checkpoint_id, checkpoint.step_index)
        return self.work(change.fault_result)

system = Desk()
"""


@pytest.mark.parametrize(
    ("tries_again", "status", "label"),
    [("True", "pass", "recovered"), ("False", "fail", "false_success")],
)
def test_records_of_tuples_from_the_start_without_a_final_step_are_judged(
    tiny, tries_again, status, label
):
    """What the steps do not show is not compared; the state and the ending decide."""
    tiny.write(
        app=PLAIN.replace("TRIES_AGAIN", tries_again),
        cases=[
            {
                "id": "a",
                "input": "o1",
                "initial_state": {"refunds": []},
                "expected": {"answer": "refunded", "state": {"refunds": ["o1"]}},
            }
        ],
        evaluators=[{"type": "fault_recovery", "tool": "refund", "fault": "error"}],
    )
    tiny.run()
    verdict = tiny.verdict("a", "recovers_from_error_at_refund")
    assert (status, label) == (verdict.status, verdict.label)
