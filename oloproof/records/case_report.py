"""What is reported of single cases: their panels, verdicts, replays and pairs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from oloproof.records.report import Change, Report
from oloproof.records.shapes import Json, empty_list


class ComparedPath(Report):
    """One place a check compared; a side that is absent has its `has_` flag false."""

    path: str
    passed: bool
    has_expected: bool = True
    expected: Json = None
    has_actual: bool = True
    actual: Json = None
    note: str | None = None
    turn: int | None = None


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
    detail: str | None = None
    divergence: DivergenceReport | None = None
    replay: ReplaySide | None = None


class ReplayReport(Report):
    """One faulted replay of a case, its control, and the verdict it was given.

    The call that failed is one of a `tool` or of a `model`.
    `detail` goes with the verdict, `replay_detail` says why the replay cannot count; `notes`
    are remarks on control and replay that take nothing from them.
    """

    case: str
    tool: str | None
    model: str | None = None
    fault: str
    occurrence: int
    turn: int | None = None
    duration: Literal["once", "always"] | int = "once"
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
    replay_detail: str | None = None
    notes: list[str] = Field(default_factory=empty_list)
    stored: bool = False


class ReplayList(Report):
    """Several faults of a case, replayed: those that are declared, or every one at a call."""

    case: str
    replays: list[ReplayReport]


class CheckpointLine(Report):
    """A call of a tool or a model from which a case can be replayed, and the faults declared there.

    `state_kept` is whether the sandbox was recorded just before it; else a replay begins at an
    earlier state.
    """

    step: int
    tool: str | None
    model: str | None = None
    occurrence: int
    turn: int | None
    arguments: Json
    state_kept: bool
    faults: list[str]


class CheckpointList(Report):
    """The calls from which a case can be replayed."""

    run: int
    case: str
    method: Literal["manual", "recorded"]
    checkpoints: list[CheckpointLine]


class JudgementLine(Report):
    """What a model said of one message, and the outcome that is read from it."""

    case: str
    digest: str
    message: str
    raw: str
    outcome: str


class JudgeReport(Report):
    """What a model was asked of the claims of a metric, and where its answers are kept."""

    metric: str
    written_to: str
    judged: list[JudgementLine]


class PairReport(Report):
    """A metamorphic copy beside its source; `identity` changes no text."""

    transform: str
    source: str
    copy_id: str
    field: str | None
    source_text: str | None
    copy_text: str | None
    verdicts: list[VerdictReport] = Field(default_factory=empty_list)


class TurnCheck(Report):
    """What one check compared after one turn."""

    metric: str
    passed: bool
    compared: list[ComparedPath]


class TurnReport(Report):
    """One turn of a conversation: what was said and done in it, and what it changed."""

    turn: int
    message: str
    reached: bool
    has_reply: bool
    reply: Json = None
    steps: list[Json]
    world_changes: list[Change]
    active_changes: list[Change]
    checks: list[TurnCheck]


class ScoreReport(Report):
    """One dimension of the scorecard: 1, 0, or null where nobody measured it.

    `locus` says of a failure whether it lay in interpretation, memory, planning or execution.
    """

    dimension: str
    score: Literal[0, 1] | None
    hard: bool
    locus: str | None = None
    detail: str | None = None
    reason: str | None = None


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
    turns: list[TurnReport] = Field(default_factory=empty_list)
    scorecard: list[ScoreReport] = Field(default_factory=empty_list)


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
