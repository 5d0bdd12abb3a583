"""How many cases would settle a rule, if the observed rate went on, and with what chance.

That at least k of n independent cases pass, each with probability x, has the probability
I_x(k, n - k + 1), the regularised incomplete beta function, for 1 <= k <= n and 0 <= x <= 1.
Source: NIST Digital Library of Mathematical Functions, 8.17.5.

In all of it 0 <= `passed` <= `observed`, `observed` >= 1 and 0 < `level` < 1; rates and
chances are between 0 and 1.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.statistics.beta import incomplete_beta

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CASES: Final = 1_000_000
"""Beyond this the answer is only that more would be needed."""


class CasesNeeded(NamedTuple):
    """A number of cases; with `beyond`, it is `MOST_CASES` and more are needed."""

    cases: int
    beyond: bool = False


def cases_to_reach(
    *, passed: int, observed: int, minimum: float, level: float
) -> CasesNeeded | None:
    """The smallest number of cases whose lower bound reaches `minimum`, or None for none.

    Of n cases, each a cluster of its own with nothing missing, floor(n * passed / observed)
    are taken to pass, in whole numbers: the same rate, rounded against the claim. Because of
    this rounding the bound goes up and down: it rises with every pass and falls with every
    failure, so one case more than the answer can be undecided again.
    None where the observed rate is not above `minimum`, for then no number would do.
    """
    if minimum <= 0:
        return CasesNeeded(1)
    if passed / observed <= minimum:
        return None
    return _smallest(passed, observed, minimum, (1 - level) / 2)


def cases_to_stay_below(
    *, passed: int, observed: int, maximum: float, level: float
) -> CasesNeeded | None:
    """The smallest number of cases whose upper bound is at most `maximum`, or None for none.

    As `cases_to_reach`, with ceil(n * passed / observed) passes.
    """
    if maximum >= 1:
        return CasesNeeded(1)
    if passed / observed >= maximum:
        return None
    return _smallest(observed - passed, observed, 1 - maximum, (1 - level) / 2)


def chance_to_reach(
    *, cases: int, passed: int, observed: int, minimum: float, level: float
) -> float:
    """How likely the lower bound of `cases` new cases reaches `minimum` at the observed rate."""
    half = (1 - level) / 2
    enough = _first(
        lambda share: incomplete_beta(minimum, share, cases - share + 1) <= half, 1, cases
    )
    if enough is None:
        return 0.0
    return incomplete_beta(passed / observed, enough, cases - enough + 1)


def cases_for_chance(
    *, chance: float, passed: int, observed: int, minimum: float, level: float
) -> CasesNeeded:
    """The smallest number of cases whose lower bound reaches `minimum` with such a chance.

    Of a rate above `minimum`, for at others there is none. The chance goes up
    and down: it leaps where one more failure is allowed and falls from there, so only these
    numbers are tried.
    """
    rate, half = passed / observed, (1 - level) / 2

    def clears(failures: int, cases: float) -> bool:
        return incomplete_beta(minimum, cases - failures, failures + 1) <= half

    def likely_unrounded(failures: int) -> bool:
        low, high = float(failures), 2.0 * MOST_CASES
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if clears(failures, middle) else (middle, high)
        return incomplete_beta(rate, high - failures, failures + 1) >= chance

    # Without rounding the chance rises with every failure that is allowed: start there.
    failures = _first(likely_unrounded, 0, MOST_CASES)
    while failures is not None:
        cases = _first(partial(clears, failures), failures + 1, MOST_CASES)
        if cases is None:
            break
        if incomplete_beta(rate, cases - failures, failures + 1) >= chance:
            return CasesNeeded(cases)
        failures += 1
    return CasesNeeded(MOST_CASES, beyond=True)


def _smallest(wanted: int, observed: int, bar: float, half: float) -> CasesNeeded | None:
    """The smallest n at which floor(n * wanted / observed) of n bound their rate above `bar`."""

    def clears(cases: int) -> bool:
        # The lower bound is at least `bar` exactly if so many are this improbable at `bar`.
        share = cases * wanted // observed
        return share > 0 and incomplete_beta(bar, share, cases - share + 1) <= half

    def clears_unrounded(cases: int) -> bool:
        share = cases * wanted / observed
        return incomplete_beta(bar, share, cases - share + 1) <= half

    # Without rounding the bound only rises with n, and rounding only lowers it: start there.
    first = _first(clears_unrounded, 1, MOST_CASES)
    lost = observed - wanted
    while first is not None:
        if not lost:
            return CasesNeeded(first)
        # From `first` to `last` the failures stay the same, and the bound rises: bisect there.
        last = min((first - first * wanted // observed) * observed // lost, MOST_CASES)
        if found := _first(clears, first, last):
            return CasesNeeded(found)
        first = last + 1 if last < MOST_CASES else None
    return CasesNeeded(MOST_CASES, beyond=True)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The smallest number from `low` to `high` for which `holds`, once it does so for good."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
