"""The command line: one file a command, each a thin call of a workflow.

Only this package prints, and only it chooses an exit code.
"""

from __future__ import annotations

from oloproof.cli.entry import main

__all__ = ["main"]
