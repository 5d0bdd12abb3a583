"""A project whose store holds something of every kind, and ways to look into and hurt a store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from oloproof.store.database import Store
from oloproof.store.references import References, parts_of
from oloproof.workflows.cache import RunDocuments

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.records.report import RunReport
    from oloproof.records.store_report import CacheCheck

DESK = """
from pathlib import Path
from oloproof import AgentStep, AgentTrajectory, current_case

class Desk:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def __call__(self, request):
        with Path("calls").open("a") as calls: calls.write(current_case().id + "\\n")
        if Path("broken").exists(): raise RuntimeError("not today")
        trajectory = self.work(request, None)
        current_case().agent_trajectory(trajectory)
        return trajectory.steps[-1].result
    async def replay(self, trajectory, *, checkpoint, change):
        return self.work(current_case().input, change.fault_result)
    def work(self, request, fault):
        self.state["n"] += 1 if fault is None else 0
        result = {"ok": True, "said": request["message"]} if fault is None else fault
        return AgentTrajectory(
            steps=[
                AgentStep(index=1, kind="tool_call", tool_name="add", arguments={}),
                AgentStep(index=2, kind="tool_result", tool_name="add", result=result),
                AgentStep(index=3, kind="final", result={"answer": "done"}),
            ],
            terminal_status="success",
        )

system = Desk()
"""
EVALUATORS = [
    {"type": "state_matches", "mode": "subset"},
    {"type": "fault_recovery", "tool": "add", "fault": "error"},
    {"type": "metamorphic_relation", "relation": "same_state", "transform": "polite"},
]
TRANSFORMS = [{"name": "polite", "field": "message", "replace": [["Add", "Please add"]]}]
RULES = [{"id": "world", "metric": "state_matches", "min": 0.1}]
STORE = ".oloproof/store.sqlite"


def case(name: str) -> dict[str, Any]:
    """A case with an initial state that is an object of its own."""
    return {
        "id": name,
        "input": {"message": f"Add one for {name}."},
        "initial_state": {"n": 0, "filler": "x" * 3000},
        "expected": {"state": {"n": 1}},
    }


def desk(tiny: Any, *names: str, app: str = DESK) -> Any:
    """The project, with a case of each name."""
    return tiny.write(
        app=app,
        cases=[case(name) for name in names],
        evaluators=EVALUATORS,
        rules=RULES,
        metamorphic={"transforms": TRANSFORMS},
    )


def essence(report: RunReport) -> dict[str, Any]:
    """What a run says of its cases, whoever ran them when and under which number."""
    kept = {"cases", "copies", "outcomes", "metrics", "slices", "validity", "gate", "status"}
    return report.model_dump(include=kept)


def calls(folder: Path) -> int:
    """How often the system was called."""
    path = folder / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def sql(path: Path, statement: str, *values: Any) -> list[Any]:
    """Do something to a store behind its back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def objects_of(folder: Path, kind: str, *, runs: tuple[int, ...] = ()) -> list[bytes]:
    """The objects of a store that (some) runs refer to as something, in a fixed order."""
    with Store(folder / ".oloproof", create=False) as store, store.whole() as connection:
        references = References(connection, RunDocuments())
        for row in store.runs():
            if runs and row.id not in runs:
                continue
            references.add_run(parts_of(connection, row.id, row.manifest, row.summary))
        references.follow()
        if not runs:
            references.add_results()
            references.add_notes()
        query = "SELECT DISTINCT digest FROM temp.refs WHERE kind = ? ORDER BY digest"
        return [digest for (digest,) in connection.execute(query, (kind,))]


def flip(path: Path, digest: bytes) -> None:
    """Flip a bit in the middle of an object."""
    [(data,)] = sql(path, "SELECT data FROM objects WHERE digest = ?", digest)
    hurt = bytearray(data)
    hurt[len(hurt) // 2] ^= 4
    sql(path, "UPDATE objects SET data = ? WHERE digest = ?", bytes(hurt), digest)


def remove(path: Path, digest: bytes) -> None:
    """Take an object away."""
    sql(path, "DELETE FROM objects WHERE digest = ?", digest)


def not_whole(check: CacheCheck) -> dict[str, tuple[int, int]]:
    """How many are damaged and missing, of the kinds of which some are."""
    return {k.kind: (k.damaged, k.missing) for k in check.kinds if k.damaged or k.missing}
