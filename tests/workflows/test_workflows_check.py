"""`oloproof check` finds what keeps a system from being replayed, and accuses no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.workflows.check import check

if TYPE_CHECKING:
    from conftest import TinyProject

    from oloproof.records.project_report import CheckReason, CheckReport

HEAD = """
import itertools, os, random, time
import oloproof
from oloproof import tool, model, finish

COUNTER = itertools.count()
SEEN = []

class Desk:
    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    @tool
    def look(self, name):
        return list(self.world["orders"].get(name, []))

    @tool
    def note(self, text):
        self.world["log"].append(text)
        return {"ok": True}

    @tool(reads=True)
    def peek(self):
        return len(self.world["log"])
"""
AGENT = """
    def __call__(self, request):
        lines = self.look(request["name"])
        for line in lines:
            self.note(text=line)
        self.peek()
        finish("success")
        return {"answer": len(lines)}
"""
CASES = [
    {
        "id": name,
        "input": {"name": name},
        "initial_state": {"orders": {"ann": ["pen", "ink"], "bob": ["cup"]}, "log": []},
        "expected": {"answer": count},
    }
    for name, count in (("ann", 2), ("bob", 1))
]
CLEAN = HEAD + AGENT


def agent(body: str) -> str:
    """A system whose agent does this."""
    lines = "".join(f"        {line}\n" for line in body.strip("\n").split("\n"))
    return f"{HEAD}\n    def __call__(self, request):\n{lines}"


def instead(old: str, new: str) -> str:
    """The clean system with one place changed."""
    assert 1 == CLEAN.count(old)
    return CLEAN.replace(old, new)


DEFECTS: dict[str, tuple[str, str]] = {
    "a counter in the module": (
        "state_outside_snapshot",
        agent('self.note(text=f"n{next(COUNTER)}")'),
    ),
    "a cache that skips a call": (
        "state_outside_snapshot",
        agent(
            "if request['name'] not in SEEN:\n    self.look(request['name'])\n"
            "SEEN.append(request['name'])\nself.note(text='x')"
        ),
    ),
    "a list that an earlier case grew": (
        "state_outside_snapshot",
        agent(
            "SEEN.append(request['name'])\nothers = set(SEEN) - {request['name']}\n"
            "self.note(text=f'{len(others)} others')"
        ),
    ),
    "an attribute that reset forgets": (
        "state_outside_snapshot",
        agent("self.times = getattr(self, 'times', 0) + 1\nself.note(text=str(self.times))"),
    ),
    "a reset that forgets a field": (
        "reset_not_faithful",
        instead("self.world = state", 'self.world = state | {"log": []}'),
    ),
    "a snapshot that shows another form": (
        "reset_not_faithful",
        instead("return self.world\n", 'return self.world | {"count": len(self.world["log"])}\n'),
    ),
    "a reset that refuses a state of its own": (
        "reset_failed",
        instead(
            "self.world = state",
            'if state["log"]:\n            raise ValueError("log")\n        self.world = state',
        ),
    ),
    "an effect between two tools": (
        "effect_not_declared",
        agent("self.look('ann')\nself.world['log'].append('by hand')\nself.note(text='x')"),
    ),
    "an effect after the last tool": (
        "effect_not_declared",
        agent("self.look('ann')\nself.world['log'].append('by hand')"),
    ),
    "an effect in a case without any tool": (
        "effect_not_declared",
        agent("self.world['log'].append('by hand')"),
    ),
    "a reading tool that writes": (
        "reading_tool_writes",
        instead(
            'return len(self.world["log"])',
            'self.world["log"].append("peek")\n        return 1',
        ),
    ),
    "the order of a set in an argument": (
        "hash_order",
        agent('self.note(text=",".join({"red", "green", "blue", "black", "white"}))'),
    ),
    "a hash that decides a branch": (
        "hash_order",
        agent('self.note(text=str(hash(request["name"]) % 1000))'),
    ),
    "chance in an argument": (
        "hidden_nondeterminism",
        agent("self.note(text=str(random.random()))"),
    ),
    "the clock in a result": (
        "hidden_nondeterminism",
        instead('return {"ok": True}', 'return {"at": time.time_ns()}'),
    ),
    "the number of the process in the output": (
        "hidden_nondeterminism",
        agent("self.look('ann')\nreturn {'answer': os.getpid()}"),
    ),
    "an answer of a model that is no JSON": (
        "result_not_json",
        agent("self.note(text=max(self.ask()))")
        + "\n    @model\n    def ask(self):\n        return {'a', 'b'}\n",
    ),
    "a snapshot that is no JSON": ("no_recorded_state", agent("self.note(text=b'x')")),
    "a call that never ends": ("case_not_recorded", agent("self.look('ann')\ntime.sleep(60)")),
    "a process that exits": ("case_not_recorded", agent("self.look('ann')\nos._exit(3)")),
    "an agent that calls nothing": ("no_tool_called", agent("return {'answer': 1}")),
}

SOUND: dict[str, str] = {
    "a look at the sandbox without a tool": (
        agent("self.note(text='a')\nself.note(text=f\"b{len(self.world['log'])}\")\nself.peek()")
    ),
    "what a tool leaves outside of the sandbox": (
        agent("self.draft = None\nself.write()\nself.note(text=self.draft or 'none')")
        + "\n    @tool\n    def write(self):\n        self.draft = 'dear'\n"
    ),
    "an exception that nobody can rebuild": (
        agent("try:\n    self.fail()\nexcept RuntimeError:\n    self.note(text='failed')")
        + "\n    @tool\n    def fail(self):\n"
        "        class Odd(RuntimeError):\n            pass\n        raise Odd('x')\n"
    ),
    "a loop over tools": CLEAN,
    "a result that is no JSON": instead('return {"ok": True}', "return {1, 2}, object()"),
    "an argument that is no JSON": (
        agent("self.size({1, 2})") + "\n    @tool\n    def size(self, what):\n        return 2\n"
    ),
    "a tool that fails": agent(
        "try:\n    self.world['orders']\n    self.look([])\nexcept TypeError:\n"
        "    self.note(text='failed')\n"
    ),
    "a model that never answers alike": agent(
        "answer = self.ask(request['name'])\nself.note(text=answer)\nreturn {'answer': answer}"
    )
    + "\n    @model\n    def ask(self, prompt):\n        return f'{prompt} {random.random()}'\n",
    "time and chance from oloproof": agent(
        "self.note(text=f'{oloproof.now()} {oloproof.uuid4()} {oloproof.rng().random()}')"
    ),
    "a set that is sorted": agent('self.note(text=",".join(sorted({"red", "green", "blue"})))'),
    "tools at once": "import asyncio\n"
    + agent("self.note(text='first')\nreturn asyncio.run(self.work(request))")
    + "\n    @tool\n    async def slow(self, n):\n        await asyncio.sleep(0.05 * n)\n"
    "        self.world['log'].append(n)\n        return n\n"
    "\n    async def work(self, request):\n"
    "        return await asyncio.gather(*(self.slow(n) for n in (3, 1, 2)))\n",
    "an async system": HEAD
    + "\n    async def __call__(self, request):\n        self.note(text='x')\n        return 1\n",
    "a sandbox that is awaited": "import asyncio\n"
    + HEAD.replace("    def reset", "    async def reset").replace(
        "    def snapshot(self):", "    async def snapshot(self):\n        await asyncio.sleep(0)"
    )
    + "\n    async def __call__(self, request):\n        self.note(text='x')\n"
    "        self.note(text='y')\n        return 1\n",
    "calls from threads": "from concurrent.futures import ThreadPoolExecutor\n"
    + agent(
        "with ThreadPoolExecutor(2) as pool:\n    return list(pool.map(self.look, ['ann', 'bob']))"
    ),
    "a run into an exception": agent("self.note(text='x')\nraise ValueError('no')"),
    "no sandbox": "from oloproof import tool\n\n@tool\ndef add(a, b):\n    return a + b\n\n"
    "def system(request):\n    return add(1, add(2, 3))\n",
    "a conversation": HEAD + "\n    def turn(self, message):\n        self.note(text=message)\n"
    "        return f'noted {message}'\n",
}


def write(tiny: TinyProject, app: str, cases: list[dict[str, Any]] = CASES) -> TinyProject:
    """A project around a system."""
    named = "app:system" if "def system" in app else "app:Desk"
    system = {"callable": named, "timeout_s": 1.5 if "time.sleep(60)" in app else 30}
    return tiny.write(app=app, cases=cases, system=system)


def words(report: CheckReport) -> set[str]:
    return {reason.reason for reason in report.reasons}


def first(report: CheckReport, word: str) -> CheckReason:
    return next(reason for reason in report.reasons if reason.reason == word)


@pytest.mark.parametrize("name", DEFECTS)
def test_every_planted_defect_is_found(name: str, tiny: TinyProject) -> None:
    """A system with one defect is not replayable, for the one reason that it is."""
    word, app = DEFECTS[name]
    report = check(write(tiny, app).folder)
    assert not report.replayable
    assert {word} == words(report)
    found = first(report, word)
    assert found.fix
    assert found.detail


def talked(case: dict[str, Any]) -> dict[str, Any]:
    """A case as two turns."""
    turns = [{"user": "hi"}, {"user": "bye"}]
    return {"id": case["id"], "turns": turns, "initial_state": {"log": []}}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_system_is_accused_of_nothing(name: str, tiny: TinyProject) -> None:
    """Models, failing tools, parallel calls and turns are no defects."""
    cases = [talked(case) for case in CASES] if name == "a conversation" else CASES
    report = check(write(tiny, SOUND[name], cases).folder)
    assert [] == report.reasons
    assert report.replayable
    assert "recorded" == report.method


MANUAL = """
from oloproof import AgentStep, AgentTrajectory, current_case

