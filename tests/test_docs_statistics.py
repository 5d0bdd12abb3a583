"""The numbers that the explanation of the statistics gives are those that come out."""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from itertools import product
from typing import Any

import numpy as np
from docs_pages import ROOT
from scipy import special

from oloproof.statistics.intervals import (
    ClusterSize,
    clopper_pearson,
    effective_clusters,
    gaffke,
)
from oloproof.statistics.power import cases_to_reach
from oloproof.statistics.tally import ClusterCount

COVERAGE = ROOT / "tests" / "statistics" / "statistics_coverage.py"
DECISION = ROOT / "docs" / "decisions" / "0014-clusters-are-decided-for-any-distribution.md"
STATISTICS = (ROOT / "docs" / "explanation" / "statistics.md").read_text()


def told(*bounds: float) -> str:
    return " to ".join(f"{bound:.3f}" if bound not in (0, 1) else f"{bound:g}" for bound in bounds)


def test_intervals_in_statistics() -> None:
    """The intervals of the explanation are those that the program computes."""
    rows = re.findall(r"^\| (\d+) of (\d+) \| (.*) \|$", STATISTICS, re.MULTILINE)
    single = [row for row in rows if row[1] != "48"]
    assert 7 == len(single)
    for passed, observed, shown in single:
        assert told(*clopper_pearson(int(passed), int(observed), 0.95)) == shown
    twos = {
        "48 of 48": {ClusterSize(2, 2): 24},
        "46 of 48, one failure in each of two clusters": {
            ClusterSize(2, 2): 22,
            ClusterSize(2, 1): 2,
        },
        "46 of 48, both failures in one cluster": {ClusterSize(2, 2): 23, ClusterSize(2, 0): 1},
        "32 of 48, both of a cluster always alike": {
            ClusterSize(2, 2): 16,
            ClusterSize(2, 0): 8,
        },
    }
    for head, clusters in twos.items():
        assert f"| {head} | {told(*gaffke(clusters, 0.95))} |" in STATISTICS
    assert f"clusters of one | {told(*clopper_pearson(32, 48, 0.95))} |" in STATISTICS


def test_rows_of_the_decision() -> None:
    """Rows of the decision on clusters are those that the script of its numbers prints."""
    spec = importlib.util.spec_from_file_location("statistics_coverage", COVERAGE)
    assert spec is not None
    assert spec.loader is not None
    coverage = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = coverage  # where its dataclasses look for themselves
    spec.loader.exec_module(coverage)
    page = DECISION.read_text()
    assert f"{coverage.error_row('20 of 2', *coverage.exact_errors(20, 2))}\n" in page
    row = " | ".join(f"{100 * one:.0f} %" for one in coverage.power_row(40, 3, 0.85, 0.5))
    assert f"| 40 of 3 | 0.85 | 0.5 | {row} |\n" in page
    assert f"{coverage.DRAWS:,} samples" in page


def test_numbers_told_in_statistics() -> None:
    """What the sentences say of unseen clusters, of unequal ones and of 48 cases comes out."""
    assert "even if 14 % of all clusters" in STATISTICS
    assert 14 == round(100 * (1 - 0.025 ** (1 / 24)))
    assert "five of 20 are worth 9" in STATISTICS
    unequal = {ClusterCount(1, 1, 0): 35, ClusterCount(20, 20, 0): 5}
    assert 9 == round(effective_clusters(unequal))
    assert "a rate of 0.6, whose mean over clusters would be 0.97" in STATISTICS
    assert (0.6, 0.97) == (30 / 50, round(30 / 31, 2))
    assert "48 cases may still turn out better or worse than 44 of 48" in STATISTICS
    assert 48 == cases_to_reach(passed=22, observed=24, minimum=0.8, level=0.95).cases


def test_bootstrap_in_statistics() -> None:
    """A percentile bootstrap errs as often as the explanation says, and our bound does not.

    Both are summed exactly over all outcomes of 24 clusters of 3 with a correlation of 0.5;
    the bootstrap's distribution of sums is the 24-fold convolution of the observed one.
    """
    count = 24
    some = [c for c in product(range(count + 1), repeat=3) if sum(c) <= count]
    outcomes = [(*c, count - sum(c)) for c in some]
    ours = [
        gaffke({ClusterSize(3, k): n for k, n in enumerate(o) if n}, 0.95).low for o in outcomes
    ]
    lows = [_percentile(np.array(o) / count, count) for o in outcomes]
    factorials = [math.lgamma(n + 1) for n in range(count + 1)]
    for rate in (0.8, 0.85, 0.9, 0.95):
        chances = [
            math.comb(3, k)
            * special.beta(rate + k, 1 - rate + 3 - k)
            / special.beta(rate, 1 - rate)
            for k in range(4)
        ]
        weights = [
            math.exp(
                factorials[count]
                + sum(n * math.log(p) - factorials[n] for n, p in zip(o, chances, strict=True))
            )
            for o in outcomes
        ]
        errors = [
            sum(w for w, low in zip(weights, bounds, strict=True) if low > rate + 1e-12)
            for bounds in (lows, ours)
        ]
        cells = " | ".join(f"{100 * error:.1f} %" for error in errors)
        assert f"| {rate:.2f} | {cells} |" in STATISTICS


def _percentile(shares: Any, count: int) -> float:
    """The lower end of a percentile bootstrap at 95 %, over all resamples of the clusters."""
    sums = np.array([1.0])
    for _ in range(count):
        sums = np.convolve(sums, shares)
    return float(np.searchsorted(np.cumsum(sums), 0.025 - 1e-12)) / (3 * count)
