"""One case in its sandbox: whatever a system does is evidence of that case alone."""

from __future__ import annotations

import asyncio
import datetime
import enum
import math
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.canonical import decode, digest, encode
from oloproof.contract import current_case
from oloproof.errors import OloproofError, TransientError
from oloproof.execution.redaction import Redaction
from oloproof.execution.retrying import Retries
from oloproof.records.evidence import CaseEvidence
from oloproof.records.trajectory import AgentStep, AgentTrajectory
from tests.execution.systems import Sandbox, evidence, execution, request

if TYPE_CHECKING:
    from collections.abc import Callable

WORLD = "environment_state/v1"
TRAJECTORY = "agent_trajectory/v1"


class Scalar(float):
    """What numeric libraries give: a float that is more than one."""


class Size(enum.Enum):
    SMALL = 1


class Whimsical(dict[str, Any]):
    def items(self) -> Any:
        raise KeyboardInterrupt


def run(act: Callable[[Any, Any], Any], **kwargs: Any) -> dict[str, Any]:
    return evidence(execution(Sandbox(act)), **kwargs)


def report(*kinds: Any, **fields: Any) -> AgentTrajectory:
    steps = [AgentStep(index=n, kind=kind) for n, kind in enumerate(kinds, start=1)]
    trajectory = AgentTrajectory(steps=steps, **fields)
    current_case().agent_trajectory(trajectory)
    return trajectory


class TestStraightPath:
    def test_reset_call_snapshot(self) -> None:
        """The world is put in place, the system is called, and what it left is read out."""

        def act(sandbox: Sandbox, given: Any) -> Any:
            sandbox.world["count"] += given["add"]
            return {"answer": sandbox.world["count"]}

        found = run(act, given={"add": 2}, state={"count": 1})
        world = {"count": 3}
        assert {
            "outcome": {"status": "completed"},
            "output": {"answer": 3},
            WORLD: [{"digest": digest(encode(world)), "state": world}],
        } == found  # type: ignore[comparison-overlap]

    def test_every_case_gets_a_copy_of_its_own(self) -> None:
        """What one case does to its input or its world does not reach the next."""

        def act(sandbox: Sandbox, given: Any) -> Any:
            given["list"].append(1)
            sandbox.world["list"].append(2)
            return given

        running = execution(Sandbox(act))
        for _ in range(2):
            found = evidence(running, {"list": []}, {"list": []})
            assert {"list": [1]} == found["output"]
            assert {"list": [2]} == found[WORLD][0]["state"]

    def test_the_order_of_keys_is_the_agents_to_see(self) -> None:
        """Input and world arrive as they were given."""

        def act(sandbox: Sandbox, given: Any) -> Any:
            return [list(given), list(sandbox.world)]

        assert [["z", "a"], ["y", "b"]] == run(act, given={"z": 1, "a": 2}, state={"y": 1, "b": 2})[
            "output"
        ]

    def test_a_stateless_system_has_no_world(self) -> None:
        """A function is just called."""
        found = evidence(execution(lambda given: given), {"a": 1})
        assert {"outcome": {"status": "completed"}, "output": {"a": 1}} == found

    def test_async_methods_work_alike(self) -> None:
        """Call, reset and snapshot may each be async."""

        class Desk:
            async def reset(self, state: Any) -> None:
                await asyncio.sleep(0)
                self.state = state

            async def snapshot(self) -> Any:
                await asyncio.sleep(0)
                return self.state

            async def __call__(self, given: Any) -> Any:
                await asyncio.sleep(0)
                self.state["given"] = given
                return current_case().id

        found = evidence(execution(Desk()), 7, {})
        assert ("c-1", {"given": 7}) == (found["output"], found[WORLD][0]["state"])

    @pytest.mark.parametrize("talks", [False, True])
    @pytest.mark.parametrize("is_async", [False, True])
    def test_the_case_is_known_from_its_reset_on(self, talks: bool, is_async: bool) -> None:
        """`current_case()` works inside `reset`, in its threads too; no turn has begun there."""
        seen: list[Any] = []

        def look() -> None:
            case = current_case()
            seen.append((case.id, case.turn, case.input))

        class Desk:
            def snapshot(self) -> Any:
                return {}

            def reset(self, state: Any) -> None:
                look()
                thread = threading.Thread(target=look)
                thread.start()
                thread.join()

            def turn(self, message: str) -> str:
                look()
                return message

            def __call__(self, given: Any) -> Any:
                look()

        class AsyncDesk(Desk):
            async def reset(self, state: Any) -> None:  # type: ignore[override]
                await asyncio.to_thread(look)
                await asyncio.create_task(asyncio.to_thread(look))

        turns = {"turns": [{"user": "a"}]}
        running = execution(AsyncDesk() if is_async else Desk())
        asked = request(turns if talks else 7)._replace(talks=talks)
        found: Any = decode(running.run(asked).evidence_json)
        assert {"status": "completed"} == found["outcome"]
        whole = turns if talks else 7
        called = ("c-1", 1, {"user": "a"}) if talks else ("c-1", None, 7)
        assert [("c-1", None, whole), ("c-1", None, whole), called] == seen
        with pytest.raises(OloproofError):
            current_case()

    def test_a_reset_that_fails_leaves_no_case_open(self) -> None:
        """The next one is told apart from it."""

        class Desk:
            def reset(self, state: Any) -> None:
                raise ValueError(current_case().id)

            snapshot = __call__ = reset

        found = evidence(execution(Desk()))
        assert ("raised", "ValueError: c-1") == (
            found["outcome"]["status"],
            found["outcome"]["error"],
        )
        with pytest.raises(OloproofError):
            current_case()

    def test_the_evidence_is_read_again_as_it_was(self) -> None:
        """Patched or not, a reader finds the world that was left."""
        state = {"orders": {str(n): {"status": "open", "note": "x" * 20} for n in range(30)}}

        def act(sandbox: Sandbox, _: Any) -> None:
            sandbox.world["orders"]["7"]["status"] = "paid"

        found = run(act, state=state)
        assert "patch" in found[WORLD][0]
        read = CaseEvidence.from_json(found, decode(encode(state)))
        assert isinstance(read.state, dict)
        assert "paid" == read.state["orders"]["7"]["status"]  # type: ignore[index, call-overload]
        assert found[WORLD][0]["digest"] == digest(encode(read.state))

    def test_equal_runs_have_equal_bytes(self) -> None:
        """No clock and no order of keys is in what is digested."""

        def act(_: Sandbox, given: Any) -> Any:
            step = AgentStep(index=1, kind="final", result=1, latency_ms=time.perf_counter())
            current_case().agent_trajectory(AgentTrajectory(steps=[step]))
            return dict(sorted(given.items(), reverse=True))

        running = execution(Sandbox(act))
        first, second = (running.run(request({"a": 1, "b": 2})) for _ in range(2))
        assert first.evidence_json == second.evidence_json
        assert first.timings != second.timings
        assert 0 < first.duration_s < 60


