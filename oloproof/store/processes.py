"""Names a process so that it can be told later whether it still runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_BOOT: Final = "/proc/sys/kernel/random/boot_id"


def this_process() -> str:
    """This process: its number, when it began, and the boot of the machine it runs on.

    The number alone is used again; with the others it is not, not even on machines that all
    start alike.
    """
    return f"{os.getpid()} {_birth(os.getpid())} {_boot()}"


def is_running(process: str) -> bool:
    """Whether a named process still runs, here and since the same boot."""
    number, _, rest = process.partition(" ")
    birth, _, boot = rest.partition(" ")
    if not number.isdecimal():
        return False
    if _birth(os.getpid()):
        return boot == _boot() and birth == _birth(int(number)) != ""
    try:  # a system without /proc: the number has to do
        os.kill(int(number), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _birth(number: int) -> str:
    """When a process began, in clock ticks since boot."""
    try:
        stat = Path(f"/proc/{number}/stat").read_bytes()
        return stat.rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _boot() -> str:
    try:
        return Path(_BOOT).read_text(encoding="ascii").strip()
    except OSError:
        return ""
