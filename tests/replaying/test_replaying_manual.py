"""Replays that a system's author wrote by hand: what may be trusted of them."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.canonical import decode
from oloproof.contract import current_case
from oloproof.errors import TransientError
from oloproof.execution.redaction import Redaction
from oloproof.execution.retrying import Retries
from oloproof.records.trajectory import (
    AgentCheckpoint,
    AgentConstraintCheck,
    AgentStep,
    AgentTrajectory,
    ReplayChange,
)
from oloproof.replaying.manual import ManualReplay, checkpoint_at, joined
from tests.execution.systems import Sandbox, execution, request

if TYPE_CHECKING:
    from collections.abc import Callable

TRAJECTORY = "agent_trajectory/v1"
WORLD = "environment_state/v1"
CALL_AT = 3
"""The step of the refund, which is replayed."""


def a_step(index: int, kind: str, **fields: Any) -> AgentStep:
    return AgentStep(index=index, kind=kind, **fields)  # type: ignore[arg-type]


class Desk(Sandbox):
    """Looks an order up and refunds it; `change_replay` spoils what its replay gives."""

    def __init__(self, change_replay: Callable[..., Any] | None = None, **report: Any) -> None:
        super().__init__(lambda _, given: self.work(given))
        self.change_replay = change_replay
        self.report = report

    def steps(self, fault_result: Any = None) -> list[AgentStep]:
        looked = {"order": "open"}
        refunded = fault_result or {"ok": True}
        if fault_result is None:
            self.world["refunds"] += 1
        return [
            a_step(1, "tool_call", tool_name="look", arguments={"id": 1}),
            a_step(2, "tool_result", tool_name="look", result=looked),
            a_step(3, "tool_call", tool_name="refund", arguments={"id": 1}),
            a_step(4, "tool_result", tool_name="refund", result=refunded, latency_ms=3.5),
            a_step(5, "final", result={"answer": "refunded"}),
        ]

    def work(self, given: Any) -> Any:
        del given
        steps = self.steps()
        current_case().agent_trajectory(
            AgentTrajectory(steps=steps, terminal_status="success", **self.report)
        )
        return steps[-1].result

    async def replay(
        self, trajectory: AgentTrajectory, *, checkpoint: AgentCheckpoint, change: ReplayChange
    ) -> Any:
        assert trajectory.steps[checkpoint.step_index - 1].tool_name == "refund"
        steps = self.steps(change.fault_result)[checkpoint.step_index - 1 :]
        continuation = AgentTrajectory(
            steps=[s.model_copy(update={"index": n}) for n, s in enumerate(steps, start=1)],
            terminal_status="success",
        )
        if self.change_replay is None:
            return continuation
        told = self.change_replay(self, continuation, trajectory, change)
        return await told if asyncio.iscoroutine(told) else told


def replaying(desk: Any, **options: Any) -> ManualReplay:
    """The replays of a case that was recorded on the desk."""
    running = execution(desk, timeout_s=options.pop("timeout_s", 5.0), **options)
    case = request({"order": 1}, {"refunds": 0})
    return ManualReplay(running, case, running.run(case).evidence_json)


def control(desk: Any, **options: Any) -> dict[str, Any]:
    return read(replaying(desk, **options).control(CALL_AT))


def faulted(desk: Any, fault: Any = "error", **options: Any) -> dict[str, Any]:
    return read(replaying(desk, **options).faulted(CALL_AT, fault))


def read(told: tuple[bytes, float]) -> dict[str, Any]:
    data, seconds = told
    assert seconds >= 0
    return dict(decode(data))  # type: ignore[arg-type]


def with_steps(trajectory: AgentTrajectory, *steps: AgentStep) -> AgentTrajectory:
    numbered = [step.model_copy(update={"index": n}) for n, step in enumerate(steps, start=1)]
    return trajectory.model_copy(update={"steps": numbered})


class TestControl:
    def test_a_control_that_reproduces_the_recording_is_trusted(self) -> None:
        """Its trajectory is the recorded prefix with the continuation behind it."""
        found = control(Desk())
        assert {"kind": "resume", "step_index": 3, "method": "manual", "fault": None} == {
            name: found[name] for name in ("kind", "step_index", "method", "fault")
        }
        assert found["reason"] is None
        assert "divergence" not in found
        case = found["case"]
        assert [1, 2, 3, 4, 5] == [step["index"] for step in case[TRAJECTORY]["steps"]]
        assert {"answer": "refunded"} == case["output"]
        assert {"status": "completed"} == case["outcome"]
        assert {"refunds": 1} == case[WORLD][0]["state"]

    def test_no_clock_is_in_it(self) -> None:
        """Timings of a continuation are left out of what is digested."""
        assert "latency_ms" not in str(control(Desk()))

    @pytest.mark.parametrize(
        ("change", "kind"),
        [
            (lambda d, c, *_: with_steps(c, *c.steps[:1]), "missing_call"),
            (lambda d, c, *_: with_steps(c), "missing_call"),
            (lambda d, c, *_: with_steps(c, *c.steps, a_step(1, "message")), "unexpected_call"),
            (
                lambda d, c, *_: with_steps(
                    c, c.steps[0].model_copy(update={"arguments": {"id": 2}}), *c.steps[1:]
                ),
                "changed_args",
            ),
            (
                lambda d, c, *_: with_steps(
                    c, c.steps[0], c.steps[1].model_copy(update={"result": None}), c.steps[2]
                ),
                "changed_result",
            ),
            (
                lambda d, c, *_: with_steps(
                    c, *c.steps[:2], c.steps[2].model_copy(update={"result": "no"})
                ),
                "changed_output",
            ),
            (lambda d, c, *_: d.world.update(refunds=5) or c, "changed_state"),
            (
                lambda d, c, *_: c.model_copy(update={"terminal_status": "failure"}),
                "changed_outcome",
            ),
        ],
    )
    def test_every_difference_is_named(self, change: Any, kind: str) -> None:
        """And none of them counts as a control."""
        found = control(Desk(change))
        assert found["reason"] is None
        assert kind == found["divergence"]["kind"]

    @pytest.mark.parametrize(
        ("change", "reason", "told"),
        [
            (lambda *_: 1 / 0, "replay_raised", "ZeroDivisionError: division by zero"),
            (lambda *_: exec("raise SystemExit(0)"), "replay_exited", "SystemExit: 0"),
            (lambda *_: asyncio.sleep(60), "replay_timed_out", "no answer within 0.1 s"),
            (
                lambda *_: exec("raise NotImplementedError"),
                "replay_raised",
                "NotImplementedError",
            ),
            (
                lambda d, c, *_: AgentTrajectory(steps=[a_step(3, "tool_call")]),
                "replay_raised",
                "step 1 has index 3",
            ),
        ],
    )
    def test_one_that_does_not_return_is_no_control(
        self, change: Any, reason: str, told: str
    ) -> None:
        """The reason is a word, and the case beside it says what happened."""
        found = control(Desk(change), timeout_s=0.1)
        assert reason == found["reason"]
        assert told in found["case"]["outcome"]["error"]
        assert {"refunds": 1} == found["case"][WORLD][0]["state"]

    @pytest.mark.parametrize(
        ("returned", "problem"),
        [
            (None, "a NoneType was given as a trajectory"),
            ({"steps": []}, "a dict was given as a trajectory"),
            ([], "a list was given as a trajectory"),
            (
                AgentTrajectory.model_construct(steps=[a_step(2, "final")]),
                "the trajectory is not valid: steps are numbered 1, 2, 3 …: step 1 has index 2",
            ),
            (
                AgentTrajectory.model_construct(
                    steps=[a_step(1, "final").model_copy(update={"result": math.nan})]
                ),
                "the trajectory is not JSON: float nan at steps[0].result",
            ),
        ],
    )
    def test_what_is_no_trajectory_is_no_replay(self, returned: Any, problem: str) -> None:
        """Under control and fault alike: it is the author's mistake, not the agent's."""
        for found in (control(Desk(lambda *_: returned)), faulted(Desk(lambda *_: returned))):
            assert "replay_returned_no_valid_trajectory" == found["reason"]
            assert problem == found["case"]["trajectory_problem"]
            assert "output" not in found["case"]

    def test_a_snapshot_that_fails_makes_it_diverge(self) -> None:
        """A control without a world proves nothing of the state."""

        class Blind(Desk):
            def snapshot(self) -> Any:
                if self.blind:
                    raise RuntimeError("blind")
                return self.world

            blind = False

            async def replay(self, *args: Any, **kwargs: Any) -> Any:
                self.blind = True
                return await super().replay(*args, **kwargs)

        found = control(Blind())
        assert "changed_state" == found["divergence"]["kind"]
        assert "snapshot() did not succeed" in found["case"]["world_problem"]

    def test_a_reset_that_fails_is_no_replay_of_anything(self) -> None:
        """Nor is it the agent's doing under a fault."""

        class Stuck(Desk):
            resets = 0

            def reset(self, state: Any) -> None:
                self.resets += 1
                if self.resets > 1:
                    raise RuntimeError("stuck")
                super().reset(state)

        assert "reset_raised" == control(Stuck())["reason"]
        assert "reset_raised" == faulted(Stuck())["reason"]

    def test_a_stateless_system_is_compared_by_its_steps(self) -> None:
        """There is no world on either side."""

        class Agent:
            def __call__(self, given: Any) -> Any:
                trajectory = AgentTrajectory(steps=self.steps(), terminal_status="success")
                current_case().agent_trajectory(trajectory)
                return 1

            def steps(self) -> list[AgentStep]:
                return [a_step(1, "tool_call", tool_name="refund"), a_step(2, "final", result=1)]

            def replay(self, trajectory: Any, *, checkpoint: Any, change: Any) -> Any:
                assert checkpoint.step_index == 1
                return AgentTrajectory(steps=self.steps(), terminal_status="success")

        running = execution(Agent())
        case = request()
        replay = ManualReplay(running, case, running.run(case).evidence_json)
        found = read(replay.control(1))
        assert found["reason"] is None
        assert "divergence" not in found
        assert WORLD not in found["case"]


