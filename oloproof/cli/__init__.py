"""The command line: one file a command, each a thin call of a workflow.

Only this package prints, and only it chooses an exit code.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_COLLECT_EVERY: Final = 200_000
"""Objects made between two looks for garbage: importing makes that many, and they all stay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that `arguments` name (default: those of the process).

    Gives the exit code: that of the gate, 2 for a mistake in usage or configuration,
    5 when interrupted, 70 for an error of Oloproof's own.
    """
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_EVERY, *before[1:])
    try:
        # Only here, since importing is what the collector is to look through less often.
        from oloproof.cli.entry import main as enter

        return enter(arguments)
    finally:
        gc.set_threshold(*before)
        if arguments is None:
            gc.freeze()  # the process ends: what is left need not be taken apart (a tenth of CPU)
