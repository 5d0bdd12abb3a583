"""Measures whole processes from outside: the CPU, time and memory of them and their children."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds and peak memory of a process with its children, and how long it took.

    `peak_mb` adds up the peaks of all processes, whether or not they fell together.
    """

    cpu_s: float
    wall_s: float
    peak_mb: float


def measure(
    command: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str],
    expected: Collection[int] = (0,),
) -> Cost:
    """Run a command to its end; it must exit with one of the `expected` codes."""
    complaint = folder / "stderr.txt"
    with complaint.open("wb") as stderr:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=stderr
        )
        memory = _Memory(process.pid)
        memory.watch()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in expected:
        raise SystemExit(f"{' '.join(command)} exited with {code}:\n{complaint.read_text()}")
    # A process too short to be looked at is known to the system all the same.
    peak_mb = max(memory.peak_mb, usage.ru_maxrss / 1024)
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, peak_mb)


@dataclass(slots=True)
class _Memory:
    """The highest resident size of each process in a tree, as last seen."""

    root: int
    _peaks_kb: dict[int, int] = field(default_factory=dict)

    @property
    def peak_mb(self) -> float:
        return sum(self._peaks_kb.values()) / 1024

    def watch(self) -> None:
        """Look at the tree now and then until its root ends."""
        end = os.pidfd_open(self.root)
        try:
            while not select.select([end], [], [], LOOK_EVERY_S)[0]:
                self._look(self.root)
        finally:
            os.close(end)

    def _look(self, process: int) -> None:
        folder = Path(f"/proc/{process}")
        with contextlib.suppress(OSError):  # it may end meanwhile
            for line in (folder / "status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    self._peaks_kb[process] = int(line.split()[1])
            for task in (folder / "task").iterdir():
                for child in (task / "children").read_text().split():
                    self._look(int(child))
