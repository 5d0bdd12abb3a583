"""How much sooner a run is over with more workers: for agents that compute, and that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.projects import write_refund_desk, write_slow
from tests.benchmarks.table import Line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.benchmarks.bench import Bench

COMPUTING = {"cases": 1_000, "compute_ms": 5.0}
WAITING = {"cases": 200, "wait_ms": 50.0}
SERIAL_S = 10.0
DESK = 2_400


def workers(bench: Bench) -> Iterator[Line]:
    """Wall times with two workers as a part of those with one, and of many that wait."""
    computing = [bench.scratch / f"computing-{n}" for n in (1, 2)]
    desks = [bench.scratch / f"desk-of-{n}" for n in (1, 2)]
    for number, (project, desk) in enumerate(zip(computing, desks, strict=True), start=1):
        write_slow(project, concurrency=number, **COMPUTING)
        write_refund_desk(desk, DESK, concurrency=number)
    waiting = bench.scratch / "waiting"
    write_slow(waiting, concurrency=16, **WAITING)
    (ratio,) = bench.rounds(lambda: (_part(bench, computing),))
    yield Line("two workers to one, wall: cases of 5 ms CPU", ratio, "x", 0.6)
    (ratio,) = bench.rounds(lambda: (_part(bench, desks),))
    yield Line(f"two workers to one, wall: refund desk, {DESK:,} sources", ratio, "x")
    (ratio,) = bench.rounds(lambda: (bench.first_run(waiting).wall_s / SERIAL_S,))
    yield Line("concurrency 16 to serial, wall: 200 cases of 50 ms waiting", ratio, "x", 0.12)


def _part(bench: Bench, projects: list[Path]) -> float:
    one, two = (bench.first_run(project).wall_s for project in projects)
    return two / one
