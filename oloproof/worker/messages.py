"""The kinds of frame between the parent and a worker that runs cases."""

from __future__ import annotations

from typing import Final

READY: Final = b"R"
"""Once, after the system was loaded; header: what it can do, and which modules it loaded."""

REFUSED: Final = b"X"
"""Instead of READY; header: what, where and mend of the error."""

UNIT: Final = b"U"
"""A unit ran; header: the unit and its timings; body: its evidence."""

REPLAY: Final = b"P"
"""A replay ran; header: the unit, the site, the change; body: its evidence."""

CRASHED: Final = b"C"
"""An error of this program's own; header: its traceback. No case is to blame for it."""
