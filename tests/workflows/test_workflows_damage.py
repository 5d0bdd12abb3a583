"""Stores whose files were cut short or changed: never wrong evidence, always a clear message."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import DamagedStoreError, OloproofError
from oloproof.workflows.gate import gate
from oloproof.workflows.inspect import inspect_case, list_cases
from tests.workflows.test_workflows_campaign import APP, CASES, EVALUATORS, RULES

if TYPE_CHECKING:
    from oloproof.records.report import RunReport
    from tests.workflows.conftest import TinyProject

NAMES = ("asked", "cases", "outcomes", "metrics", "slices", "gate", "status")
LOOKED_AT = ("c000", "c007", "c020", "c039")


@pytest.fixture
def desk(tiny: TinyProject) -> TinyProject:
    """A project that was run to its end, with its truth beside it."""
    cases = [
        {
            "id": f"c{n:03d}",
            "input": {"n": n, "note": f"note {n} " * 8},
            "initial_state": {"n": 0},
            "expected": {"answer": "done", "state": {"n": n if n % 5 else -1}},
        }
        for n in range(CASES)
    ]
    app = APP.replace("time.sleep(random.uniform(0, 0.004))", "pass")
    return tiny.write(app=app, cases=cases, evaluators=EVALUATORS, rules=RULES)


def essence(report: RunReport) -> dict[str, Any]:
    """What a report says of the cases, whoever ran them when."""
    whole = report.model_dump(mode="json")
    return {name: whole[name] for name in NAMES}


def panel(folder: Path, case: str) -> dict[str, Any]:
    """What is shown of a case, but for the number of its run."""
    whole = inspect_case(folder, "latest", case, 1).model_dump(mode="json")
    return {name: value for name, value in whole.items() if name != "run"}


def damage(store: Path, chance: random.Random) -> str:
    """Cut a file of the store short, or change bytes of it, at random; what was done."""
    files = [file for file in sorted(store.glob("store.sqlite*")) if file.stat().st_size > 0]
    files = [file for file in files if not file.name.endswith("-shm")]
    file = chance.choice(files)
    data = bytearray(file.read_bytes())
    what = chance.choice(("cut", "flip", "flips", "zeros", "noise"))
    at = chance.randrange(len(data))
    match what:
        case "cut":
            del data[at:]
        case "flip":
            data[at] ^= 1 << chance.randrange(8)
        case "flips":
            for _ in range(64):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case "zeros":
            data[at : at + 4096] = bytes(len(data[at : at + 4096]))
        case "noise":
            data[at : at + 512] = chance.randbytes(len(data[at : at + 512]))
    file.write_bytes(data)
    return f"{what} at {at} of {len(data)} in {file.name}"


def told(folder: Path, truth: dict[str, Any], panels: dict[str, Any], did: str) -> list[Any]:
    """The errors that reading met; what could be read is the truth."""
    errors: list[Any] = []
    for case in LOOKED_AT:
        try:
            assert panels[case] == panel(folder, case), did
        except OloproofError as error:
            errors.append(error)
    try:
        assert truth == essence(gate(folder)), did
        assert CASES == len(list_cases(folder, "latest").cases), did
    except OloproofError as error:
        errors.append(error)
    assert all(error.fix for error in errors), did
    return errors


def move_away(error: DamagedStoreError, did: str) -> None:
    """Do what an error says that asks for it."""
    assert str(error.fix).startswith("move the file away"), did
    file = Path(str(error.where))
    file.rename(file.with_name("moved.sqlite"))


def run_over(desk: TinyProject, did: str) -> dict[str, Any]:
    """The report of the next run; where it is told to move the store away, that is done first."""
    try:
        return essence(desk.run())
    except DamagedStoreError as error:
        move_away(error, did)
    return essence(desk.run())


def fix(desk: TinyProject, truth: dict[str, Any], panels: dict[str, Any], did: str) -> None:
    """Run again, and where that is not enough do what is said, until all of it can be read."""
    for _ in range(3):
        assert truth == run_over(desk, did), did
        errors = told(desk.folder, truth, panels, did)
        if not errors:
            return
        hopeless = [error for error in errors if isinstance(error, DamagedStoreError)]
        if hopeless:
            move_away(hopeless[0], did)
    pytest.fail(f"{did}: {errors[0]}")


def check_trials(desk: TinyProject, scratch: Path, seeds: range) -> None:
    """One damage a seed, first looked at as it is, then run over."""
    truth = essence(desk.run())
    panels = {case: panel(desk.folder, case) for case in LOOKED_AT}
    whole = scratch / "whole"
    shutil.copytree(desk.folder / ".oloproof", whole)
    for seed in seeds:
        shutil.rmtree(desk.folder / ".oloproof")
        shutil.copytree(whole, desk.folder / ".oloproof")
        did = f"seed {seed}: {damage(desk.folder / '.oloproof', random.Random(seed))}"
        if seed % 2:
            told(desk.folder, truth, panels, did)
        fix(desk, truth, panels, did)


def test_a_damaged_store_costs_calls_and_no_verdict(
    desk: TinyProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The next run comes to the same report; what is read before it is true, or an error."""
    check_trials(desk, tmp_path_factory.mktemp("scratch"), range(6))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200, 20))
def test_two_hundred_damaged_stores_cost_no_verdict(
    desk: TinyProject, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """200 seeded damages, twenty at a time."""
    check_trials(desk, tmp_path_factory.mktemp("scratch"), range(seed, seed + 20))
