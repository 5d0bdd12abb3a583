"""The floor under every target: what evaluating a stateful case costs at least.

`python tests/benchmarks/floor.py PROJECT STORE` reads the dataset line by line, resets the
system with a fresh copy of the state, calls it, takes the trajectory it reports, reads the
state out, encodes the record, digests it and its key, and inserts both into SQLite, 500 rows
a transaction. It judges nothing, isolates nothing and can resume nothing.
"""

from __future__ import annotations

import hashlib
import sqlite3
import sys
from pathlib import Path

import orjson

from oloproof.contract import CurrentCase, open_case
from oloproof.records.trajectory import AgentTrajectory

ROWS_PER_TRANSACTION = 500


def main(project: Path, store: Path) -> None:
    """Run every case of `project` once into a fresh `store`."""
    sys.path.insert(0, str(project))
    import app  # the project's own module

    system = app.system
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE results (key BLOB PRIMARY KEY, digest BLOB, data BLOB)")
    rows = []
    with (project / "cases.jsonl").open("rb") as lines:
        for line in lines:
            case = orjson.loads(line)
            state = orjson.dumps(case["initial_state"])
            request = orjson.dumps([case["id"], case["input"]])
            system.reset(orjson.loads(state))
            reported: list[AgentTrajectory] = []
            current = CurrentCase(id=case["id"], input_json=request, report=reported.append)
            with open_case(current):
                output = system(case["input"])
            steps = orjson.loads(reported[-1].model_dump_json(exclude_defaults=True))
            record = {"output": output, "state": system.snapshot(), "trajectory": steps}
            data = orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
            key = hashlib.sha256(request + state).digest()
            rows.append((key, hashlib.sha256(data).digest(), data))
            if len(rows) == ROWS_PER_TRANSACTION:
                insert(connection, rows)
                rows = []
    insert(connection, rows)
    connection.close()


def insert(connection: sqlite3.Connection, rows: list[tuple[bytes, bytes, bytes]]) -> None:
    """Write one transaction."""
    connection.execute("BEGIN")
    connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
    connection.execute("COMMIT")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
