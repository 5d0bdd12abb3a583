"""`make bench`: what a case costs, as a multiple of the floor measured in the same run."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measuring import Cost, measure, median, slope_us
from tests.benchmarks.projects import write_trivial

FLOOR = str(Path(__file__).with_name("floor.py"))
OLOPROOF = [str(Path(sys.executable).with_name("oloproof"))]


def main() -> None:
    """Measure trivial stateful cases at several sizes and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trivial(Path(scratch), sorted({1, *options.sizes}), options.runs)


def trivial(scratch: Path, sizes: list[int], runs: int) -> None:
    """First and cached runs of trivial stateful cases, beside the floor."""
    rows: dict[int, tuple[Cost, Cost, Cost]] = {}
    for size in sizes:
        folder = scratch / f"trivial-{size}"
        write_trivial(folder, size)
        rows[size] = (
            median(runs, lambda: floor(folder)),  # noqa: B023  # called at once
            median(runs, lambda: first_run(folder)),  # noqa: B023
            median(runs, lambda: run(folder)),  # noqa: B023
        )
    base = rows[sizes[0]]
    print("trivial stateful cases, CPU as medians of", runs, "runs")
    print(f"start-up: one case costs {base[1].cpu_s:.2f} s, cached {base[2].cpu_s:.2f} s\n")
    print("   cases   floor us   first us  x floor   cached us  x floor   peak MB")
    for size in sizes[1:]:
        f, first, cached = (
            slope_us(small, large, size - sizes[0])
            for small, large in zip(base, rows[size], strict=True)
        )
        peak = rows[size][1].peak_mb
        print(
            f"{size:8d} {f:10.1f} {first:10.1f} {first / f:8.2f} "
            f"{cached:11.1f} {cached / f:8.2f} {peak:9.0f}"
        )


def floor(folder: Path) -> Cost:
    """The floor over a project's cases, into a store of its own."""
    store = folder / "floor.sqlite"
    for path in folder.glob("floor.sqlite*"):
        path.unlink()
    return measure([sys.executable, FLOOR, str(folder), str(store)], folder)


def first_run(folder: Path) -> Cost:
    """A run that finds nothing stored."""
    shutil.rmtree(folder / ".oloproof", ignore_errors=True)
    return run(folder)


def run(folder: Path) -> Cost:
    """A run, whatever is stored; a gate that blocks for want of evidence is a run too."""
    return measure([*OLOPROOF, "run"], folder, expected=(0, 3))


if __name__ == "__main__":
    main()
