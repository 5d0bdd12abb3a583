"""Does a job in a fork of its worker, which imported the system and has done nothing since."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.worker.outlet import Outlet

_THREADS: Final = 2
"""Those of a worker that has begun: its own, and the one that watches for its parent's end."""


def are_safe() -> bool:
    """Whether nothing is lost in a fork: a thread that importing started would not be there."""
    return len(list(Path("/proc/self/task").iterdir())) <= _THREADS


def do(job: Callable[[], None], outlet: Outlet) -> None:
    """Do a job in a fork, which speaks for this process; end as the fork did, where it ended.

    `job` is to end the process when it is done.
    """
    done, finished = os.pipe()
    with outlet.shared_with_fork():
        child = os.fork()
    if child == 0:
        os.close(done)
        job()
        os.write(finished, b"1")
        os._exit(0)
    os.close(finished)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    is_done = os.read(done, 1) == b"1"
    os.close(done)
    if is_done:
        return
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no other
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))
