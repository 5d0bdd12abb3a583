"""How the suite compares the world of each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.evaluation.chosen import fits_any
from oloproof.evaluation.states import EXACT

if TYPE_CHECKING:
    from oloproof.evaluation.states import Mode, StateComparison
    from oloproof.suites.case import Case


class ExpectedStates(NamedTuple):
    """The comparisons of the suite's `state_matches` lines, with the patterns of their cases.

    None stands for all cases.
    """

    lines: tuple[tuple[tuple[str, ...] | None, StateComparison], ...] = ()

    def of(self, case: Case) -> StateComparison:
        """How the first line that is for a case compares; exactly where none is."""
        for patterns, comparison in self.lines:
            if patterns is None or fits_any(patterns, case):
                return comparison
        return EXACT

    def in_mode(self, mode: Mode) -> ExpectedStates:
        """The same in another mode; `ConfigurationError` where that lacks what it needs."""
        lines = self.lines or ((None, EXACT),)
        return ExpectedStates(tuple((of, compared.in_mode(mode)) for of, compared in lines))

    @property
    def alternatives(self) -> frozenset[str]:
        """The fields of `expected` that list further accepted states."""
        return frozenset({EXACT.alternatives, *(one.alternatives for _, one in self.lines)})
