"""What a run tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from oloproof.records.report import RunReport


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run began: `cases` sources, `copies` metamorphic copies, each times the replicates."""

    run: int
    cases: int
    copies: int
    system: str


@dataclass(frozen=True, slots=True)
class Progress:
    """So many of all the sources are done, with their copies and replays."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know about this run."""

    text: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over; `exit_code` is what the command should exit with."""

    report: RunReport
    exit_code: int


Event: TypeAlias = RunStarted | Progress | Notice | RunFinished
