"""Whatever a system does is the outcome of its case alone: a table, on real processes."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from oloproof.canonical import decode
from oloproof.pool.framing import BROKEN_EXIT
from oloproof.store.journal import journals, read_journal
from tests.worker.conftest import Seen, drive, unit


class Deed(NamedTuple):
    """What a system does, how its case ends, and what is there all the same."""

    name: str
    status: str
    detail: Any = None
    world: bool = True
    trajectory: bool = False


LASTING = [  # what such a deed changes stays changed for the worker's life
    "replaces_streams",
    "breaks_streams",
    "closes_standard_streams",
    "warns",
    "changes_the_process",
    "forgets_modules",
    "breaks_builtins",
]
FINE = [
    "fine",
    "prints_garbage",
    "runs_a_loop",
    "leaves_a_thread",
    "leaves_a_process",
    "leaves_a_fork",
    "forks_and_both_return",
    "forks_and_the_fork_raises",
]
INSIDE = [
    Deed("raises", "raised", "ValueError: no", trajectory=True),
    Deed("exits", "exited", "SystemExit: 0"),
    Deed("is_interrupted", "raised", "KeyboardInterrupt"),
    Deed("is_out_of_memory", "raised", "MemoryError"),
    Deed("recurses", "raised", "RecursionError: maximum recursion depth exceeded"),
    Deed("is_no_json", "not_json", "the output is not JSON: set {1} at a"),
    Deed("hangs_in_async", "timed_out", "no answer within 1.5 s", trajectory=True),
    Deed("hangs_in_async_stubbornly", "timed_out", "no answer within 1.5 s"),
]
OUTSIDE = [
    Deed("leaves_with_0", "exited", 0, trajectory=True),
    Deed("leaves_with_7", "exited", 7),
    Deed("becomes_another_program", "exited", 9),
    Deed("segfaults", "killed", signal.SIGSEGV, trajectory=True),
    Deed("aborts", "killed", signal.SIGABRT),
    Deed("kills_itself", "killed", signal.SIGKILL, trajectory=True),
    Deed("leaves_and_a_fork_stays", "exited", 3),
    Deed("hangs", "timed_out", 0, trajectory=True),
    Deed("hangs_and_reports", "timed_out", 0, trajectory=True),
    Deed("hangs_in_blocked_async", "timed_out", 0),
    Deed("stops_itself", "timed_out", 0),
    Deed("closes_descriptors", "exited", BROKEN_EXIT),
    Deed("takes_descriptors_over", "exited", BROKEN_EXIT),
    Deed("writes_on_every_descriptor", "exited", BROKEN_EXIT),
]
DEEDS = [*FINE, *(deed.name for deed in INSIDE + OUTSIDE), *LASTING]


class Campaign(NamedTuple):
    """What came of every deed, and of the harmless case `after` each."""

    cases: dict[str, Seen]
    root: Path


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """All deeds in one run, each followed by a harmless case."""
    root = tmp_path_factory.mktemp("project")
    shutil.copy(Path(__file__).with_name("misbehaving_app.py"), root / "app.py")
    inputs, states = [], []
    for deed in DEEDS:
        inputs += [deed, "fine"]
        states += [{"case": deed}, {"case": f"after {deed}"}]
        if deed in LASTING:
            inputs.append("leaves_with_7")
            states.append({"case": "none"})
    jobs = [[unit(name, key=f"{number:04x}")] for number, name in enumerate(inputs)]
    journal = {"folder": str(root / "journal"), "run": 1}
    seen = drive(root, jobs, states=states, timeout_s=1.5, journal=journal)
    by_case = {state["case"]: one for state, one in zip(states, seen, strict=True)}
    return Campaign(by_case, root)


@pytest.mark.parametrize("name", FINE + LASTING)
def test_what_harms_only_its_own_process_harms_no_case(campaign: Campaign, name: str) -> None:
    """The case is what it would be otherwise, once."""
    seen = campaign.cases[name]
    assert "completed" == seen.status
    assert ["fine"] == [evidence["output"] for evidence in seen.evidence]


@pytest.mark.parametrize("deed", INSIDE, ids=lambda deed: deed.name)
def test_what_ends_the_call_is_its_outcome(campaign: Campaign, deed: Deed) -> None:
    """The snapshot is taken all the same, and what was reported is kept."""
    seen = campaign.cases[deed.name]
    (evidence,) = seen.evidence
    assert deed.status == seen.status
    assert deed.detail == evidence["outcome"]["error"]
    assert deed.name == evidence["environment_state/v1"][0]["state"]["deed"]
    assert deed.trajectory == ("agent_trajectory/v1" in evidence)
    assert "output" not in evidence


@pytest.mark.parametrize("deed", OUTSIDE, ids=lambda deed: deed.name)
def test_what_ends_the_process_is_told_with_its_cause(campaign: Campaign, deed: Deed) -> None:
    """What was reported until then outlives the process, without its timings."""
    seen = campaign.cases[deed.name]
    assert seen.lost is not None
    assert (deed.status, deed.detail) == (seen.lost.cause, seen.lost.code)
    assert [] == seen.evidence
    step = {"index": 1, "kind": "message", "result": "noted"}
    assert ({"steps": [step]} if deed.trajectory else None) == seen.reported


@pytest.mark.parametrize("name", DEEDS)
def test_no_other_case_is_touched(campaign: Campaign, name: str) -> None:
    """The case after it runs in its own world and is what it always is."""
    seen = campaign.cases[f"after {name}"]
    (evidence,) = seen.evidence
    assert {"status": "completed"} == evidence["outcome"]
    assert "fine" == evidence["output"]
    state = {"case": f"after {name}", "deed": "fine"}
    assert state == evidence["environment_state/v1"][0]["state"]
    assert "agent_trajectory/v1" not in evidence


def test_large_evidence_arrives_whole(tmp_path: Path) -> None:
    """Five megabytes of output and of world."""
    shutil.copy(Path(__file__).with_name("misbehaving_app.py"), tmp_path / "app.py")
    (seen,) = drive(tmp_path, [[unit("is_huge")]], state={})
    (evidence,) = seen.evidence
    assert 50_000 == len(evidence["output"])
    assert 50_000 == len(evidence["environment_state/v1"][0]["state"]["huge"])


def test_threads_that_report_at_once_do_not_mix_what_they_say(tmp_path: Path) -> None:
    """Whichever is the last, it is kept as it was made."""
    shutil.copy(Path(__file__).with_name("misbehaving_app.py"), tmp_path / "app.py")
    (seen,) = drive(tmp_path, [[unit("reports_from_many_threads")]], state={})
    assert seen.lost is not None
    (step,) = seen.reported["steps"]
    assert step["result"] == step["result"][0] * 50_000


def test_nothing_of_ours_is_written_into_what_took_a_descriptors_number(
    campaign: Campaign,
) -> None:
    """A user's file never receives evidence."""
    taken = list(campaign.root.glob("taken-*"))
    assert 20 == len(taken)
    assert {0} == {path.stat().st_size for path in taken}