SEEN = []

def step(number, kind, **fields):
    return AgentStep(index=number, kind=kind, **fields)

class Desk:
    def reset(self, state):
        self.world = state

    def snapshot(self):
        return self.world

    def work(self, told=None):
        result = told
        if told is None:
            self.world["log"].append("x")
            result = {"ok": True}
        return AgentTrajectory(steps=[
            step(1, "tool_call", tool_name="note", arguments={"text": TEXT}),
            step(2, "tool_result", tool_name="note", result=result),
            step(3, "final", result="done"),
        ])

    def __call__(self, request):
        current_case().agent_trajectory(self.work())
        return "done"

    def replay(self, trajectory, *, checkpoint, change):
        return self.work(change.fault_result)
"""


def test_a_replay_by_hand_is_checked_through_it(tiny: TinyProject) -> None:
    """A hand-written `replay` that reproduces its recordings is enough."""
    report = check(write(tiny, MANUAL.replace("TEXT", "'x'")).folder)
    assert [] == report.reasons
    assert report.replayable
    assert "manual" == report.method


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("'-'.join({'red', 'green', 'blue', 'black', 'white'})", "hash_order"),
        ("str(__import__('time').time_ns())", "hidden_nondeterminism"),
        ("str(SEEN.append(1) or len(SEEN))", "state_outside_snapshot"),
    ],
)
def test_a_replay_by_hand_is_held_to_the_same(text: str, word: str, tiny: TinyProject) -> None:
    """What a recorded system is accused of, one with a `replay` of its own is too."""
    report = check(write(tiny, MANUAL.replace("TEXT", text)).folder)
    assert {word} == words(report)


def test_what_only_a_second_run_does_otherwise_is_found(tiny: TinyProject) -> None:
    """A call that leaves something behind is noticed, though no `replay` passes it by."""
    app = MANUAL.replace("TEXT", "'x'").replace(
        'current_case().agent_trajectory(self.work())\n        return "done"',
        "SEEN.append(1)\n        trajectory = self.work()\n        if len(SEEN) > 1:\n"
        '            self.world["log"].append("again")\n'
        '        current_case().agent_trajectory(trajectory)\n        return "done"',
    )
    report = check(write(tiny, app).folder)
    assert {"state_outside_snapshot"} == words(report)
    assert "log[1]" == first(report, "state_outside_snapshot").path


def test_a_system_without_any_way_says_so_once(tiny: TinyProject) -> None:
    """Neither decorators nor `replay`: the system as a whole is not replayable."""
    report = check(write(tiny, "def system(request):\n    return 1\n").folder)
    assert [("not_replayable", None)] == [(one.reason, one.case) for one in report.reasons]
    assert not report.replayable
    assert report.method is None


def test_a_reason_names_case_call_and_path(tiny: TinyProject) -> None:
    """What is found says where, down to the place in the sandbox."""
    _, app = DEFECTS["an effect between two tools"]
    found = first(check(write(tiny, app).folder), "effect_not_declared")
    assert ("ann", "note", "log[0]") == (found.case, found.tool, found.path)
    assert 3 == found.step
    assert "before call 1 of note" == found.where
    assert 'outside of every tool, log[0] went from nothing to "by hand"' == found.detail


def test_the_first_cases_are_checked_or_those_named(tiny: TinyProject) -> None:
    """`cases` limits how many are tried, `only` says which."""
    cases = [CASES[0] | {"id": f"c{n}"} for n in range(5)]
    folder = write(tiny, CLEAN, cases).folder
    assert ["c0", "c1", "c2"] == [one.case for one in check(folder).cases]
    assert ["c0"] == [one.case for one in check(folder, cases=1).cases]
    assert ["c4", "c1"] == [one.case for one in check(folder, only=["c4", "c1", "c4"]).cases]


def test_an_unknown_case_is_refused(tiny: TinyProject) -> None:
    """A case that is not there is an error with the nearest id."""
    with pytest.raises(ConfigurationError, match="there is no case `anm`") as caught:
        check(write(tiny, CLEAN).folder, only=["anm"])
    assert "ann" in str(caught.value.fix)


def test_a_case_without_a_state_is_refused(tiny: TinyProject) -> None:
    """A sandbox that nobody can reset proves nothing."""
    cases = [{"id": "a", "input": {"name": "ann"}}]
    with pytest.raises(ConfigurationError, match="no `initial_state`"):
        check(write(tiny, CLEAN, cases).folder)


def test_nothing_is_stored(tiny: TinyProject) -> None:
    """A check leaves no run and no evidence behind."""
    check(write(tiny, CLEAN).folder, cases=1)
    assert not (tiny.folder / ".oloproof").exists()


def test_a_model_is_asked_once_a_case(tiny: TinyProject) -> None:
    """Whatever is tried, a live model is called for the recordings alone."""
    asked = tiny.folder / "asked.txt"
    app = SOUND["a model that never answers alike"].replace(
        "return f'{prompt} ", f"open({str(asked)!r}, 'a').write('.')\n        return f'{{prompt}} "
    )
    assert check(write(tiny, app).folder).replayable
    assert ".." == asked.read_text()


ADVISER = """
import oloproof
MEMORY = []

