"""What a run tells while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from oloproof.records.report import RunReport


class RunStarted(NamedTuple):
    """A run began: `cases` sources, `copies` metamorphic copies, each times the replicates."""

    run: int
    cases: int
    copies: int
    system: str


class Progress(NamedTuple):
    """So many of all the sources are done, with their copies and replays."""

    done: int
    total: int


class Notice(NamedTuple):
    """Something a person should know about this run."""

    text: str


class RunFinished(NamedTuple):
    """The run is over; `exit_code` is what the command should exit with."""

    report: RunReport
    exit_code: int


Event: TypeAlias = RunStarted | Progress | Notice | RunFinished
