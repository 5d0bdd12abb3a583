"""Whether a process that was named once still runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from oloproof.store import processes
from oloproof.store.processes import is_running, this_process


class TestProcesses:
    def test_this_process_runs(self) -> None:
        """Named by number, birth and boot."""
        assert is_running(this_process())
        assert 3 == len(this_process().split())

    def test_one_that_ended_does_not(self) -> None:
        """However it ended."""
        told = subprocess.run(
            [sys.executable, "-c", "from oloproof.store.processes import *; print(this_process())"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        assert not is_running(told)

    @pytest.mark.parametrize("changed", [1, 2])
    def test_a_number_that_was_used_again_is_another_process(self, changed: int) -> None:
        """Also on a machine that starts the same way every time."""
        fields = this_process().split()
        fields[changed] = "1" + fields[changed]
        assert not is_running(" ".join(fields))

    @pytest.mark.parametrize("text", ["", "x", "x y z", "-1 2 3", "99999999999999 1 b", "7"])
    def test_what_names_no_process_does_not_run(self, text: str) -> None:
        """As in a damaged row."""
        assert not is_running(text)

    def test_without_proc_the_number_has_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On systems that have none."""
        monkeypatch.setattr(processes, "_birth", lambda _: "")
        monkeypatch.setattr(processes, "_boot", lambda: "")
        assert is_running(this_process())
        child = subprocess.Popen([sys.executable, "-c", ""])
        child.wait()
        assert not is_running(f"{child.pid}  ")
        assert is_running(f"{os.getppid()}  ")