class TestOutputs:
    @pytest.mark.parametrize(
        ("output", "where"),
        [
            (datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), "(top)"),
            ({"a": {1, 2}}, "a"),
            ({"a": [math.nan]}, "a[0]"),
            ([b"x"], "[0]"),
            ({"a": {1: 2}}, "a"),
            (["\ud800"], "[0]"),
            ([2**64], "[0]"),
            ({"id": uuid.UUID(int=1)}, "id"),
            ([Size.SMALL], "[0]"),
            (object(), "(top)"),
            (lambda: None, "(top)"),
            (AgentTrajectory(steps=[]), "(top)"),
        ],
    )
    def test_an_output_that_is_not_json_is_an_outcome_with_its_path(
        self, output: Any, where: str
    ) -> None:
        """The state is judged all the same."""
        found = run(lambda _, __: output, state={"a": 1})
        assert ("not_json", where) == (found["outcome"]["status"], found["outcome"]["where"])
        assert "output" not in found
        assert {"a": 1} == found[WORLD][0]["state"]

    @pytest.mark.parametrize(
        ("output", "plain"),
        [((1, (2,)), [1, [2]]), (Scalar(1.5), 1.5), (None, None), ("", ""), (True, True)],
    )
    def test_near_json_is_taken_at_its_plain_value(self, output: Any, plain: Any) -> None:
        """Tuples are lists; a null output is an output."""
        assert plain == run(lambda _, __: output)["output"]

    def test_one_that_contains_itself_or_raises_when_it_is_read_is_an_outcome(self) -> None:
        """Whatever a value's own methods do."""
        cycle: list[Any] = []
        cycle.append(cycle)
        for output in (cycle, Whimsical(a=1)):
            assert "not_json" == run(lambda _, __, o=output: o)["outcome"]["status"]

    def test_a_coroutine_function_is_no_output(self) -> None:
        """One who forgot to call it is told so, with the path."""

        async def later() -> None: ...

        found = run(lambda _, __: {"reply": later})
        assert "reply" == found["outcome"]["where"]

    def test_it_is_read_before_the_snapshot_can_change_it(self) -> None:
        """The output is what was returned."""

        class Desk(Sandbox):
            def snapshot(self) -> Any:
                self.world["late"] = True
                return self.world

        found = evidence(execution(Desk(lambda sandbox, _: sandbox.world)), None, {"a": 1})
        assert {"a": 1} == found["output"]


