"""A worker process from its start to its end: what it loads, says, and leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.worker.conftest import RefusedError, drive, unit

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "sk-hush-hush-0123456789"

ECHO = """
def desk(request):
    return {"got": request}
"""

REPLAYABLE = """
from oloproof import AgentStep, AgentTrajectory, current_case

class Desk:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def steps(self, result):
        return [
            AgentStep(index=1, kind="tool_call", tool_name="refund", arguments={"a": 1}),
            AgentStep(index=2, kind="tool_result", tool_name="refund", result=result),
            AgentStep(index=3, kind="final", result="done"),
        ]
    def __call__(self, request):
        self.state["n"] += 1
        current_case().agent_trajectory(AgentTrajectory(steps=self.steps({"ok": True})))
        return "done"
    async def replay(self, trajectory, *, checkpoint, change):
        self.state["n"] += 1
        return AgentTrajectory(steps=self.steps(change.fault_result or {"ok": True}))

desk = Desk()
"""


def write(root: Path, **modules: str) -> Path:
    for name, source in modules.items():
        (root / f"{name}.py").write_text(source)
    return root


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] != b"Z"


class TestStart:
    def test_it_says_what_the_system_can_do_and_what_it_loaded(self, tmp_path: Path) -> None:
        """Once, before the first answer; what was imported late is said at the end of its job."""
        late = REPLAYABLE.replace('self.state["n"] += 1', 'import late; self.state["n"] += 1', 1)
        write(tmp_path, app=f"import tools\n{late}", tools="", late="")
        first, second = drive(tmp_path, [[unit(1)], [unit(1)]], state={"n": 0})
        assert first.frames[0].header.pop("imported") >= 2
        assert {
            "stateful": True,
            "shares_process": False,
            "replayable": True,
            "conversational": False,
            "single_call": True,
            "forks": True,
            "loaded": ["app.py", "tools.py"],
            "tools": {},
        } == first.frames[0].header
        assert ["late.py"] == first.frames[-1].header["loaded"]
        assert [] == second.frames[-1].header["loaded"]

    def test_what_is_installed_inside_the_project_is_not_its_own(self, tmp_path: Path) -> None:
        """An environment in the project's folder is not the system's source."""
        installed = tmp_path / ".venv" / "lib" / "site-packages"
        installed.mkdir(parents=True)
        write(installed, some_library="")
        found = f"import sys; sys.path.append({str(installed)!r})\nimport some_library\n"
        write(tmp_path, app=found + ECHO)
        (seen,) = drive(tmp_path, [[unit(1)]])
        assert ["app.py"] == seen.frames[0].header["loaded"]

    def test_modules_of_the_project_may_have_the_names_of_others(self, tmp_path: Path) -> None:
        """An agent's email.py or queue.py does not get in the way of the worker itself."""
        names = ("email", "queue", "calendar", "types", "inspect", "selectors", "orjson", "typing")
        write(tmp_path, app=ECHO, **dict.fromkeys(names, "raise RuntimeError('the wrong one')"))
        (seen,) = drive(tmp_path, [[unit(1)]])
        assert {"got": 1} == seen.evidence[0]["output"]

    @pytest.mark.parametrize(
        ("source", "what"),
        [
            (f"raise ValueError('key {SECRET}')", "importing `app` raised ValueError: key"),
            (f"def desk(): raise ValueError('{SECRET}')", "raised ValueError: [redacted:KEY]"),
            ("import os; os.environ['LATE'] = 'late-secret'; raise ValueError('late-secret')", ""),
            ("x = 1", "app has no `desk`"),
        ],
    )
    def test_a_system_that_cannot_be_loaded_is_refused(
        self, tmp_path: Path, source: str, what: str
    ) -> None:
        """With an error in the user's words, from which every secret is taken out."""
        write(tmp_path, app=source)
        with pytest.raises(RefusedError) as caught:
            drive(
                tmp_path,
                [[unit(1)]],
                redact=["KEY", "LATE"],
                environment=os.environ | {"KEY": SECRET},
            )
        (told,) = caught.value.args
        assert what in told["what"]
        assert {"what", "where", "fix"} == set(told)
        assert "hush" not in str(told)
        assert "late-secret" not in str(told)

    def test_rules_that_cannot_be_read_are_refused(self, tmp_path: Path) -> None:
        """Nothing runs unredacted."""
        write(tmp_path, app=ECHO)
        with pytest.raises(RefusedError, match="redaction pattern"):
            drive(tmp_path, [[unit(1)]], redact=["("])