class TestObstacles:
    def test_a_system_without_replay_cannot_be_replayed(self) -> None:
        """Nothing is called."""

        class Plain(Sandbox):
            work, steps, report = Desk.work, Desk.steps, {}

        desk = Plain(lambda desk, given: desk.work(given))  # type: ignore[attr-defined]
        found = control(desk)
        assert "not_replayable" == found["reason"]
        assert "case" not in found

    def test_without_a_recorded_world_there_is_nothing_to_compare(self) -> None:
        """A stateful system whose snapshot failed when it was recorded."""

        class Blind(Desk):
            def snapshot(self) -> Any:
                raise RuntimeError

        assert "no_recorded_state" == control(Blind())["reason"]

    @pytest.mark.parametrize("place", ["arguments", "look", "refund", "world", "answer"])
    def test_a_redacted_value_that_would_be_served_is_needed(self, place: str) -> None:
        """The prefix is served, and the call itself; what comes after is only compared."""
        secret = "hush-hush"

        class Secretive(Desk):
            def steps(self, fault_result: Any = None) -> list[AgentStep]:
                steps = super().steps(fault_result)
                if place == "world":
                    self.world["key"] = secret
                number, name = {
                    "arguments": (2, "arguments"),
                    "look": (1, "result"),
                    "refund": (3, "result"),
                    "answer": (4, "result"),
                }.get(place, (0, None))
                if name is not None:
                    steps[number] = steps[number].model_copy(update={name: {"key": secret}})
                return steps

        found = control(Secretive(), redaction=Redaction(["KEY"], {"KEY": secret}))
        served = place in ("arguments", "look")
        assert ("redacted_value_needed" if served else None) == found["reason"]
        assert "divergence" not in found
        assert "hush" not in str(found)

    def test_a_recording_that_no_longer_reads_is_said(self) -> None:
        """As one whose parts were made without checks."""
        desk = Desk()
        running = execution(desk)
        case = request(None, {"refunds": 0})
        recording = running.run(case).evidence_json.replace(b'"step_limit"', b'"x"')
        broken = recording.replace(b'"terminal_status":"success"', b'"step_limit":"many"')
        assert b"many" in broken
        found = read(ManualReplay(running, case, broken).control(CALL_AT))
        assert "recording_not_valid" == found["reason"]


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "result"),
        [
            ("error", {"error": "internal error"}),
            ("timeout", {"error": "timeout"}),
            ("malformed", {"raw": '{"status": '}),
        ],
    )
    def test_the_call_gets_the_result_of_the_fault(self, fault: str, result: Any) -> None:
        """The effect did not happen, and the agent is told so."""
        found = faulted(Desk(), fault)
        assert ("inject_fault", fault, None) == (found["kind"], found["fault"], found["reason"])
        assert result == found["case"][TRAJECTORY]["steps"][3]["result"]
        assert {"refunds": 0} == found["case"][WORLD][0]["state"]
        assert "divergence" not in found

    @pytest.mark.parametrize(
        ("change", "status"),
        [
            (lambda *_: 1 / 0, "raised"),
            (lambda *_: exec("raise SystemExit(1)"), "exited"),
            (lambda *_: asyncio.sleep(60), "timed_out"),
        ],
    )
    def test_how_the_agent_ends_under_a_fault_is_what_it_did(
        self, change: Any, status: str
    ) -> None:
        """Its world is read, and there is no reason to call the replay missing."""
        found = faulted(Desk(change), timeout_s=0.1)
        case = found["case"]
        assert (None, status) == (found["reason"], case["outcome"]["status"])
        assert {"refunds": 0} == case[WORLD][0]["state"]
        assert "failure" == case[TRAJECTORY]["terminal_status"]
        assert ["look", "look"] == [step["tool_name"] for step in case[TRAJECTORY]["steps"]]
        assert "output" not in case

    def test_a_fault_that_the_author_did_not_write_is_not_the_agents_failure(self) -> None:
        """NotImplementedError says so."""

        def refuse(*_: Any) -> None:
            raise NotImplementedError("no malformed results here")

        found = faulted(Desk(refuse), "malformed")
        assert "fault_not_supported_by_replay" == found["reason"]
        assert "no malformed results" in found["case"]["outcome"]["error"]

    @pytest.mark.parametrize("fault", ["error", "timeout", "malformed"])
    def test_a_replay_that_ignores_the_fault_says_nothing(self, fault: str) -> None:
        """An agent that never saw the fault did not recover from it."""

        def ignore(desk: Any, *_: Any) -> Any:
            steps = desk.steps()[CALL_AT - 1 :]
            return with_steps(AgentTrajectory(steps=[], terminal_status="success"), *steps)

        assert "fault_not_delivered" == faulted(Desk(ignore), fault)["reason"]

    def test_a_transient_error_is_retried_as_in_a_case(self) -> None:
        """Infrastructure that is busy under a fault is not the agent's crash."""
        tries: list[int] = []

        def busy(_: Any, continuation: Any, *__: Any) -> Any:
            tries.append(1)
            if len(tries) < 3:
                raise TransientError("busy")
            return continuation

        found = faulted(Desk(busy), retries=Retries(attempts=3, wait_s=0))
        assert ("completed", 3) == (found["case"]["outcome"]["status"], len(tries))
        assert ["raised", "raised", "completed"] == [
            attempt["status"] for attempt in found["case"]["attempts"]
        ]

    def test_an_outage_says_nothing_of_the_agent(self) -> None:
        """Neither of its control nor of what it does under the fault."""

        def down(_: Any, __: Any, ___: Any, change: Any) -> Any:
            raise TransientError("503")

        for replay in (control, faulted):
            found = replay(Desk(down), retries=Retries(attempts=2, wait_s=0))
            assert ("outage", "outage") == (found["reason"], found["case"]["outcome"]["status"])