class TestFailures:
    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (ValueError("no"), "raised"),
            (KeyboardInterrupt(), "raised"),
            (GeneratorExit(), "raised"),
            (SystemExit(0), "exited"),
        ],
    )
    def test_a_crash_after_damage_still_has_its_snapshot(
        self, error: BaseException, status: str
    ) -> None:
        """The world as it was left is there to be judged."""

        def act(sandbox: Sandbox, _: Any) -> None:
            sandbox.world.clear()
            raise error

        found = run(act, state={"a": 1})
        assert status == found["outcome"]["status"]
        assert {} == found[WORLD][0]["state"]
        assert "output" not in found

    def test_an_async_call_that_hangs_still_has_its_snapshot(self) -> None:
        """It is ended at its deadline, inside the process."""

        async def act(sandbox: Sandbox, _: Any) -> None:
            sandbox.world["began"] = True
            report("message")
            await asyncio.sleep(60)

        found = evidence(execution(Sandbox(act), timeout_s=0.05))
        assert "timed_out" == found["outcome"]["status"]
        assert {"began": True} == found[WORLD][0]["state"]
        assert 1 == len(found[TRAJECTORY]["steps"])

    def test_a_reset_that_fails_is_the_outcome_and_nothing_is_called(self) -> None:
        """Of a world that was never put in place there is nothing to say."""

        class Desk(Sandbox):
            def reset(self, state: Any) -> None:
                raise RuntimeError("locked")

        called: list[Any] = []
        found = evidence(execution(Desk(lambda _, given: called.append(given))))
        assert [] == called
        assert {"status": "raised", "error": "RuntimeError: locked", "phase": "reset"} == {
            name: found["outcome"][name] for name in ("status", "error", "phase")
        }
        assert "reset() did not succeed: RuntimeError: locked" == found["world_problem"]

    def test_a_reset_that_cannot_even_be_looked_up_is_an_outcome(self) -> None:
        """Such as a property that raises."""

        class Desk(Sandbox):
            @property
            def reset(self) -> Any:
                raise RuntimeError("no reset today")

        found = evidence(execution(Desk(lambda _, __: None)))
        assert ("raised", "reset") == (found["outcome"]["status"], found["outcome"]["phase"])

    @pytest.mark.parametrize(
        ("snapshot", "problem"),
        [
            (lambda: 1 / 0, "snapshot() did not succeed: ZeroDivisionError: division by zero"),
            (lambda: {"a": {1}}, "snapshot() is not JSON: set {1} at a"),
            (lambda: Whimsical(a=1), "KeyboardInterrupt"),
            (lambda: exec("raise SystemExit(0)"), "snapshot() did not succeed: SystemExit: 0"),
        ],
    )
    def test_a_snapshot_that_fails_costs_the_world_alone(
        self, snapshot: Callable[[], Any], problem: str
    ) -> None:
        """The output is judged, checks of the state are missing with the problem."""

        class Desk(Sandbox):
            def snapshot(self) -> Any:
                return snapshot()

        found = evidence(execution(Desk(lambda _, __: "answer")))
        assert ("completed", "answer") == (found["outcome"]["status"], found["output"])
        assert problem == found["world_problem"]
        assert WORLD not in found

    def test_the_next_case_is_untouched(self) -> None:
        """One execution goes through all of this, case after case."""

        def act(sandbox: Sandbox, given: Any) -> Any:
            if given is None:
                return sandbox.world
            raise given if isinstance(given, BaseException) else SystemExit(given)

        running = execution(Sandbox(act))
        for bad in (1, "text", {"a": 1}):
            assert "exited" == evidence(running, bad)["outcome"]["status"]
            assert {"fine": True} == evidence(running, None, {"fine": True})["output"]

    def test_an_error_that_no_text_can_hold_is_evidence_all_the_same(self) -> None:
        """Surrogates, and exceptions that cannot be shown."""

        class MuteError(Exception):
            def __str__(self) -> str:
                raise SystemExit

        for error in (ValueError("\ud800"), MuteError()):

            def act(_: Sandbox, __: Any, error: Exception = error) -> None:
                raise error

            assert "raised" == run(act)["outcome"]["status"]


