"""What is reported of single cases: their panels, verdicts, replays and pairs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from oloproof.records.defaults import empty_list
from oloproof.records.json_value import Json
from oloproof.records.report import Change, Report


class ComparedPath(Report):
    """One place a check compared; a side that is absent has its `has_` flag false."""

    path: str
    passed: bool
    has_expected: bool = True
    expected: Json = None
    has_actual: bool = True
    actual: Json = None
    note: str | None = None


class VerdictReport(Report):
    """One check's verdict on one case."""

    metric: str
    status: Literal["pass", "fail", "not_applicable", "missing"]
    reason: str | None = None
    label: str | None = None
    detail: str | None = None
    compared: list[ComparedPath] = Field(default_factory=empty_list)


class StateReport(Report):
    """A recorded world; `recorded` is false where there is none, and `problem` says why."""

    recorded: bool
    state: Json = None
    problem: str | None = None


class OutcomeReport(Report):
    """How a call of the system ended."""

    status: str
    error: str | None = None
    where: str | None = None
    phase: str = "call"


class DivergenceReport(Report):
    """Where a control stopped reproducing its recording."""

    kind: str
    where: str
    expected: Json = None
    actual: Json = None


class ReplaySide(Report):
    """One replay as it ran: its joined steps (fields of AgentStep), output and final world."""

    outcome: OutcomeReport
    has_output: bool
    output: Json = None
    steps: list[Json]
    terminal_status: str
    final: StateReport


class ControlReport(Report):
    """The control of a replay: nothing changed, and it must reproduce the recording."""

    trusted: bool
    reason: str | None = None
    divergence: DivergenceReport | None = None
    replay: ReplaySide | None = None


class ReplayReport(Report):
    """One faulted replay of a case, its control, and the verdict it was given."""

    case: str
    tool: str
    fault: str
    occurrence: int
    method: Literal["manual", "recorded"] | None
    step_index: int | None
    unavailable: str | None = None
    control: ControlReport | None = None
    replay: ReplaySide | None = None
    recording: ReplaySide | None = None
    state_changes: list[Change] = Field(default_factory=empty_list)
    verdict: str | None = None
    label: str | None = None
    reason: str | None = None
    detail: str | None = None
    stored: bool = False


class ReplayList(Report):
    """Every declared fault of a case, replayed."""

    case: str
    replays: list[ReplayReport]


class PairReport(Report):
    """A metamorphic copy beside its source."""

    transform: str
    source: str
    copy_id: str
    field: str
    source_text: str
    copy_text: str
    verdicts: list[VerdictReport] = Field(default_factory=empty_list)


class CaseReport(Report):
    """The case panel: everything known of one case in one run (one replicate)."""

    run: int
    case: str
    cluster: str
    replicate: int
    source: str | None
    transform: str | None
    input: Json
    expected: Json
    outcome: OutcomeReport
    attempts: list[OutcomeReport] = Field(default_factory=empty_list)
    has_output: bool
    output: Json
    initial: StateReport
    final: StateReport
    state_changes: list[Change]
    steps: list[Json]
    trajectory_problem: str | None
    terminal_status: str
    constraints: list[Json]
    verdicts: list[VerdictReport]
    replays: list[ReplayReport]
    pairs: list[PairReport]


class CaseLine(Report):
    """One case in the list of cases: its failing and missing checks by name."""

    case: str
    replicate: int
    outcome: str
    failed: dict[str, str | None]
    missing: dict[str, str | None]


class CaseList(Report):
    """The cases of a run, all of them or those that failed."""

    run: int
    failures_only: bool
    cases: list[CaseLine]


class PairLine(Report):
    """One pair that nobody has labelled yet."""

    case: str
    digest: str
    source_text: str
    copy_text: str


class PairList(Report):
    """The unlabelled pairs of a transform, and the file they were written to."""

    transform: str
    pairs: int
    labelled: int
    unlabelled: list[PairLine]
    written_to: str | None
