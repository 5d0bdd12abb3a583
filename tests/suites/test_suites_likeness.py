"""Cases that ask for the same in the same world under several ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.suites.dataset import Dataset

if TYPE_CHECKING:
    from pathlib import Path


def clusters(project: Path, *cases: dict[str, Any], name: str = "cases.jsonl") -> list[str | None]:
    """The cluster that each case shares with others, in order."""
    text = (
        json.dumps(cases) if name.endswith("json") else "".join(json.dumps(c) + "\n" for c in cases)
    )
    (project / name).write_text(text)
    dataset = Dataset(project / name, project)
    cluster_of = dataset.check().shared_clusters()
    return [cluster_of(case) for case in dataset]


def case(name: str, say: str = "x", n: int = 0, **fields: Any) -> dict[str, Any]:
    return {"id": name, "input": {"say": say}, "initial_state": {"n": n}, **fields}


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.json"])
def test_the_same_request_in_the_same_world_is_one_cluster(project: Path, name: str) -> None:
    """It bears the id of the first; what is expected or told of a case is not what is asked."""
    found = clusters(
        project,
        case("a"),
        case("b", say="y"),
        case("c", expected={"answer": 1}, metadata={"k": 2}),
        case("d", n=1),
        case("e", say="y"),
        name=name,
    )
    assert ["a", "b", "a", None, "b"] == found


def test_a_declared_cluster_holds(project: Path) -> None:
    """Cases that all declare one are as apart as they say; what declares none joins the first."""
    apart = [case("a", cluster="p"), case("b", cluster="q"), case("c", say="y", group_id="p")]
    assert ["p", "q", "p"] == clusters(project, *apart)
    assert ["p", "q", "p"] == clusters(project, *apart[:2], case("d"))
    assert ["p", "p"] == clusters(project, case("d"), case("a", group_id="p"))


def test_conversations_and_states_in_files_are_compared_too(project: Path) -> None:
    """The messages are what is asked, and a state is what its file and its patch say."""
    (project / "shop.json").write_text('{"n": 1}')
    patched = [{"op": "add", "path": "/m", "value": 2}]
    talk = {"turns": [{"user": "hi"}], "initial_state": {"$file": "shop.json"}}
    moved = {"turns": [{"user": "hi"}], "initial_state": {"$file": "shop.json", "$patch": patched}}
    cases = [
        {"id": "a", **talk},
        {"id": "b", **moved},
        {"id": "c", **talk},
        {"id": "d", **moved},
        {"id": "e", "input": None},
        {"id": "f", "input": None},
    ]
    assert ["a", "b", "a", "b", "e", "e"] == clusters(project, *cases)
