"""Measures whole processes from outside: the CPU and the peak memory of them and their children."""

from __future__ import annotations

import os
import statistics
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of a process with its children, and the peak memory of the largest of them."""

    cpu_s: float
    peak_mb: float


def measure(command: Sequence[str], folder: Path, expected: Sequence[int] = (0,)) -> Cost:
    """Run a command to its end; it must exit with one of the `expected` codes."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code not in expected:
        raise SystemExit(f"{' '.join(command)} exited with {code}:\n{complaint.decode()}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(runs: int, once: Callable[[], Cost]) -> Cost:
    """The medians of several runs."""
    costs = [once() for _ in range(runs)]
    return Cost(
        statistics.median(cost.cpu_s for cost in costs),
        statistics.median(cost.peak_mb for cost in costs),
    )


def slope_us(small: Cost, large: Cost, cases: int) -> float:
    """Microseconds of CPU for each of the `cases` by which two sizes differ: start-up falls out."""
    return (large.cpu_s - small.cpu_s) / cases * 1e6
