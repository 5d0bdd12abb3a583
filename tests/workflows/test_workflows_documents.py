"""Cases as a run keeps them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.engine.documents import INLINE_BYTES, CaseDocuments
from oloproof.execution.redaction import Redaction
from oloproof.store.database import Store
from oloproof.suites.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oloproof.records.case import Case

LARGE = {f"order-{number}": {"status": "delivered"} for number in range(INLINE_BYTES // 30)}
CHANGE: list[Any] = [{"op": "replace", "path": "/order-3/status", "value": "refunded"}]
NOTE: list[Any] = [{"op": "add", "path": "/order-4/note", "value": "sk-secret"}]
FILE = {"$file": "large.json"}

GIVEN = [
    {"id": "none"},
    {"id": "null", "initial_state": None},
    {"id": "small", "initial_state": {"z": 1, "a": [1.0]}, "expected": {"answer": 3}},
    {"id": "small-patch", "initial_state": {"a": 1}, "expected": {"state_patch": []}},
    {"id": "large", "initial_state": LARGE, "expected": {"state": LARGE, "answer": None}},
    {"id": "file", "initial_state": FILE, "expected": {"state_patch": CHANGE, "answer": "done"}},
    {"id": "patched", "initial_state": {**FILE, "$patch": NOTE}, "expected": None},
    {
        "id": "both",
        "initial_state": {**FILE, "$patch": NOTE},
        "expected": {
            "state_patch": [*CHANGE, {"op": "test", "path": "/order-4/note", "value": "sk-secret"}]
        },
        "metadata": {"kind": "a"},
        "cluster": "c",
    },
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as store:
        yield store


def cases(folder: Path) -> list[Case]:
    (folder / "large.json").write_text(json.dumps(LARGE))
    lines = [json.dumps({"input": {"n": 1}} | case) for case in GIVEN]
    (folder / "cases.jsonl").write_text("\n".join(lines))
    return list(Dataset(folder / "cases.jsonl", folder))


def meaning(case: Case | None) -> Any:
    assert case is not None
    state = (case.initial_state, case.state_json)
    return case.id, case.input, state, case.expected, case.metadata, case.cluster


def test_a_case_is_read_back_as_it_was(tmp_path: Path, store: Store) -> None:
    """Whatever way its states were given, a case means the same after it was kept."""
    documents = CaseDocuments(store, Redaction(()))
    for case in cases(tmp_path):
        assert meaning(case) == meaning(documents.get(documents.put(case)))


def test_what_cases_share_is_kept_once(tmp_path: Path, store: Store) -> None:
    """A case that changes a place in a large shared state is kept in few bytes."""
    documents = CaseDocuments(store, Redaction(()))
    kept = {case.id: store.get(documents.put(case)) for case in cases(tmp_path)}
    for name in ("file", "patched", "both"):
        data = kept[name]
        assert data is not None
        assert len(data) < 600
        assert b"order-5" not in data


def test_redacted_cases_hold_no_secret(tmp_path: Path, store: Store) -> None:
    """A secret in a patched state is replaced, and the states are kept whole."""
    documents = CaseDocuments(store, Redaction(("sk-[a-z]+",)))
    both = cases(tmp_path)[-1]
    digest = documents.put(both)
    read = documents.get(digest)
    assert read is not None
    assert read.expected is not None
    assert {"status": "delivered", "note": "[redacted:pattern]"} == read.initial_state["order-4"]
    assert {"status": "refunded"} == read.expected["state"]["order-3"]
    assert b"sk-secret" not in (store.get(digest) or b"")
