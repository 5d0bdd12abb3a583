"""What every benchmark needs: a scratch folder, the commands to measure, and the floor."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Cost, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FLOOR = str(Path(__file__).with_name("floor.py"))
OLOPROOF = str(Path(sys.executable).with_name("oloproof"))
STORE = ".oloproof"

# A gate that blocks, whatever for, is a run that came to its end.
DECIDED = (0, 1, 3, 4)


@dataclass(frozen=True, slots=True)
class Bench:
    """A place to work in, and how often each thing is measured.

    What is compared is measured side by side, round by round: a machine that others use too
    is fast in one minute and slow in the next.
    """

    scratch: Path
    runs: int
    full: bool

    @property
    def environment(self) -> dict[str, str]:
        """Ours, with compiled modules kept: an installed package has its own."""
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return environment | {"PYTHONPYCACHEPREFIX": str(self.scratch / "compiled")}

    def rounds(self, once: Callable[[], tuple[float, ...]]) -> list[float]:
        """The median of each number that `once` gives, over all rounds."""
        return [statistics.median(column) for column in zip(*self._each(once), strict=True)]

    def _each(self, once: Callable[[], tuple[float, ...]]) -> Iterable[tuple[float, ...]]:
        return [once() for _ in range(self.runs)]

    def floor(self, project: Path) -> Cost:
        """The floor over the cases of a trivial project, into a store of its own."""
        store = project / "floor.sqlite"
        for path in project.glob("floor.sqlite*"):
            path.unlink()
        command = [sys.executable, FLOOR, str(project), str(store)]
        return measure(command, project, environment=self.environment)

    def first_run(self, project: Path) -> Cost:
        """A run that finds nothing stored."""
        shutil.rmtree(project / STORE, ignore_errors=True)
        return self.command(project, "run")

    def command(self, project: Path, *arguments: str) -> Cost:
        """Any command of ours."""
        return measure(
            [OLOPROOF, *arguments], project, environment=self.environment, expected=DECIDED
        )


def store_mb(project: Path) -> float:
    """What the store of a project takes on disk."""
    files = [path for path in (project / STORE).rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6


def slope_us(small: Cost, large: Cost, cases: int) -> float:
    """Microseconds of CPU for each of the `cases` by which two sizes differ: start-up falls out."""
    return (large.cpu_s - small.cpu_s) / cases * 1e6
