"""What is reported: the shapes behind every `--json` and every screen, here those of a run.

What only other commands show stands in modules of its own: a run need not make those shapes.
Rates and interval bounds are fractions from 0 to 1; durations are in seconds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from oloproof.records.shapes import Json, empty_list, empty_object

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
    method: Literal["clopper_pearson", "gaffke"]


class MetricReport(Report):
    """One metric: what was observed, what is missing, what was excluded, and why.

    `effective_clusters` is how many clusters of equal size the `clusters` are worth, null where
    each has one observation.
    """

    metric: str
    passed: int
    observed: int
    clusters: int
    rate: float | None
    missing: dict[str, int] = Field(default_factory=empty_object)
    excluded: dict[str, int] = Field(default_factory=empty_object)
    passes: dict[str, int] = Field(default_factory=empty_object)
    failures: dict[str, int] = Field(default_factory=empty_object)
    effective_clusters: float | None = None
    interval: Interval | None = None
    no_interval: str | None = None


class ValidityReport(Report):
    """What people's labels say of one transform: does it keep the meaning of a request?

    `strays` are labels that name no pair, `unsigned` lines whose labeller is not named, which
    are no labels; `absent` is the file of labels that is not there yet.
    """

    transform: str
    pairs: int
    labelled: int
    kept: int
    lower_bound: float | None
    minimum: float
    valid: bool
    unmatched: int = 0
    unsigned: int = 0
    labellers: list[str] = Field(default_factory=empty_list)
    absent: str | None = None


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
    notes: list[str] = Field(default_factory=empty_list)


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
    reused: list[ReuseReport] = Field(default_factory=empty_list)
    outcomes: dict[str, int] = Field(default_factory=empty_object)
    metrics: list[MetricReport] = Field(default_factory=empty_list)
    validity: list[ValidityReport] = Field(default_factory=empty_list)
    slices: list[SliceReport] = Field(default_factory=empty_list)
    notices: list[str] = Field(default_factory=empty_list)
    gate: GateReport | None = None


class Change(Report):
    """One difference between two JSON values, at a path."""

    kind: Literal["added", "removed", "changed", "moved"]
    path: str
    moved_from: str | None = None
    before: Json = None
    after: Json = None


class ErrorDetail(Report):
    """What went wrong, where, how to fix it, and the exit code that says so."""

    what: str
    where: str | None
    fix: str | None
    exit_code: int


class ErrorReport(Report):
    """What a command gives in place of its report when it could not make one."""

    error: ErrorDetail