class Desk:
    @oloproof.model
    def ask(self, question):
        return {"text": question}

    def __call__(self, request):
        MEMORY.append(request["name"])
        return {"answer": self.ask(request["name"])["text"], "seen": SEEN}
"""


@pytest.mark.parametrize(("seen", "replayable"), [("0", True), ("len(MEMORY)", False)])
def test_an_agent_that_calls_models_alone_is_tried_at_them(
    seen: str, tiny: TinyProject, *, replayable: bool
) -> None:
    """A fault may strike a model, so what a replay of one needs is looked for."""
    cases = [{"id": "a", "input": {"name": "ann"}}]
    report = check(write(tiny, ADVISER.replace("SEEN", seen), cases).folder)
    assert replayable == report.replayable
    assert 0 == report.cases[0].tool_calls
    assert report.cases[0].replays > 0
    assert "no_tool_called" not in words(report)


def test_a_case_that_the_system_cannot_take_is_refused(tiny: TinyProject) -> None:
    """As a run refuses it: a conversation with a system that has no `turn`."""
    cases = [{"id": "a", "turns": ["hello"], "initial_state": {}}]
    with pytest.raises(ConfigurationError, match=r"is a conversation, and .* has no `turn`"):
        check(write(tiny, CLEAN, cases).folder)


IMPORTS = """
with open("imports", "a") as log:
    log.write(f"{os.getpid()}\\n")
