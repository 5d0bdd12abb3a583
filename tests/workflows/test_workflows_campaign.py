"""Runs that are killed at random moments, and what is left of them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

APP = """
import random, time
from oloproof import AgentStep, AgentTrajectory, current_case

class Desk:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def __call__(self, request):
        with open("calls", "a") as calls: calls.write(current_case().id + "\\n")
        time.sleep(random.uniform(0, 0.004))
        trajectory = self.work(request, None)
        current_case().agent_trajectory(trajectory)
        return trajectory.steps[-1].result
    async def replay(self, trajectory, *, checkpoint, change):
        return self.work(current_case().input, change.fault_result)
    def work(self, request, fault):
        self.state["n"] += request["n"] if fault is None else 0
        result = {"ok": True} if fault is None else fault
        answer = "done" if request["n"] % 3 or fault is None else "failed"
        return AgentTrajectory(
            steps=[
                AgentStep(index=1, kind="tool_call", tool_name="add", arguments=request),
                AgentStep(index=2, kind="tool_result", tool_name="add", result=result),
                AgentStep(index=3, kind="final", result={"answer": answer}),
            ],
            terminal_status="success" if answer == "done" else "failure",
        )

system = Desk()
"""
WAITING = (
    APP.replace("def __call__", "async def __call__")
    .replace("import random, time", "import asyncio, random")
    .replace("time.sleep", "await asyncio.sleep")
    .replace("system = Desk()", "system = Desk")
)
CASES = 40
EVALUATORS = [
    {"type": "exact_match", "field": "answer", "expected_field": "answer"},
    {"type": "state_matches"},
    {"type": "fault_recovery", "tool": "add", "fault": ["error", "timeout"]},
]
RULES = [{"id": "world", "metric": "state_matches", "min": 0.8}]
OLOPROOF = [sys.executable, "-c", "import sys; from oloproof.cli import main; sys.exit(main())"]


@pytest.fixture
def desk(tiny, request):
    """A project whose run takes a good part of a second, with two sandboxes, or four that wait."""
    waits = getattr(request, "param", None) == "waiting"
    cases = [
        {
            "id": f"c{n:03d}",
            "input": {"n": n},
            "initial_state": {"n": 0},
            "expected": {"answer": "done", "state": {"n": n if n % 5 else -1}},
        }
        for n in range(CASES)
    ]
    return tiny.write(
        app=WAITING if waits else APP,
        cases=cases,
        evaluators=EVALUATORS,
        rules=RULES,
        concurrency={"system": 4 if waits else 2},
    )


def start(folder: Path) -> subprocess.Popen[bytes]:
    """A run in a process of its own."""
    return subprocess.Popen(
        [*OLOPROOF, "run", "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def essence(report: dict[str, Any]) -> dict[str, Any]:
    """What a report says of the cases, whoever ran them when."""
    names = ("asked", "cases", "outcomes", "metrics", "slices", "gate", "status")
    return {name: report[name] for name in names}


def finish(folder: Path) -> dict[str, Any]:
    """Run to the end; the report."""
    process = start(folder)
    out, _ = process.communicate(timeout=120)
    return json.loads(out)


def workers_of(process: int) -> list[int]:
    """The worker processes of a run."""
    path = Path(f"/proc/{process}/task/{process}/children")
    try:
        return [int(number) for number in path.read_text().split()]
    except OSError:
        return []


def kill(process: subprocess.Popen[bytes], whom: str) -> None:
    """Kill the run, one of its workers, or both, at once."""
    for number in workers_of(process.pid)[:1] if whom != "run" else []:
        os.kill(number, signal.SIGKILL)
    if whom != "worker":
        process.kill()
        process.wait()


def disturb(folder: Path, chance: random.Random) -> int:
    """Start runs and kill them at random moments, three times; how often something was killed."""
    kills = 0
    for _ in range(3):
        process = start(folder)
        time.sleep(chance.uniform(0.25, 1.2))
        kill(process, chance.choice(("run", "worker", "both")))
        kills += 1
        if process.poll() is None:
            process.communicate(timeout=120)
    return kills


def check_trial(folder: Path, expected: dict[str, Any], seed: int, *, waits: bool) -> None:
    """Disturbed runs come to the undisturbed report, and call little again."""
    kills = disturb(folder, random.Random(seed))
    assert expected == essence(finish(folder))
    calls = Counter((folder / "calls").read_text().split())
    assert CASES == len(calls)
    # Each sandbox may have been in a call when it was killed.
    assert calls.total() <= CASES + (4 if waits else 2) * kills, f"seed {seed}"
    assert [] == list((folder / ".oloproof" / "journal").iterdir())


def check_trials(folder: Path, seeds: range, *, waits: bool) -> None:
    """One trial a seed, each from the beginning."""
    expected = essence(finish(folder))
    for seed in seeds:
        fresh(folder)
        check_trial(folder, expected, seed, waits=waits)


@pytest.mark.parametrize("desk", ["computing", "waiting"], indirect=True)
def test_a_killed_run_comes_to_the_same_report(desk, request):
    """Whatever is killed when, the next run goes on where it stopped."""
    waits = "waiting" in request.node.name
    check_trials(desk.folder, range(2), waits=waits)


@pytest.mark.slow
@pytest.mark.parametrize("desk", ["computing", "waiting"], indirect=True)
@pytest.mark.parametrize("seed", range(100, 200, 10))
def test_two_hundred_killed_runs_come_to_the_same_report(desk, seed, request):
    """200 seeded trials, ten at a time."""
    waits = "waiting" in request.node.name
    check_trials(desk.folder, range(seed, seed + 10), waits=waits)


def fresh(folder: Path) -> None:
    """Forget every run."""
    import shutil

    shutil.rmtree(folder / ".oloproof")
    (folder / "calls").unlink(missing_ok=True)


def test_a_run_found_dead_is_shown_as_interrupted(desk):
    """A run whose process is gone is not running."""
    process = start(desk.folder)
    while process.poll() is None and not (desk.folder / "calls").exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = subprocess.run([*OLOPROOF, "runs", "--json"], cwd=desk.folder, capture_output=True)
    statuses = {line["status"] for line in json.loads(done.stdout)["runs"]}
    assert {"interrupted"} == statuses


def test_one_interrupt_ends_a_run_in_which_a_call_hangs(desk):
    """The call is not waited for, and the run is marked."""
    app = APP.replace("time.sleep(random.uniform(0, 0.004))", "time.sleep(30)")
    (desk.folder / "app.py").write_text(app)
    process = start(desk.folder)
    while process.poll() is None and not (desk.folder / "calls").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    assert (5, "interrupted") == (process.returncode, json.loads(out)["status"])


def test_two_runs_at_once_share_the_store_and_both_finish(desk):
    """Neither waits for the other, and both come to the same report."""
    first, second = start(desk.folder), start(desk.folder)
    reports = [json.loads(process.communicate(timeout=120)[0]) for process in (first, second)]
    assert essence(reports[0]) == essence(reports[1])
    assert "complete" == reports[0]["status"]
