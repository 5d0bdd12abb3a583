"""`state_matches`: the recorded world is the expected one, or one of several accepted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import (
    CaseCheck,
    NamedPlace,
    failed,
    missing,
    not_applicable,
    passed,
)
from oloproof.evaluation.state_options import StateOptions
from oloproof.evaluation.wording import tell_difference
from oloproof.paths import Absent, parse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Setting, Verdict
    from oloproof.evaluation.states import StateComparison, StateMatch
    from oloproof.suites.case import Case

_NO_EXPECTED_STATE: Final = not_applicable("no_expected_state")
_NOTHING_COMPARED: Final = "all that is compared is absent in both states, or ignored"


class Options(StateOptions):
    """How the states are compared."""


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    places = tuple(
        NamedPlace(parse(text), setting.where("paths", position), needed=True)
        for position, text in enumerate(options.paths)
    )
    return [StateMatches(options.criterion or "state_matches", options.comparison(), places)]


@dataclass(frozen=True, slots=True)
class StateMatches(CaseCheck):
    """The world after a case against `expected.state` and its alternatives."""

    comparison: StateComparison
    places: tuple[NamedPlace, ...] = ()

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The compared paths: one that is nowhere compares nothing."""
        return self.places

    def worlds(self, case: Case) -> list[JsonValue]:
        """The accepted states, and the initial one, of which a place may be gone in the end."""
        return [*CaseCheck.worlds(self, case), *self.comparison.accepted_states(case)]

    @property
    def expected_fields(self) -> frozenset[str]:
        """The accepted states."""
        return frozenset({"state", self.comparison.alternatives})

    def check_case(self, case: Case) -> None:
        """Refuses alternatives that are no list."""
        self.comparison.accepted_states(case)

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable without an expected state, missing without a recorded one.

        A match in which nothing was compared is not applicable either, and never a pass.
        """
        accepted = self.comparison.accepted_states(context.case)
        if not accepted:
            return _NO_EXPECTED_STATE
        evidence = context.evidence
        state = evidence.state
        if isinstance(state, Absent):
            return missing(
                "no_recorded_state", detail=evidence.world_problem or evidence.outcome.error
            )
        match = self.comparison.best_match(accepted, state, context.case.initial_state)
        if match.vacuous:
            return not_applicable(
                "nothing_compared", detail=_NOTHING_COMPARED, compared=match.compared
            )
        if match.matched:
            if match.accepted > 1:
                return passed(detail=f"it is {_named(match)}", compared=match.compared)
            return passed(compared=match.compared)
        detail = tell_difference(match.compared, "the state")
        if match.accepted > 1:
            detail = (
                f"none of {match.accepted} accepted states; nearest is {_named(match)}: {detail}"
            )
        return failed(detail=detail, compared=match.compared)


def _named(match: StateMatch) -> str:
    return f"accepted state {match.position + 1} of {match.accepted}"
