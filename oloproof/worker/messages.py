"""What a worker that runs cases says to its parent: kinds of frame, and what comes aside."""

from __future__ import annotations

from typing import Any, Final

from oloproof.canonical import decode

READY: Final = b"R"
"""Once, after the system was loaded; header: what it can do, and which modules it loaded."""

REFUSED: Final = b"X"
"""Instead of READY; header: what, where and mend of the error."""

UNIT: Final = b"U"
"""A unit ran; header: the unit and its timings; body: its evidence. The last one of a job, with
no replay behind it, comes with the end of the job instead."""

REPLAY: Final = b"P"
"""A replay ran; header: the unit, the site, the change; body: its evidence."""

CRASHED: Final = b"C"
"""An error of this program's own; header: its traceback. No case is to blame for it."""


def said_trajectory(said: bytes) -> Any:
    """The trajectory of what was said on the way: one that was reported, else the steps so far."""
    reported, *lines = said.split(b"\n")
    if reported:
        return decode(reported)
    steps: dict[int, Any] = {}
    for line in lines:
        step: Any = decode(line)
        steps[step["index"]] = step
    return {"steps": [steps[index] for index in sorted(steps)]}
