"""Trivial stateful cases: all that is left is what Oloproof itself costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.bench import slope_us
from tests.benchmarks.projects import add_trivial, write_trivial
from tests.benchmarks.table import Line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.benchmarks.bench import Bench

SIZES = (1_000, 10_000, 100_000)


def trivial(bench: Bench) -> Iterator[Line]:
    """Start-up, then first, cached and nearly cached runs beside the floor, and their memory."""
    one = _project(bench, 1)
    bench.first_run(one)  # compiles every module
    first_s, cached_s = bench.rounds(
        lambda: (bench.first_run(one).cpu_s, bench.command(one, "run").cpu_s)
    )
    yield Line("start-up: run of one case, CPU", first_s, "s", 0.35)
    yield Line("start-up: the same again", cached_s, "s", 0.35)
    peaks = {}
    for size in SIZES:
        floor, first, cached, added, peaks[size] = _measure(bench, one, size)
        named = f"trivial, {size:,} cases: "
        yield Line(named + "first run, a case", first / floor, "x", 4, f"{first:.0f} us")
        yield Line(named + "cached run, a case", cached / floor, "x", 1, f"{cached:.1f} us")
        yield Line(named + "one case added, a case", added / floor, "x", None, f"{added:.0f} us")
    grown = peaks[SIZES[-1]] - peaks[SIZES[0]]
    name = f"trivial: peak memory at {SIZES[-1]:,} beyond that at {SIZES[0]:,}"
    yield Line(name, grown, "MB", 32, f"{peaks[SIZES[-1]]:.0f} MB")


def _project(bench: Bench, cases: int) -> Path:
    folder = bench.scratch / f"trivial-{cases}"
    write_trivial(folder, cases)
    return folder


def _measure(bench: Bench, one: Path, size: int) -> list[float]:
    """Microseconds a case of floor, first, cached and added-to run; the first run's peak in MB."""
    many = _project(bench, size)

    def once() -> tuple[float, ...]:
        small = [bench.floor(one), bench.first_run(one), bench.command(one, "run")]
        large = [bench.floor(many), bench.first_run(many), bench.command(many, "run")]
        with add_trivial(many, size):
            added = bench.command(many, "run")
        slopes = [slope_us(s, b, size - 1) for s, b in zip(small, large, strict=True)]
        return *slopes, slope_us(small[2], added, size), large[1].peak_mb

    return bench.rounds(once)
