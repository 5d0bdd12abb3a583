"""What is reported: the shapes behind every `--json` and every screen.

Rates and interval bounds are fractions from 0 to 1; durations are in seconds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from oloproof.records.trajectory import Json

DecisionStatus = Literal["PASS", "FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]
GateStatus = Literal["ALLOW", "WARN", "BLOCK"]
RunStatus = Literal["running", "complete", "interrupted", "failed"]


class Report(BaseModel):
    """A frozen part of a report."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,  # a command shows one or two of these shapes
        # Every field is written, so a schema may promise that it is there.
        json_schema_serialization_defaults_required=True,
    )


class Interval(Report):
    """A two-sided confidence interval for a pass rate, at confidence `level`."""

    low: float
    high: float
    level: float
    method: Literal["clopper_pearson", "korn_graubard", "clopper_pearson_clusters"]


class MetricReport(Report):
    """One metric: what was observed, what is missing, what was excluded, and why."""

    metric: str
    passed: int
    observed: int
    clusters: int
    rate: float | None
    missing: dict[str, int] = Field(default_factory=dict)
    excluded: dict[str, int] = Field(default_factory=dict)
    passes: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, int] = Field(default_factory=dict)
    interval: Interval | None = None
    no_interval: str | None = None


class ValidityReport(Report):
    """What people's labels say of one transform: does it keep the meaning of a request?"""

    transform: str
    pairs: int
    labelled: int
    kept: int
    lower_bound: float | None
    minimum: float
    valid: bool
    strays: int = 0
    labellers: list[str] = Field(default_factory=list)


class DecisionReport(Report):
    """One rule decided. `reason` is a stable word, `detail` says it in a sentence."""

    rule: str
    metric: str
    requirement: str
    status: DecisionStatus
    reason: str
    detail: str


class GateReport(Report):
    """The gate: its verdict, the exit code that says it, and each rule's decision."""

    verdict: GateStatus
    exit_code: int
    policy: str
    decisions: list[DecisionReport]
    notes: list[str] = Field(default_factory=list)


class SliceCell(Report):
    """One metric within one range of a slice."""

    metric: str
    passed: int
    observed: int
    rate: float | None


class SliceReport(Report):
    """One range of a slice; its rates are descriptive and decide nothing."""

    slice: str
    range: str
    cases: int
    supported: bool
    cells: list[SliceCell]


class ReuseReport(Report):
    """How many results came from which earlier run."""

    run: int
    cases: int
    replays: int = 0


class RunReport(Report):
    """One run and what was decided on it (`gate` is null where no policy was given).

    `cases` are the source cases that were finished, of the `asked` ones in the dataset.
    """

    run: int
    project: str
    system: str
    version: str
    status: RunStatus
    started_at: str
    duration_s: float
    asked: int
    cases: int
    copies: int
    executed: int
    replayed: int
    reused: list[ReuseReport] = Field(default_factory=list)
    outcomes: dict[str, int] = Field(default_factory=dict)
    metrics: list[MetricReport] = Field(default_factory=list)
    validity: list[ValidityReport] = Field(default_factory=list)
    slices: list[SliceReport] = Field(default_factory=list)
    notices: list[str] = Field(default_factory=list)
    gate: GateReport | None = None


class RunLine(Report):
    """One run in the list of runs."""

    run: int
    started_at: str
    status: RunStatus
    system: str
    version: str
    cases: int
    executed: int
    verdict: GateStatus | None = None


class Change(Report):
    """One difference between two JSON values, at a path."""

    kind: Literal["added", "removed", "changed"]
    path: str
    before: Json = None
    after: Json = None


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
    compared: list[ComparedPath] = Field(default_factory=list)


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
    state_changes: list[Change] = Field(default_factory=list)
    verdict: str | None = None
    label: str | None = None
    reason: str | None = None
    detail: str | None = None
    stored: bool = False


class PairReport(Report):
    """A metamorphic copy beside its source."""

    transform: str
    source: str
    copy_id: str
    field: str
    source_text: str
    copy_text: str
    verdicts: list[VerdictReport] = Field(default_factory=list)


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
    attempts: list[OutcomeReport] = Field(default_factory=list)
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


