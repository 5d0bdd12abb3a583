"""A sandbox of 5 MB that changes in one record: what it costs the store and the processor."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import orjson

from tests.benchmarks.bench import slope_us, store_mb
from tests.benchmarks.projects import shop_state, write_shop
from tests.benchmarks.table import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.bench import Bench

STATE_BYTES = 5_000_000
SIZES = (10, 50)
MANY = 1_000
"""How many cases the target speaks of; run only with `--full`, else told from the slope."""


def shop(bench: Bench) -> Iterator[Line]:
    """Store and CPU of each case that shares the sandbox, beside one dump and load of it."""
    few, more = (bench.scratch / f"shop-{size}" for size in SIZES)
    for project, size in ((few, SIZES[0]), (more, SIZES[1])):
        write_shop(project, size, STATE_BYTES)
    state = shop_state(STATE_BYTES)
    snapshot_mb = len(orjson.dumps(state)) / 1e6

    def once() -> tuple[float, ...]:
        round_trip_us = _round_trip_us(state)
        case_us = slope_us(bench.first_run(few), bench.first_run(more), SIZES[1] - SIZES[0])
        return round_trip_us, case_us, case_us / round_trip_us

    round_trip_us, case_us, ratio = bench.rounds(once)
    raw = f"{case_us / 1000:.0f} ms, {round_trip_us / 1000:.0f} ms"
    yield Line("5 MB sandbox: a case, to one dump and load", ratio, "x", 3, raw)
    a_case_mb = (store_mb(more) - store_mb(few)) / (SIZES[1] - SIZES[0])
    whole_mb = store_mb(few) + a_case_mb * (MANY - SIZES[0])
    if bench.full:
        many = bench.scratch / "shop-many"
        write_shop(many, MANY, STATE_BYTES)
        bench.first_run(many)
        whole_mb = store_mb(many)
    limit_mb = 3 * snapshot_mb + MANY * 0.002
    raw = f"{a_case_mb * 1000:.2f} KB a case"
    yield Line(f"5 MB sandbox: store over {MANY:,} cases", whole_mb, "MB", limit_mb, raw)


def _round_trip_us(state: object) -> float:
    """One `orjson` dump and load, the least of several."""
    least_s = float("inf")
    for _ in range(7):
        began = time.process_time()
        orjson.loads(orjson.dumps(state))
        least_s = min(least_s, time.process_time() - began)
    return least_s * 1e6