class TestTrajectories:
    def test_the_last_report_counts(self) -> None:
        """A later report replaces an earlier one, and each is heard."""
        heard: list[bytes] = []

        def act(_: Sandbox, __: Any) -> None:
            report("message")
            report("message", "final", terminal_status="success")

        found = evidence(execution(Sandbox(act), on_report=heard.append))
        assert ["message", "final"] == [step["kind"] for step in found[TRAJECTORY]["steps"]]
        assert encode(found[TRAJECTORY]) == heard[1]
        assert 2 == len(heard)

    def test_a_wrong_report_raises_where_it_is_made(self) -> None:
        """Its author sees it, and the evidence names it."""

        def act(_: Sandbox, __: Any) -> None:
            current_case().agent_trajectory({"steps": []})  # type: ignore[arg-type]

        found = run(act)
        assert "a dict was given as a trajectory" in found["outcome"]["error"]
        assert "a dict was given as a trajectory" == found["trajectory_problem"]

    def test_a_wrong_report_that_is_swallowed_is_still_said(self) -> None:
        """And is forgotten when a right one follows."""

        def act(_: Sandbox, given: Any) -> None:
            try:
                current_case().agent_trajectory(None)  # type: ignore[arg-type]
            except OloproofError:
                if given:
                    report("final")

        assert "trajectory_problem" in run(act, given=False)
        found = run(act, given=True)
        assert "trajectory_problem" not in found
        assert TRAJECTORY in found

    def test_timings_are_beside_the_evidence(self) -> None:
        """Also in what is heard while the case goes on."""
        heard: list[bytes] = []

        def act(_: Sandbox, __: Any) -> None:
            step = AgentStep(index=1, kind="final", latency_ms=12.5)
            current_case().agent_trajectory(AgentTrajectory(steps=[step]))

        recorded = execution(Sandbox(act), on_report=heard.append).run(request())
        assert {"latency_ms": {"1": 12.5}} == recorded.timings
        assert b"12.5" not in recorded.evidence_json + heard[0]

    def test_a_report_from_a_thread_counts_while_the_case_is_open(self) -> None:
        """And is refused in the thread when it comes too late."""
        late: list[Any] = []
        gone = threading.Event()

        def act(_: Sandbox, __: Any) -> None:
            case = current_case()

            def work() -> None:
                report("message")
                gone.wait(5)
                try:
                    case.agent_trajectory(AgentTrajectory(steps=[]))
                except OloproofError as error:
                    late.append(error.what)

            thread = threading.Thread(target=work)
            thread.start()
            while not late and thread.is_alive() and not reported():
                time.sleep(0.001)
            threads.append(thread)

        heard: list[bytes] = []
        threads: list[threading.Thread] = []

        def reported() -> bool:
            return bool(heard)

        found = evidence(execution(Sandbox(act), on_report=heard.append))
        gone.set()
        threads[0].join()
        assert 1 == len(found[TRAJECTORY]["steps"])
        assert 1 == len(heard)
        assert ["a trajectory was reported after the end of case `c-1`"] == late


