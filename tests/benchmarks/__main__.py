"""`make bench`: what everything costs, as a multiple of the floor measured beside it.

The floor (floor.py) is what evaluating a stateful case costs at least. CPU is that of whole
processes with their children; peak memory adds up the peaks of a run and its workers.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.desk import desk
from tests.benchmarks.effects import effects
from tests.benchmarks.shop import shop
from tests.benchmarks.table import HEADER, show
from tests.benchmarks.trivial import trivial
from tests.benchmarks.workers import workers

SECTIONS = {
    "trivial": trivial,
    "desk": desk,
    "shop": shop,
    "workers": workers,
    "effects": effects,
}


def main() -> None:
    """Measure what is asked for and print a line each, as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--runs", type=int, default=3, help="rounds of which medians are shown")
    parser.add_argument("--full", action="store_true", help="run what is else told from a slope")
    options = parser.parse_args()
    if unknown := set(options.sections) - SECTIONS.keys():
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    print(HEADER)
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.sections or SECTIONS:
            folder = Path(scratch) / name
            folder.mkdir()
            for line in SECTIONS[name](Bench(folder, options.runs, options.full)):
                print(show(line), flush=True)


if __name__ == "__main__":
    main()
