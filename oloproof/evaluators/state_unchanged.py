"""`state_unchanged`: declared places of the world are as they were in the initial state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.evaluation.comparing.differences import tell_difference
from oloproof.evaluation.contract import CaseCheck, NamedPlace, failed, missing, passed
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.evaluation.states.options import KeptOptions, parse_all
from oloproof.evaluation.states.snapshots import places_of
from oloproof.paths import Absent

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting


class Options(KeptOptions):
    """`paths` must not change (without any: the whole world), but for what lies at `except`."""


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    comparison = StateComparison(
        mode="exact" if options.paths is None else "paths",
        paths=parse_all(options.paths or ()),
        ignore=parse_all(options.except_),
    )
    places = places_of(setting, "paths", options.paths or ())
    return [StateUnchanged(options.criterion_or_type, comparison, places)]


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
        initial, kept = context.case.initial_state, context.bookkeeping
        compared = self.comparison.compare(initial, state, initial, kept)
        if all(place.passed for place in compared):
            return passed(compared=compared)
        return failed(detail=tell_difference(compared, "the state"), compared=compared)