class TestCases:
    def test_units_of_a_job_share_its_state_and_nothing_else(self, tmp_path: Path) -> None:
        """Each gets its own copy of the world, its own input, id and replicate."""
        told = "c = current_case(); return [c.id, c.replicate, c.input]"
        write(tmp_path, app=REPLAYABLE.replace('return "done"', told))
        units = [unit({"z": n, "a": 1}, unit=n, id=f"c-{n}", replicate=n) for n in (1, 2)]
        (seen,) = drive(tmp_path, [units], state={"n": 0})
        assert [["c-1", 1, {"z": 1, "a": 1}], ["c-2", 2, {"z": 2, "a": 1}]] == [
            evidence["output"] for evidence in seen.evidence
        ]
        assert [1, 1] == [e["environment_state/v1"][0]["state"]["n"] for e in seen.evidence]
        assert [1, 2] == [
            frame.header["unit"]
            for frame in seen.frames
            if frame.kind in (b"U", b"D") and frame.body
        ]

    def test_no_frame_holds_a_secret(self, tmp_path: Path) -> None:
        """Evidence, reports, replays and their divergences."""
        source = REPLAYABLE.replace('{"ok": True}', f'{{"ok": "{SECRET}", "{SECRET}": 1}}')
        source = source.replace('self.state["n"] += 1', f'self.state["{SECRET}"] = "{SECRET}"')
        write(tmp_path, app=source)
        site = {
            "kind": "tool",
            "name": "refund",
            "occurrence": 1,
            "turn": None,
            "faults": ["error"],
        }
        seen = drive(
            tmp_path,
            [[unit(SECRET, sites=[site])], [unit(SECRET)]],
            state={"n": 0, "filler": ["x" * 20] * 50},
            redact=["KEY"],
            environment=os.environ | {"KEY": SECRET},
        )
        for one in seen:
            assert one.evidence
            for frame in one.frames:
                assert "hush" not in f"{frame.header} {frame.body!r}"

    def test_each_phase_has_the_whole_deadline(self, tmp_path: Path) -> None:
        """A slow reset takes nothing from the call, nor the call from the snapshot."""
        write(
            tmp_path,
            app="""
import time
class Desk:
    def reset(self, state): time.sleep(0.5)
    def snapshot(self): time.sleep(0.5); return {}
    def __call__(self, request): time.sleep(0.5); return "slow"
desk = Desk()
""",
        )
        seen = drive(tmp_path, [[unit(1)], [unit(2)]], state={}, timeout_s=0.6, grace_s=0.3)
        assert ["completed", "completed"] == [one.status for one in seen]

    def test_waiting_between_attempts_is_not_the_systems_time(self, tmp_path: Path) -> None:
        """However long it is, compared with the deadline."""
        write(
            tmp_path,
            app="""
from oloproof import TransientError
tries = []
def desk(request):
    tries.append(1)
    if len(tries) < 3:
        raise TransientError("busy")
    return len(tries)
""",
        )
        retries = {"attempts": 3, "on": ["TransientError"], "wait_s": 0.7}
        (seen,) = drive(tmp_path, [[unit(1)]], timeout_s=0.3, grace_s=0.3, retries=retries)
        assert 3 == seen.evidence[0]["output"]
        assert 3 == len(seen.evidence[0]["attempts"])
        header = next(frame.header for frame in seen.frames if frame.kind == b"D")
        assert header["s"] < 0.7

    def test_timings_are_in_headers_alone(self, tmp_path: Path) -> None:
        """Reports and evidence hold none: what is digested must not differ by a clock."""
        write(tmp_path, app=REPLAYABLE.replace('result="done"', 'result="done", latency_ms=12.5'))
        (seen,) = drive(tmp_path, [[unit(1)]], state={"n": 0})
        header = next(frame.header for frame in seen.frames if frame.kind == b"D")
        assert {"3": 12.5} == header["latency_ms"]
        assert not [frame for frame in seen.frames if b"12.5" in frame.body]


