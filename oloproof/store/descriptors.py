"""Tells whether a descriptor still is what was opened under its number.

In the process of a user's system it may have been closed, and the number used again.
"""

from __future__ import annotations

import os


def identity(descriptor: int) -> tuple[int, int] | None:
    """What is open under a number; None where nothing is."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