class TestRetries:
    def test_every_attempt_has_a_fresh_sandbox(self) -> None:
        """What a failed attempt did, also to its input, is undone; each is recorded."""
        seen: list[Any] = []

        def act(sandbox: Sandbox, given: Any) -> Any:
            seen.append([len(sandbox.world["log"]), len(given)])
            sandbox.world["log"].append("tried")
            given.append(1)
            report("message")
            if len(seen) < 3:
                raise TransientError("busy")
            return "done"

        retries = Retries(attempts=5, wait_s=0)
        found = evidence(execution(Sandbox(act), retries=retries), [], {"log": []})
        assert [[0, 0]] * 3 == seen
        assert {"log": ["tried"]} == found[WORLD][0]["state"]
        assert ["raised", "raised", "completed"] == [a["status"] for a in found["attempts"]]
        assert found["outcome"] == found["attempts"][-1]

    @pytest.mark.parametrize("phase", ["call", "reset"])
    def test_an_outage_is_an_outcome_of_its_own(self, phase: str) -> None:
        """Whatever was done before it is kept, and the attempts are there."""

        class Desk(Sandbox):
            def reset(self, state: Any) -> None:
                super().reset(state)
                if phase == "reset":
                    raise TransientError("busy")

        def act(sandbox: Sandbox, _: Any) -> Any:
            sandbox.world["log"].append("tried")
            raise TransientError("busy")

        retries = Retries(attempts=2, wait_s=0)
        found = evidence(execution(Desk(act), retries=retries), [], {"log": []})
        assert ["raised", "outage"] == [a["status"] for a in found["attempts"]]
        assert ("outage", "TransientError: busy") == (
            found["outcome"]["status"],
            found["outcome"]["error"],
        )
        assert (phase == "call") == (WORLD in found)

    def test_a_transient_reset_is_tried_again(self) -> None:
        """The sandbox may be the part that is busy."""

        class Desk(Sandbox):
            tries = 0

            def reset(self, state: Any) -> None:
                self.tries += 1
                if self.tries == 1:
                    raise TransientError("busy")
                super().reset(state)

        retries = Retries(attempts=2, wait_s=0)
        found = evidence(execution(Desk(lambda _, __: "done"), retries=retries))
        assert "done" == found["output"]
        assert "reset" == found["attempts"][0]["phase"]

    def test_waiting_is_not_the_cases_time(self) -> None:
        """A retry that waits makes no case slow."""
        tries: list[int] = []

        def act(_: Sandbox, __: Any) -> None:
            tries.append(1)
            if len(tries) == 1:
                raise TransientError

        retries = Retries(attempts=2, wait_s=0.2)
        recorded = execution(Sandbox(act), retries=retries).run(request())
        assert 2 == len(tries)
        assert recorded.duration_s < 0.2


class TestSecrets:
    @pytest.mark.parametrize(
        "act",
        [
            lambda sandbox, secret: {"said": secret, secret: [secret]},
            lambda sandbox, secret: sandbox.world.update(key=secret),
            lambda sandbox, secret: sandbox.world.update({secret: 1}),
            lambda sandbox, secret: exec("raise ValueError(secret)", {"secret": secret}),
            lambda sandbox, secret: exec("raise ValueError('x' * 480 + s)", {"s": secret}),
            lambda sandbox, secret: exec("raise SystemExit(s)", {"s": secret}),
            lambda sandbox, secret: secret.encode(),
            lambda sandbox, secret: {secret: {1}},
            lambda sandbox, secret: {"a": {secret}},
            lambda sandbox, secret: sandbox.world.update(bad={secret}),
            lambda sandbox, secret: current_case().agent_trajectory(
                AgentTrajectory(
                    steps=[
                        AgentStep(
                            index=1, kind="tool_call", tool_name=secret, arguments={secret: secret}
                        )
                    ]
                )
            ),
            lambda sandbox, secret: current_case().agent_trajectory(
                AgentTrajectory(
                    steps=[AgentStep(index=1, kind="final").model_copy(update={"result": {secret}})]
                )
            ),
        ],
    )
    @pytest.mark.parametrize("secret", ["hush-hush-0123456789", 'two\nlines and a "quote"'])
    def test_no_way_leads_out(self, act: Callable[[Any, str], Any], secret: str) -> None:
        """Output, world, patch, error, trajectory, report: none holds it, whole or in part."""
        heard: list[bytes] = []
        running = execution(
            Sandbox(act), redaction=Redaction(["KEY"], {"KEY": secret}), on_report=heard.append
        )
        for state in ({}, {str(n): "x" * 20 for n in range(50)}):
            recorded = running.run(request(secret, state))
            told = b"".join([recorded.evidence_json, *heard])
            for part in ("hush", "0123", "lines", "quote"):
                assert part.encode() not in told

    def test_a_key_that_the_system_loads_itself_is_found(self) -> None:
        """As from an .env file, when it is first called."""
        environment: dict[str, str] = {}

        def act(_: Sandbox, __: Any) -> str:
            environment["KEY"] = "loaded-late"
            return "key: loaded-late"

        running = execution(Sandbox(act), redaction=Redaction(["KEY"], environment))
        assert "key: [redacted:KEY]" == evidence(running)["output"]

    def test_evidence_without_secrets_is_the_same_with_and_without_rules(self) -> None:
        """Looking for secrets changes nothing else."""
        state = {str(n): ["x" * 20, n, 1.5, None, True] for n in range(50)}

        def act(sandbox: Sandbox, _: Any) -> Any:
            sandbox.world["3"] = (1, 2)
            report("message", "final")
            return {"b": 1, "a": (1,)}

        plain = execution(Sandbox(act)).run(request(state=state))
        rules = Redaction([r"nothing\d"])
        looked = execution(Sandbox(act), redaction=rules).run(request(state=state))
        assert plain.evidence_json == looked.evidence_json
