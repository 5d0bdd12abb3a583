"""The scorecard of a case: checks grouped into the dimensions that a suite declares.

Each dimension is 1 (all of its checks hold), 0 (one failed) or null (nobody measured it).
There is no overall score. A `hard` dimension at 0 fails the case, whatever the rest says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.evaluation.contract import CaseCheck, failed, missing, not_applicable, passed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.evaluation.contract import Context, Evaluator, Verdict

HARD: Final = "no_hard_failure"
"""The metric that fails with any hard dimension."""


class DimensionSpec(NamedTuple):
    """A dimension as the suite declares it."""

    name: str
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Summary(CaseCheck):
    """What earlier verdicts on the same case come to; `members` are their metrics by position."""

    members: tuple[tuple[int, str], ...]
    hard: bool = False

    def evaluate(self, context: Context) -> Verdict:
        """Nothing by itself: `combine` makes its verdict of those of its members."""
        raise NotImplementedError

    def combine(self, verdicts: Sequence[Verdict]) -> Verdict:
        """A failure counts whatever else is missing, and what is missing before a pass."""
        mine = [(metric, verdicts[position]) for position, metric in self.members]
        for metric, verdict in mine:
            if verdict.status == "fail":
                others = [name for name, other in mine if other.status == "fail" and name != metric]
                further = f" (and {', '.join(others)})" if others else ""
                why = f": {verdict.detail}" if verdict.detail else ""
                return failed(label=verdict.label, detail=f"{metric}{further}{why}")
        for metric, verdict in mine:
            if verdict.status == "missing":
                assert verdict.reason is not None
                return missing(verdict.reason, detail=f"{metric} is missing")
        if any(verdict.status == "pass" for _, verdict in mine):
            return passed()
        return not_applicable("not_measured")


def summaries(
    evaluators: Sequence[Evaluator], dimension_of: Mapping[str, str], specs: Sequence[DimensionSpec]
) -> list[Evaluator]:
    """The dimensions as checks to stand behind the `evaluators`, and that of the hard ones.

    `dimension_of` says to which dimension a metric belongs.
    """
    made: list[Evaluator] = []
    for spec in specs:
        members = tuple(
            (position, evaluator.metric)
            for position, evaluator in enumerate(evaluators)
            if dimension_of.get(evaluator.metric) == spec.name
        )
        made.append(Summary(spec.name, members, spec.hard))
    start = len(evaluators)
    hard = tuple((start + n, spec.name) for n, spec in enumerate(specs) if spec.hard)
    return [*made, Summary(HARD, hard)] if hard else made
