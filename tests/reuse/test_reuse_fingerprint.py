"""One fingerprint, from which every key follows."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise

import grimp
import pytest

from oloproof.records.case import Case
from oloproof.reuse import fingerprint as module
from oloproof.reuse.fingerprint import NO_JUDGES, Fingerprint, Keys, judging_version

PRINT = Fingerprint(
    python="cpython 3.11",
    system="desk",
    version="1",
    source="0" * 64,
    object="app:desk",
    kind="class",
    redact="3" * 64,
    retries=("3", "TransientError"),
    ignore=("audit",),
    generated_keys=(),
    models="live",
    recordings=None,
    judging="1 abc",
)
OTHERS = {
    "contract": 99,
    "python": "cpython 3.12",
    "system": "counter",
    "version": "2",
    "source": "1" * 64,
    "object": "app:other",
    "kind": "instance",
    "redact": "4" * 64,
    "retries": ("4", "TransientError"),
    "replay": 99,
    "ignore": (),
    "generated_keys": ("orders",),
    "models": "recorded",
    "recordings": "2" * 64,
    "judging": "1 abd",
    "own_kinds": "5" * 64,
}
FOLLOWS = {
    "execution": {"execution", "control", "fault", "whole"},
    "replay": {"control", "fault", "whole"},
    "fault": {"fault", "whole"},
    "verdict": {"whole"},
}
CASE = Case(id="a", input={"say": "hello"}, state_json=b"{}")


def keys(fingerprint: Fingerprint) -> dict[str, bytes]:
    """Everything that is made of a fingerprint."""
    made = Keys(fingerprint)
    execution = made.execution(CASE, 1)
    return {
        "execution": execution,
        "control": made.replay(execution, b"r" * 32, 3, None),
        "fault": made.replay(execution, b"r" * 32, 3, "error"),
        "whole": fingerprint.digest(),
    }


def test_every_field_is_tried_here():
    """A field that is added or dropped is seen."""
    assert OTHERS.keys() == {one.name for one in fields(Fingerprint)}


@pytest.mark.parametrize("field", OTHERS)
def test_a_field_changes_the_keys_of_its_level_and_of_what_follows_from_it(field):
    """What a field counts for is made again when it changes, and nothing else is."""
    level = next(one.metadata["level"] for one in fields(Fingerprint) if one.name == field)
    before, after = keys(PRINT), keys(replace(PRINT, **{field: OTHERS[field]}))
    assert FOLLOWS[level] == {name for name, key in after.items() if key != before[name]}


@pytest.mark.parametrize("field", OTHERS)
def test_two_fingerprints_name_the_fields_in_which_they_differ(field):
    """So that a gate can say what is no longer as it was."""
    assert [field] == PRINT.differing(replace(PRINT, **{field: OTHERS[field]}))


def test_a_fingerprint_comes_back_as_a_run_kept_it():
    """One of other fields, as an earlier release kept it, is none."""
    assert PRINT == Fingerprint.from_json(PRINT.to_json())
    assert Fingerprint.from_json(PRINT.to_json() | {"more": 1}) is None
    assert Fingerprint.from_json({}) is None


def test_the_case_its_replicate_and_the_place_of_a_replay_enter_their_keys():
    """Two of them never share evidence."""
    made = Keys(PRINT)
    execution = made.execution(CASE, 1)
    others = [
        made.execution(CASE._replace(id="b"), 1),
        made.execution(CASE._replace(input={"say": "bye"}), 1),
        made.execution(CASE._replace(state_json=b'{"n":1}'), 1),
        made.execution(CASE, 2),
        made.replay(execution, b"r" * 32, 3, None),
        made.replay(execution, b"s" * 32, 3, None),
        made.replay(execution, b"r" * 32, 4, None),
        made.replay(execution, b"r" * 32, 3, "error"),
        made.replay(execution, b"r" * 32, 3, "timeout"),
    ]
    assert len(others) + 1 == len({execution, *others})


def test_the_judging_version_follows_from_the_code_of_what_judges(monkeypatch, tmp_path):
    """A check that is changed is another check, whether or not somebody raised a number."""
    package = tmp_path / "oloproof"
    files = [package / name for name in ("paths.py", "evaluators/one.py", "cli/one.py")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("RIGHT = True\n")
    monkeypatch.setattr(module, "__file__", str(package / "reuse/fingerprint.py"))
    versions = [judging_version.__wrapped__()]
    for file in files:
        file.write_text("RIGHT = False\n")
        versions.append(judging_version.__wrapped__())
    assert [False, False, True] == [one == after for one, after in pairwise(versions)]


def test_what_judges_and_counts_imports_nothing_that_is_left_out():
    """Else a change there would leave old verdicts standing."""
    graph = grimp.build_graph("oloproof")
    waiting = [name for name in graph.modules if name.startswith("oloproof.evaluators.")]
    waiting += ["oloproof.evaluation.judging", "oloproof.engine.ledger"]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.find_modules_directly_imported_by(name)
    parts = {name.split(".")[1] for name in seen if "." in name}
    assert {"evaluators", "suites", "statistics"} <= parts
    assert set() == parts & NO_JUDGES
