"""`state_unchanged`: declared places of the world are as they were in the initial state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from oloproof.evaluation.contract import (
    CaseCheck,
    EvaluatorOptions,
    NamedPlace,
    failed,
    missing,
    passed,
)
from oloproof.evaluation.state_options import PathText, parse_all
from oloproof.evaluation.states import StateComparison
from oloproof.evaluation.wording import tell_difference
from oloproof.paths import Absent, parse
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Setting, Verdict


class Options(EvaluatorOptions):
    """`paths` must not change (without any: the whole world), but for what lies at `except`."""

    paths: tuple[PathText, ...] | None = Field(default=None, min_length=1)
    except_: tuple[PathText, ...] = Field(default=(), alias="except")

    @model_validator(mode="after")
    def _consistent(self) -> Options:
        allowed = parse_all(self.except_)
        for position, text in enumerate(self.paths or ()):
            if any(path.covers(parse(text)) for path in allowed):
                raise refuse(
                    f"`{text}` must not change, and is allowed to change",
                    mend="leave it out of `paths` or of `except`",
                    at=("paths", position),
                )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    comparison = StateComparison(
        mode="exact" if options.paths is None else "paths",
        paths=parse_all(options.paths or ()),
        ignore=parse_all(options.except_),
    )
    places = tuple(
        NamedPlace(parse(text), setting.where("paths", position))
        for position, text in enumerate(options.paths or ())
    )
    return [StateUnchanged(options.criterion or "state_unchanged", comparison, places)]


@dataclass(frozen=True, slots=True)
class StateUnchanged(CaseCheck):
    """The world after a case against its initial state; absent in both is unchanged."""

    comparison: StateComparison
    places: tuple[NamedPlace, ...] = ()

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The paths that must not change: one that is nowhere is unchanged everywhere."""
        return self.places

    @property
    def needs_initial_state(self) -> bool:
        """True: without it nothing can be said to have changed."""
        return True

    def evaluate(self, context: Context) -> Verdict:
        """Missing without a recorded state."""
        evidence = context.evidence
        state = evidence.state
        if isinstance(state, Absent):
            return missing(
                "no_recorded_state", detail=evidence.world_problem or evidence.outcome.error
            )
        compared = self.comparison.compare(context.case.initial_state, state)
        if all(place.passed for place in compared):
            return passed(compared=compared)
        return failed(detail=tell_difference(compared, "the state"), compared=compared)