class RunList(Report):
    """The runs in the store, newest first."""

    runs: list[RunLine]


class CacheRun(Report):
    """One run in the store, with the results that it made itself and the size of their evidence.

    `cases` is null where what it counted is damaged.
    """

    run: int
    started_at: str
    status: RunStatus
    cases: int | None
    results: int
    size_bytes: int


class CacheFile(Report):
    """A file beside the store."""

    name: str
    size_bytes: int


class CacheList(Report):
    """What the store holds, its runs newest first; nothing of it was checked.

    `size_bytes` is the size on disk, `unused_bytes` the part of it that is free. The
    `journals` are taken over by the next run, the stores `set_aside` could not be read.
    """

    path: str
    size_bytes: int
    unused_bytes: int
    objects: int
    results: int
    runs: list[CacheRun]
    journals: list[CacheFile]
    set_aside: list[CacheFile]


class CheckedKind(Report):
    """How many there are of a kind, and how many of them are damaged or missing."""

    kind: Literal[
        "run",
        "manifest",
        "summary",
        "rows",
        "pairs",
        "case",
        "state",
        "evidence",
        "replay",
        "result",
        "note",
        "unreferenced",
    ]
    checked: int
    damaged: int
    missing: int


class CacheCheck(Report):
    """Whether the store is whole: every object, and all that refers to one.

    `problems` are those of the file itself, `runs` those of which something is not whole, and
    `made_anew` says in sentences what becomes of it.
    """

    path: str
    whole: bool
    objects: int
    kinds: list[CheckedKind]
    runs: list[int]
    problems: list[str]
    made_anew: list[str]


class CachePrune(Report):
    """What was dropped, or with `dry_run` would be.

    `kept_beyond` are older runs that tried failed cases again and on whose results kept ones
    rest. `object_bytes` is as stored; `not_smaller` says why the file could not be made
    smaller, and is null where it could.
    """

    path: str
    dry_run: bool
    kept: list[int]
    kept_beyond: list[int]
    dropped: list[int]
    results: int
    objects: int
    object_bytes: int
    size_before_bytes: int
    size_after_bytes: int
    not_smaller: str | None


class CacheExport(Report):
    """What was written to a file; `digest` stands for all of it.

    `added` are runs that tried failed cases again and on whose results the others rest,
    `left_out` runs that are damaged, `running` those that had not ended. `whole` is false
    where a run was left out or the evidence of `lost_results` is damaged.
    """

    file: str
    digest: str
    whole: bool
    size_bytes: int
    runs: list[int]
    added: list[int]
    left_out: list[int]
    running: list[int]
    results: int
    lost_results: int
    objects: int


class ImportedRun(Report):
    """One run of an export: its number there, its number here, and what became of it."""

    run_there: int
    run: int | None
    status: Literal["taken", "there", "refused"]
    reason: str | None = None


class CacheImport(Report):
    """What was taken from a file. `whole` is false where part of it was damaged.

    `results_there` were known already and stay as they are; `results_refused` were recorded
    with other modules than the same results here.
    """

    file: str
    digest: str
    whole: bool
    runs: list[ImportedRun]
    results: int
    results_there: int
    results_refused: int
    lost_results: int
    objects: int
    lost_objects: int


class InitReport(Report):
    """What `init` wrote, and what to do next."""

    path: str
    written: list[str]
    next_steps: list[str]


class ReplayList(Report):
    """Every declared fault of a case, replayed."""

    case: str
    replays: list[ReplayReport]


class ExampleLine(Report):
    """One example that `init` can lay out."""

    name: str
    description: str


class ExampleList(Report):
    """The examples that `init` can lay out."""

    examples: list[ExampleLine]


class ErrorDetail(Report):
    """What went wrong, where, how to mend it, and the exit code that says so."""

    what: str
    where: str | None
    mend: str | None
    exit_code: int


class ErrorReport(Report):
    """What a command gives in place of its report when it could not make one."""

    error: ErrorDetail
