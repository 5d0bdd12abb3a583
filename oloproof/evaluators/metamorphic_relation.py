"""`metamorphic_relation`: a changed copy of a request is treated as its source was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.errors import suggest
from oloproof.evaluation.calls import calls
from oloproof.evaluation.completion import broken_off, output_failure
from oloproof.evaluation.contract import (
    CaseCheck,
    OptionError,
    failed,
    missing,
    passed,
)
from oloproof.evaluation.state_options import ComparisonOptions
from oloproof.evaluation.wording import tell_difference
from oloproof.paths import MISSING, Absent

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Setting, Verdict
    from oloproof.evaluation.states import StateComparison
    from oloproof.records.evidence import CaseEvidence

Relation = Literal["same_output", "same_actions", "same_state"]


class Options(ComparisonOptions):
    """What is compared, between which copies and their sources, and what does not count."""

    relation: Relation
    transform: str


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line; a transform that is not declared is refused."""
    if options.transform not in setting.transforms:
        raise OptionError(
            "transform",
            f"no transform is named `{options.transform}`",
            mend=suggest(options.transform, setting.transforms)
            if setting.transforms
            else "declare it under `metamorphic.transforms`",
        )
    metric = options.criterion or f"{options.relation}_under_{options.transform}"
    return [MetamorphicRelation(metric, options.relation, options.transform, options.comparison())]


@dataclass(frozen=True, slots=True)
class MetamorphicRelation(CaseCheck):
    """One relation, judged on the copies that one transform makes.

    `same_output`: equal outputs. `same_actions`: the same tools called with equal arguments
    in the same order. `same_state`: equal worlds afterwards. What is equal, `comparison` says.
    """

    relation: Relation
    of: str
    comparison: StateComparison

    @property
    def transform(self) -> str | None:
        """The transform whose copies it judges."""
        return self.of

    @property
    def of_output(self) -> bool:
        """Whether outputs are compared."""
        return self.relation == "same_output"

    def evaluate(self, context: Context) -> Verdict:
        """Missing where the source broke off, or where either side lacks what is compared.

        A copy that broke off while its source did not fails, with how it ended as the cause.
        """
        if context.source is None:
            return missing("no_source", detail="the source of this copy was not run")
        if (unfinished := broken_off(context.source)) is not None:
            return missing("source_did_not_complete", detail=unfinished.detail)
        if (failure := broken_off(context)) is not None:
            return failure
        expected = self._compared(context.source.evidence)
        if isinstance(expected, Absent):
            return missing(f"source_without_{self._kind}", detail=_why(context.source.evidence))
        actual = self._compared(context.evidence)
        if isinstance(actual, Absent):
            failure = output_failure(context) if self.relation == "same_output" else None
            return failure or missing(f"no_recorded_{self._kind}", detail=_why(context.evidence))
        initial, kept = context.case.initial_state, context.bookkeeping
        if self.relation != "same_state":
            kept = NO_BOOKKEEPING
        compared = self.comparison.compare(expected, actual, initial, kept)
        if all(place.passed for place in compared):
            return passed(compared=compared)
        whole = {"same_output": "the output", "same_state": "the state"}.get(
            self.relation, "the list of calls"
        )
        return failed(detail=tell_difference(compared, whole), compared=compared)

    @property
    def _kind(self) -> str:
        return {"same_output": "output", "same_actions": "trajectory", "same_state": "state"}[
            self.relation
        ]

    def _compared(self, evidence: CaseEvidence) -> JsonValue | Absent:
        match self.relation:
            case "same_output":
                return evidence.output
            case "same_state":
                return evidence.state
            case "same_actions":
                return _actions(evidence)


def _actions(evidence: CaseEvidence) -> JsonValue | Absent:
    if evidence.trajectory is None:
        return MISSING
    made: list[JsonValue] = [
        {"tool": call.tool, "arguments": call.arguments} for call in calls(evidence.steps)
    ]
    return {"calls": made}


def _why(evidence: CaseEvidence) -> str | None:
    return evidence.outcome.error or evidence.trajectory_problem or evidence.world_problem