"""
LARGE = """
import sys, types
sys.modules.update({f"part_{n}": types.ModuleType(f"part_{n}") for n in range(300)})
"""


def imports(tiny: TinyProject) -> int:
    return len((tiny.folder / "imports").read_text().splitlines())


def test_a_system_is_imported_once_a_seed_and_forked(tiny: TinyProject) -> None:
    """What a case leaves in its process is not there in the next, and no import is paid twice."""
    tiny.write(
        app=CLEAN.replace("COUNTER =", f"{IMPORTS}{LARGE}COUNTER ="),
        cases=CASES,
        system={"callable": "app:Desk"},
    )
    report = check(tiny.folder)
    assert ([], True) == ([reason.reason for reason in report.reasons], report.replayable)
    assert 2 == imports(tiny)
    tiny.write(
        app=CLEAN.replace("COUNTER =", f"{IMPORTS}COUNTER ="),
        cases=CASES,
        system={"callable": "app:Desk"},
    )
    assert check(tiny.folder).replayable
    assert 2 + 6 == imports(tiny)


def test_one_that_starts_threads_is_imported_for_each_case(tiny: TinyProject) -> None:
    """They would not be there in a fork."""
    waiting = (
        "import threading\nthreading.Thread(target=time.sleep, args=(99,), daemon=True).start()"
    )
    tiny.write(
        app=CLEAN.replace("COUNTER =", f"{IMPORTS}{LARGE}{waiting}\nCOUNTER ="),
        cases=CASES,
        system={"callable": "app:Desk"},
    )
    assert check(tiny.folder).replayable
    assert len(CASES) + 2 == imports(tiny)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("os._exit(0)", "exited"),
        ("os._exit(3)", "3"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("time.sleep(99)", "no answer within"),
    ],
)
def test_a_fork_that_ends_is_the_end_of_its_case(tiny: TinyProject, ending: str, told: str) -> None:
    """As it is of a process of its own; the cases after it are tried all the same."""
    once = f"        if request['name'] == 'ann':\n            {ending}\n        self.peek()\n"
    tiny.write(
        app=instead("        self.peek()\n", once),
        cases=CASES,
        system={"callable": "app:Desk", "timeout_s": 0.5},
    )
    report = check(tiny.folder)
    assert [("case_not_recorded", "ann")] == [(r.reason, r.case) for r in report.reasons]
    assert told in str(report.reasons[0].detail)
    assert report.cases[1].replays > 0
