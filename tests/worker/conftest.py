"""Cases on real worker processes, driven as a run drives them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from oloproof.canonical import decode, encode_in_order
from oloproof.pool.framing import DONE
from oloproof.pool.jobs import Lost
from oloproof.pool.pool import Pool
from oloproof.worker import outlet as messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COMMAND = [sys.executable, "-P", "-m", "oloproof.worker"]


@dataclass
class Seen:
    """What came of one job."""

    evidence: list[dict[str, Any]] = field(default_factory=list)
    replays: list[dict[str, Any]] = field(default_factory=list)
    reported: Any = None
    frames: list[Any] = field(default_factory=list)
    lost: Lost | None = None

    @property
    def status(self) -> str:
        """How the case ended, as a run would say it."""
        return self.lost.cause if self.lost else str(self.evidence[0]["outcome"]["status"])


class RunJobs(Protocol):
    def __call__(
        self,
        root: Path,
        jobs: Sequence[list[dict[str, Any]]],
        *,
        state: Any = ...,
        states: Sequence[Any] = ...,
        timeout_s: float = ...,
        grace_s: float = ...,
        environment: dict[str, str] | None = ...,
        **opening: Any,
    ) -> list[Seen]: ...


def unit(given: Any, **fields: Any) -> dict[str, Any]:
    """One execution of a job."""
    return {
        "unit": 0,
        "key": "00",
        "id": "c-1",
        "source": None,
        "input": given,
        "replicate": 1,
        "talks": False,
        "replayable": True,
        "recording": None,
        "sites": [],
    } | fields


@pytest.fixture
def run_jobs() -> RunJobs:
    """Runs jobs one after another on a worker, and on fresh ones where it ends."""
    return drive


def drive(
    root: Path,
    jobs: Sequence[list[dict[str, Any]]],
    *,
    state: Any = None,
    states: Sequence[Any] = (),
    timeout_s: float = 20.0,
    grace_s: float = 0.6,
    environment: dict[str, str] | None = None,
    **opening: Any,
) -> list[Seen]:
    """What came of each job."""
    told = {
        "root": str(root),
        "callable": "app:desk",
        "kind": None,
        "timeout_s": timeout_s,
        "models": "live",
        "redact": [],
        "ignore": [],
        "generated_keys": [],
        "retries": {"attempts": 1, "on": ["TransientError"], "wait_s": 0},
        "journal": None,
    } | opening
    seen = [Seen() for _ in jobs]
    with Pool(
        COMMAND,
        size=1,
        opening=told,
        deadline_s=timeout_s + grace_s,
        environment=environment,
        folder=str(root),
    ) as pool:
        for number, job in enumerate(jobs):
            given = states[number] if states else state
            body = b"" if given is None else encode_in_order(given)
            pool.submit(seen[number], {"job": number, "part": 0, "units": job}, body)
        while pool.pending:
            for message in pool.poll():
                _sort(message)
    return seen


def _sort(message: Any) -> None:
    seen: Seen = message.tag
    if isinstance(message, Lost):
        seen.lost = message
        seen.reported = decode(message.aside[1]) if message.aside[1] else None
        return
    frame = message.frame
    seen.frames.append(frame)
    if frame.kind == messages.REFUSED:
        raise RefusedError(frame.header)
    kept = {
        messages.UNIT: seen.evidence,
        messages.REPLAY: seen.replays,
        DONE: seen.evidence,
    }.get(frame.kind)
    if kept is not None and frame.body:
        kept.append(decode(frame.body))
    assert frame.kind in (b"U", b"P", b"R", DONE)


class RefusedError(Exception):
    """The worker refused the system."""
