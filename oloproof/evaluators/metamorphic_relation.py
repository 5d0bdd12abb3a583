"""`metamorphic_relation`: a changed copy of a request is treated as its source was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.errors import suggest
from oloproof.evaluation.calls import calls
from oloproof.evaluation.comparing.differences import tell_difference
from oloproof.evaluation.completion import broken_off, output_failure, settled
from oloproof.evaluation.contract import CaseCheck, failed, missing, passed
from oloproof.evaluation.options import OptionError
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.evaluation.states.options import ComparisonOptions
from oloproof.paths import MISSING, Absent
from oloproof.records.case import IDENTITY

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting
    from oloproof.records.evidence import CaseEvidence

NOT_ATTRIBUTABLE: Final = "not_attributable"
"""Why a pair says nothing whose source differs from its own unchanged repeat."""

Relation = Literal["same_output", "same_actions", "same_state"]


class Options(ComparisonOptions):
    """What is compared, between which copies and their sources, and what does not count."""

    relation: Relation
    transform: str


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The relation of a line and its baseline; a transform that is not declared is refused."""
    if options.transform not in (*setting.transforms, IDENTITY):
        raise OptionError(
            "transform",
            f"no transform is named `{options.transform}`",
            fix=suggest(options.transform, setting.transforms)
            if setting.transforms
            else "declare it under `metamorphic.transforms`",
        )
    metric = options.criterion or f"{options.relation}_under_{options.transform}"
    compared = options.comparison()
    relation = MetamorphicRelation(metric, options.relation, options.transform, compared)
    if not setting.with_baselines or options.transform == IDENTITY:
        return [relation]
    # What is compared alike has one baseline.
    plain = compared == StateComparison() and options.cases is None
    base = f"{options.relation if plain else metric}_under_{IDENTITY}"
    return [relation, replace(relation, metric=base, of=IDENTITY)]


@dataclass(frozen=True, slots=True)
class MetamorphicRelation(CaseCheck):
    """One relation, judged on the copies that one transform makes.

    `same_output`: equal outputs. `same_actions`: the same tools called with equal arguments
    in the same order. `same_state`: equal worlds afterwards. What is equal, `comparison` says.
    Under `identity`, which changes nothing, it is the baseline of the same relation elsewhere.
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

        So it is where the source and its unchanged repeat differ: the change explains nothing
        then. A copy that broke off while its source did not fails, with how it ended as the cause.
        """
        if context.source is None:
            return missing("no_source", detail="the source of this copy was not run")
        if (unfinished := broken_off(context.source)) is not None:
            return missing("source_did_not_complete", detail=unfinished.detail)
        expected = self._compared(context.source.evidence)
        if (unlike := self._unlike_itself(expected, context)) is not None:
            return unlike
        if isinstance(expected, Absent):
            lacking = missing(f"source_without_{self._kind}", detail=_why(context.source.evidence))
            return broken_off(context) or lacking
        return self._beside(expected, context)

    def _unlike_itself(self, expected: JsonValue | Absent, context: Context) -> Verdict | None:
        """Missing where the unchanged repeat of the source differs from it, or is not known."""
        repeat = context.baseline
        if repeat is None:
            return None
        if isinstance(expected, Absent):
            repeated = broken_off(repeat)
        else:
            repeated = settled(self._beside(expected, repeat), repeat, of_output=self.of_output)
        if repeated is None or repeated.status == "pass":
            return None
        detail = f"run again unchanged, the source differs from itself: {repeated.detail}"
        return missing(NOT_ATTRIBUTABLE, detail=detail, compared=repeated.compared)

    def _beside(self, expected: JsonValue, context: Context) -> Verdict:
        """How a run of the copy compares with what is expected of it."""
        if (failure := broken_off(context)) is not None:
            return failure
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