class TestWhatAReplayIsGiven:
    def test_it_may_change_what_it_is_given(self) -> None:
        """Trajectory, checkpoint and world are its own; the next replay has fresh ones."""

        def spoil(desk: Any, continuation: Any, trajectory: Any, change: Any) -> Any:
            given = continuation.model_copy(deep=True)
            trajectory.steps[2].arguments["id"] = 99
            trajectory.steps[1].result.clear()
            trajectory.steps.clear()
            return given

        replay = replaying(Desk(spoil))
        first, second = read(replay.control(CALL_AT)), read(replay.control(CALL_AT))
        assert first == second
        assert (None, False) == (first["reason"], "divergence" in first)
        assert {"order": "open"} == first["case"][TRAJECTORY]["steps"][1]["result"]

    def test_the_case_is_current_and_its_sandbox_reset(self) -> None:
        """It knows its input as the call did."""
        seen: list[Any] = []

        def look(desk: Any, continuation: Any, *_: Any) -> Any:
            seen.append((current_case().id, current_case().input, current_case().replicate))
            return continuation

        control(Desk(look))
        assert [("c-1", {"order": 1}, 1)] == seen

    def test_what_is_reported_meanwhile_is_not_used(self) -> None:
        """A replay may share code with the call; what it returns counts."""

        def report(desk: Any, continuation: Any, trajectory: Any, _: Any) -> Any:
            current_case().agent_trajectory(trajectory)
            return continuation

        heard: list[bytes] = []
        replay = replaying(Desk(report), on_report=heard.append)
        heard.clear()
        assert "divergence" not in read(replay.control(CALL_AT))
        assert [] == heard

    def test_a_checkpoint_that_the_trajectory_names_is_used(self) -> None:
        """Else one is made, just before the call."""
        named = AgentCheckpoint(
            checkpoint_id="mine", kind="checkpoint", step_index=3, payload={"cursor": 7}
        )
        seen: list[Any] = []

        class Named(Desk):
            async def replay(self, trajectory: Any, *, checkpoint: Any, change: Any) -> Any:
                seen.append(checkpoint)
                return await super().replay(trajectory, checkpoint=checkpoint, change=change)

        control(Named(checkpoints=[named]))
        control(Named())
        assert named == seen[0]
        assert ("step-3", "tool_arguments", 3) == (
            seen[1].checkpoint_id,
            seen[1].kind,
            seen[1].step_index,
        )

    def test_a_checkpoint_elsewhere_is_not_taken(self) -> None:
        """It would begin at another step."""
        steps = [a_step(1, "tool_call", tool_name="a"), a_step(2, "tool_call", tool_name="b")]
        named = AgentCheckpoint(checkpoint_id="mine", kind="checkpoint", step_index=1)
        trajectory = AgentTrajectory(steps=steps, checkpoints=[named])
        assert "step-2" == checkpoint_at(trajectory, 2).checkpoint_id


