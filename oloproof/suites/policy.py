"""`release.yaml`: the rules that decide a gate, read and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from oloproof.records.shapes import empty_list
from oloproof.suites.located import read_document
from oloproof.suites.validation import Fields, FormatVersion, refuse, refuse_repeats, validate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Fraction = Annotated[float, Field(ge=0, le=1)]
_BOUNDS: Final = ("min", "max", "max_failures")
NotPassed = Literal["FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"]
_BLOCKING: Final[tuple[NotPassed, ...]] = get_args(NotPassed)


def _no_pass(given: object, info: ValidationInfo) -> object:
    if given == "PASS":
        raise refuse(
            f"`{info.field_name}` lists PASS, so that success would stop a release",
            fix="list FAIL, INSUFFICIENT_EVIDENCE or MANUAL_REVIEW",
        )
    return given


Stopping = Annotated[NotPassed, BeforeValidator(_no_pass)]


def _all_that_does_not_warn(given: dict[str, Any]) -> list[NotPassed]:
    return [status for status in _BLOCKING if status not in given["warn_on"]]


class Rule(Fields):
    """What one metric must reach.

    `min` and `max` bound a pass rate (fractions from 0 to 1) and are held against its
    confidence interval; `max_failures` is an observed count. `max_missing_fraction` is the
    share of missing verdicts above which the rule cannot pass, `max_excluded_fraction` that of
    cases which the metric does not speak of although it might.
    """

    id: str = Field(min_length=1)
    metric: str = Field(min_length=1)
    min: Fraction | None = None
    max: Fraction | None = None
    max_failures: int | None = Field(default=None, ge=0)
    max_missing_fraction: Fraction | None = None
    max_excluded_fraction: Fraction | None = None
    requires_manual_review: bool = False

    @model_validator(mode="after")
    def _one_bound(self) -> Rule:
        given = [name for name in _BOUNDS if getattr(self, name) is not None]
        if len(given) > 1:
            raise refuse(
                f"rule `{self.id}` gives both `{given[0]}` and `{given[1]}`",
                fix="write one rule for each bound",
                at=(given[1],),
            )
        if not given and not self.requires_manual_review:
            raise refuse(
                f"rule `{self.id}` requires nothing",
                fix="give it one of `min`, `max`, `max_failures`, "
                "or `requires_manual_review: true`",
            )
        return self


class Policy(Fields):
    """The rules of a gate, and how they are decided.

    `confidence_level` is that of the two-sided intervals; `min_clusters` is how many clusters
    of equal size an interval over clusters needs. Without `block_on`, every decision but PASS
    blocks that `warn_on` does not list; what neither lists is shown, and warns.
    """

    version: FormatVersion = 1
    confidence_level: float = Field(default=0.95, gt=0, lt=1)
    allow_approximate_methods: bool = False
    min_clusters: int = Field(default=20, ge=20)
    warn_on: list[Stopping] = Field(default_factory=empty_list)
    block_on: list[Stopping] = Field(default_factory=_all_that_does_not_warn)
    rules: list[Rule] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Policy:
        refuse_repeats("rules", "id", (rule.id for rule in self.rules))
        for position, status in enumerate(self.warn_on):
            if status in self.block_on:
                raise refuse(
                    f"{status} stands in both `block_on` and `warn_on`",
                    fix="keep it in one of the two",
                    at=("warn_on", position),
                )
        return self


class LocatedPolicy(NamedTuple):
    """A policy with the file it came from, the digest of its bytes and the line of each rule."""

    policy: Policy
    path: Path
    lines: Mapping[str, int]
    digest: str


def load_policy(path: Path) -> LocatedPolicy:
    """The policy in the file at `path`; `ConfigurationError` says what is wrong with it."""
    document = read_document(path, "the policy")
    policy = validate(document, Policy)
    return LocatedPolicy(
        policy=policy,
        path=path,
        lines={
            rule.id: document.line_of(("rules", position))
            for position, rule in enumerate(policy.rules)
        },
        digest=document.digest,
    )
