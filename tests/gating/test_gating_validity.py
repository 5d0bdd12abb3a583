from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.gating.validity import kept_needed, pairs_needed, validity_report
from oloproof.metamorphic.pairs import ValidityCount
from oloproof.statistics.power import CasesNeeded

if TYPE_CHECKING:
    from oloproof.records.report import ValidityReport


def report(pairs: int, labelled: int, kept: int, minimum: float = 0.85) -> ValidityReport:
    return validity_report(ValidityCount("injected", pairs, labelled, kept), minimum=minimum)


def test_design_numbers() -> None:
    """24 of 24 kept is valid at 0.85 with a bound of 0.8575; 23 of 24, at 0.789, is not."""
    whole, less_one = report(24, 24, 24), report(24, 24, 23)
    assert whole.valid
    assert whole.lower_bound == pytest.approx(0.8575, abs=5e-5)
    assert not less_one.valid
    assert less_one.lower_bound == pytest.approx(0.789, abs=5e-4)


def test_unlabelled_counts_as_not_kept() -> None:
    """The bound is over all pairs, not over those that somebody labelled."""
    assert report(24, 23, 23).lower_bound == report(24, 24, 23).lower_bound


def test_without_pairs() -> None:
    """Without pairs there is neither a bound nor validity."""
    none = report(0, 0, 0, minimum=0)
    assert none.lower_bound is None
    assert not none.valid


def test_nothing_kept_is_never_valid() -> None:
    """Not even a minimum of 0 makes a transform valid that nobody looked at."""
    assert not report(24, 0, 0, minimum=0).valid
    assert kept_needed(24, 0) == 1


def test_everything_is_told() -> None:
    """Strays, unsigned lines, labellers and the file that is not there stand in the report."""
    count = ValidityCount("injected", 2, 1, 1, unmatched=3, unsigned=4, labellers=("ann", "zoe"))
    full = validity_report(count, minimum=0.5, absent="labels/x.jsonl")
    told = (full.unmatched, full.unsigned, full.labellers, full.absent)
    assert (3, 4, ["ann", "zoe"], "labels/x.jsonl") == told


def test_counts_must_nest() -> None:
    """More kept than labelled is an error of ours, and loud."""
    with pytest.raises(AssertionError):
        report(24, 3, 4)


@given(pairs=st.integers(1, 60), minimum=st.floats(0, 1))
def test_kept_needed_is_the_fewest(pairs: int, minimum: float) -> None:
    """The number needed makes the transform valid, and one fewer does not."""
    valid = [kept for kept in range(pairs + 1) if report(pairs, pairs, kept, minimum).valid]
    assert kept_needed(pairs, minimum) == (valid[0] if valid else None)


@given(minimum=st.floats(0.01, 0.99))
def test_pairs_needed_is_the_fewest(minimum: float) -> None:
    """So many pairs, all kept, are valid, and one fewer are not."""
    needed = pairs_needed(minimum)
    assert needed is not None
    most, fewer = needed.cases, needed.cases - 1
    assert report(most, most, most, minimum).valid
    assert not report(fewer, fewer, fewer, minimum).valid


def test_no_number_of_pairs() -> None:
    """No labels can show that every request keeps its meaning."""
    assert pairs_needed(1.0) is None
    assert kept_needed(24, 1.0) is None
    assert CasesNeeded(23) == pairs_needed(0.85)
