"""What a worker that runs cases says to its parent: kinds of frame, and what comes aside."""

from __future__ import annotations

from typing import Any, Final

from oloproof.canonical import decode
from oloproof.records.evidence import ACTIVE_STATE, ENVIRONMENT_STATE, REPLIES, TRAJECTORY

READY: Final = b"R"
"""Once, after the system was loaded; header: what it can do, and which modules it loaded."""

REFUSED: Final = b"X"
"""Instead of READY; header: what, where and mend of the error."""

UNIT: Final = b"U"
"""A unit ran; header: the unit and its timings; body: its evidence. The last one of a job, with
no replay behind it, comes with the end of the job instead."""

REPLAY: Final = b"P"
"""A replay ran; header: the unit, the site, the change; body: its evidence."""

LATE_CALL: Final = b"L"
"""A tool was called when its case had ended, and its evidence was sent; header: which tool, the
job and the unit, and of a replay its change and the recording. It may come during other jobs,
and when the worker leaves."""

CRASHED: Final = b"C"
"""An error of this program's own; header: its traceback. No case is to blame for it."""


def said_sections(said: bytes) -> dict[str, Any]:
    """The sections of what was said on the way, as far as a case got.

    Its trajectory is one that was reported, else the steps so far. Of each turn that had ended
    there are the reply and the states.
    """
    reported, *lines = said.split(b"\n")
    steps: dict[int, Any] = {}
    sections: dict[str, Any] = {}
    for line in lines:
        told: Any = decode(line)
        if "index" in told:
            steps[told["index"]] = told
            continue
        for name in (REPLIES, ENVIRONMENT_STATE, ACTIVE_STATE):
            if name in told:
                sections.setdefault(name, []).append(told[name])
    if reported:
        sections[TRAJECTORY] = decode(reported)
    elif steps:
        sections[TRAJECTORY] = {"steps": [steps[index] for index in sorted(steps)]}
    return sections