class TestJoining:
    RECORDED: Any = {  # noqa: RUF012
        "steps": [{"index": n, "kind": kind} for n, kind in enumerate("abcd", start=1)],
        "constraints": [
            {"name": "early", "passed": True, "step_index": 1},
            {"name": "at the call", "passed": True, "step_index": 3},
            {"name": "late", "passed": True, "step_index": 4},
            {"name": "unplaced", "passed": True},
        ],
        "usage": {"input_tokens": 5},
    }

    def test_a_continuation_may_begin_with_the_call_or_with_its_result(self) -> None:
        """The call stands in the prefix only where it is not repeated."""
        for kind, prefix in (("tool_call", 2), ("tool_result", 3)):
            continuation = {"steps": [{"index": 1, "kind": kind}, {"index": 2, "kind": "final"}]}
            whole = joined(self.RECORDED, continuation, 3)
            kinds = [step["kind"] for step in whole["steps"]]
            assert [*"abcd"[:prefix], kind, "final"] == kinds
            assert list(range(1, len(kinds) + 1)) == [step["index"] for step in whole["steps"]]

    def test_constraints_of_the_prefix_are_kept_and_later_ones_moved(self) -> None:
        """What the recording checked after the checkpoint did not happen here."""
        continuation = {
            "steps": [{"index": 1, "kind": "tool_call"}, {"index": 2, "kind": "final"}],
            "constraints": [
                {"name": "new", "passed": False, "step_index": 2},
                {"name": "free", "passed": True},
            ],
            "checkpoints": [{"checkpoint_id": "x", "kind": "checkpoint", "step_index": 1}],
            "terminal_status": "failure",
        }
        whole = joined(self.RECORDED, continuation, 3)
        assert [
            {"name": "early", "passed": True, "step_index": 1},
            {"name": "new", "passed": False, "step_index": 4},
            {"name": "free", "passed": True},
        ] == whole["constraints"]
        assert {"steps", "constraints", "terminal_status"} == set(whole)
        assert 2 == continuation["constraints"][0]["step_index"]  # type: ignore[index]

    def test_the_recording_is_not_changed(self) -> None:
        """It is joined to many continuations."""
        before = str(self.RECORDED)
        joined(self.RECORDED, {"steps": [{"index": 1, "kind": "tool_call"}]}, 2)
        assert before == str(self.RECORDED)


class TestRecordedConstraints:
    def test_one_of_the_prefix_is_part_of_the_replay(self) -> None:
        """A rule that was already broken stays broken."""
        broken = AgentConstraintCheck(name="window", passed=False, step_index=2)
        found = faulted(Desk(constraints=[broken]))
        assert [{"name": "window", "passed": False, "step_index": 2}] == found["case"][TRAJECTORY][
            "constraints"
        ]


class TestOutputsNotShown:
    def test_without_a_final_step_the_output_is_left_uncompared(self) -> None:
        """What a user said is no output; a final step that only the replay has is."""

        class Silent(Desk):
            def steps(self, fault_result: Any = None) -> list[AgentStep]:
                made = super().steps(fault_result)
                said = a_step(5, "message", agent="user", result="please")
                return [*made[:4], said if fault_result is None else made[4]]

            def work(self, given: Any) -> Any:
                super().work(given)
                return {"answer": "refunded"}

        found = control(Silent())
        assert (None, True) == (found["reason"], "divergence" not in found)
        assert "output" not in found["case"]
        assert {"answer": "refunded"} == faulted(Silent())["case"]["output"]