def test_what_was_finished_was_written_down_once(campaign: Campaign) -> None:
    """A case that came back stands in the journals as it came; a fork of it does not."""
    found: dict[str, list[Any]] = {}
    for path in journals(campaign.root / "journal")[1]:
        for entry in read_journal(path):
            found.setdefault(entry.header["key"], []).append(decode(entry.body))
    written = sorted(str(evidence) for (evidence,) in found.values())
    told = [evidence for seen in campaign.cases.values() for evidence in seen.evidence]
    # What ended the worker while its answer was on the way is known from the journal alone.
    assert set(map(str, told)) <= set(written)
    broken = sum(deed.detail == BROKEN_EXIT for deed in OUTSIDE)
    assert len(told) <= len(written) <= len(told) + broken


def test_what_a_system_left_behind_is_gone(campaign: Campaign) -> None:
    """Forks and processes that outlive their case end with the worker."""
    left = []
    for command in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if command.readlink() == campaign.root:
                left.append(command.parent.name)
        except OSError:
            continue
    assert [] == left


@pytest.mark.parametrize("phase", ["reset", "snapshot"])
def test_reset_and_snapshot_have_the_deadline_too(tmp_path: Path, phase: str) -> None:
    """Wherever a system hangs, its worker is replaced."""
    shutil.copy(Path(__file__).with_name("misbehaving_app.py"), tmp_path / "app.py")
    states = [{}, {"hang in": phase}, {}]
    seen = drive(tmp_path, [[unit("fine")]] * 3, states=states, timeout_s=0.3, grace_s=0.3)
    assert ["completed", "timed_out", "completed"] == [one.status for one in seen]


def test_a_fork_that_reports_is_refused_and_harms_no_case(tmp_path: Path) -> None:
    """In a worker of its own: a fork beside the threads of other deeds may never come back."""
    shutil.copy(Path(__file__).with_name("misbehaving_app.py"), tmp_path / "app.py")
    seen = drive(tmp_path, [[unit("fine")], [unit("a_fork_reports")]], states=[{}, {}])
    assert ["completed", "completed"] == [one.status for one in seen]
    assert ["fine"] == [evidence["output"] for evidence in seen[1].evidence]