SITE: Any = {
    "kind": "tool",
    "name": "refund",
    "occurrence": 1,
    "turn": None,
    "faults": ["error", "timeout"],
}


class TestReplays:
    def test_a_control_comes_before_its_faults(self, tmp_path: Path) -> None:
        """And each is told with its place, beside its evidence."""
        write(tmp_path, app=REPLAYABLE)
        (seen,) = drive(tmp_path, [[unit(1, sites=[SITE])]], state={"n": 0})
        headers = [frame.header for frame in seen.frames if frame.kind == b"P"]
        assert [None, "error", "timeout"] == [header["fault"] for header in headers]
        assert {1} == {header["step_index"] for header in headers}
        control, error, _ = seen.replays
        assert (None, {"ok": True}) == (control["reason"], result(control))
        assert (None, {"error": "internal error"}) == (error["reason"], result(error))
        assert {"n": 1} == error["case"]["environment_state/v1"][0]["state"]

    def test_without_a_trusted_control_no_fault_is_tried(self, tmp_path: Path) -> None:
        """It would say nothing of the agent."""
        write(tmp_path, app=REPLAYABLE.replace("async def replay(", "async def gone("))
        (seen,) = drive(tmp_path, [[unit(1, sites=[SITE])]], state={"n": 0})
        assert ["not_replayable"] == [replay["reason"] for replay in seen.replays]

    def test_a_call_that_was_not_made_is_not_replayed(self, tmp_path: Path) -> None:
        """The occurrence counts."""
        write(tmp_path, app=REPLAYABLE)
        sites = [SITE | {"occurrence": 2}, SITE | {"name": "other"}]
        (seen,) = drive(tmp_path, [[unit(1, sites=sites)]], state={"n": 0})
        assert [] == seen.replays
        assert 1 == len(seen.evidence)

    def test_a_recording_that_is_known_is_replayed_without_a_call(self, tmp_path: Path) -> None:
        """What the store has is not run again."""
        write(tmp_path, app=REPLAYABLE)
        (first,) = drive(tmp_path, [[unit(1, sites=[SITE])]], state={"n": 0})
        again = unit(1, sites=[SITE], recording=first.evidence[0])
        (second,) = drive(tmp_path, [[again]], state={"n": 0})
        assert [] == second.evidence
        assert first.replays == second.replays


def result(replay: dict[str, Any]) -> Any:
    return replay["case"]["agent_trajectory/v1"]["steps"][1]["result"]


PARENT = """
import sys
from pathlib import Path
sys.path.insert(0, {repo!r})
from tests.worker.conftest import drive, unit
drive(Path({root!r}), [[unit(1)]], timeout_s=60)
"""


def a_parent(root: Path) -> list[str]:
    """The command of a process that runs a case of the project on a worker."""
    repo = str(Path(__file__).parents[2])
    return [sys.executable, "-c", PARENT.format(repo=repo, root=str(root))]


class TestEnd:
    @pytest.mark.parametrize("busy", ["time.sleep(60)", "while True: pass", "hang in async"])
    def test_it_leaves_when_its_parent_is_killed(self, tmp_path: Path, busy: str) -> None:
        """Whatever it is doing, and with what it has started."""
        note = tmp_path / "pids"
        body = "    return asyncio.sleep(60)" if busy == "hang in async" else f"    {busy}"
        write(
            tmp_path,
            app=f"""
import asyncio, os, subprocess, sys, time
def desk(request):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open({str(note)!r}, "w").write(f"{{os.getpid()}} {{child.pid}} end")
{body}
""",
        )
        parent = subprocess.Popen(a_parent(tmp_path))
        wait_until(lambda: note.exists() and note.read_text().endswith("end"))
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        pids = [int(pid) for pid in note.read_text().split()[:2]]
        wait_until(lambda: not any(map(is_alive, pids)))

    def test_what_it_prints_is_kept_from_the_runs_output(self, tmp_path: Path) -> None:
        """Standard output belongs to the run; the system's goes to standard error."""
        said = "    print('said'); os.write(1, b'raw')\n    return"
        write(tmp_path, app="import os\nprint('imported')\n" + ECHO.replace("    return", said))
        done = subprocess.run(a_parent(tmp_path), capture_output=True, text=True, check=True)
        assert "" == done.stdout
        assert all(word in done.stderr for word in ("imported", "said", "raw"))
