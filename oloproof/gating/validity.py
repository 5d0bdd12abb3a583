"""Whether people's labels show that a transform keeps the meaning of a request."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from oloproof.records.report import ValidityReport
from oloproof.statistics.intervals import clopper_pearson
from oloproof.statistics.power import CasesNeeded, cases_to_reach

if TYPE_CHECKING:
    from oloproof.metamorphic.pairs import ValidityCount

LEVEL: Final = 0.95
"""The confidence level of label validity; the policy's own level does not change it."""


def validity_report(
    count: ValidityCount, *, minimum: float, absent: str | None = None
) -> ValidityReport:
    """The report on one transform: valid once the lower bound of kept reaches `minimum`.

    The bound is the exact two-sided 95 % one of kept among all pairs: a pair that nobody
    has labelled counts as not kept. Without a kept pair there is no validity, whatever `minimum`.
    `absent` is the file of labels that is not there yet.
    """
    pairs, kept = count.pairs, count.kept
    assert 0 <= kept <= count.labelled <= pairs, "kept are labelled, and labelled are pairs"
    bound = clopper_pearson(kept, pairs, LEVEL).low if pairs else None
    return ValidityReport(
        transform=count.transform,
        pairs=pairs,
        labelled=count.labelled,
        kept=kept,
        lower_bound=bound,
        minimum=minimum,
        valid=bound is not None and kept > 0 and bound >= minimum,
        unmatched=count.unmatched,
        unsigned=count.unsigned,
        labellers=list(count.labellers),
        absent=absent,
    )


def kept_needed(pairs: int, minimum: float) -> int | None:
    """The fewest of `pairs` that must be kept for validity, or None if all would not do."""
    if not pairs:
        return None
    fewest = bisect_left(
        range(1, pairs + 1), minimum, key=lambda kept: clopper_pearson(kept, pairs, LEVEL).low
    )
    return fewest + 1 if fewest < pairs else None


def pairs_needed(minimum: float) -> CasesNeeded | None:
    """The fewest pairs that, all kept, show validity; None where no number does."""
    return cases_to_reach(passed=1, observed=1, minimum=minimum, level=LEVEL)
