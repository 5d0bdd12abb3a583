"""Verdicts counted group by group, equal groups together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.engine.counts import Judged, VerdictCounts
from oloproof.engine.groups import Known, Unit
from oloproof.records.case import Case
from oloproof.statistics.tally import Tally
from oloproof.suites.slices import parse_slice

METRICS = ["outcome", "world"]
SLICES = [parse_slice("tool_calls:1,2"), parse_slice("metadata.kind")]

codes = st.sampled_from(["p", "p:recovered", "f", "m:no_trajectory", "n:no_expected_state"])
judged = st.builds(
    Judged,
    codes=st.tuples(codes, codes),
    places=st.tuples(st.sampled_from(["<=1", "2", None]), st.sampled_from(["a", None])),
    is_case=st.booleans(),
)
clusters = st.none() | st.sampled_from(["c-1", "c-2"])
groups = st.lists(st.tuples(clusters, st.lists(judged, min_size=1, max_size=3).map(tuple)))


def count(drawn: list[tuple[str | None, tuple[Judged, ...]]], *, fold_each: bool) -> Any:
    counts = VerdictCounts(METRICS, SLICES)
    for cluster, group in drawn:
        counts.add(cluster, group)
        if fold_each:
            counts.fold()
    return counts.tallies_json(), counts.slices_json()


@given(groups)
def test_equal_groups_count_as_often_as_they_come(
    drawn: list[tuple[str | None, tuple[Judged, ...]]],
) -> None:
    """Counting equal groups together is counting each by itself."""
    repeated = [*drawn, *drawn[::2], *drawn[::3]]
    together = count(repeated, fold_each=False)
    assert count(repeated, fold_each=True) == together
    for position, metric in enumerate(METRICS):
        tally = Tally()
        for cluster, group in repeated:
            tally.add(cluster, [unit.codes[position] for unit in group])
        assert tally.to_json() == together[0][metric]


def test_a_range_counts_cases_once_and_verdicts_each_time() -> None:
    """A range holds its cases, and the passes among the observed verdicts of each metric."""
    source = Judged(("p", "n"), ("2", "late"), True)
    copy = Judged(("f", "p"), ("2", "late"), False)
    _, (calls, kinds) = count([(None, (source, copy)), (None, (source, copy))], fold_each=False)
    assert ["<=1", "2", ">=3"] == [place["range"] for place in calls["ranges"]]
    assert {
        "range": "2",
        "cases": 2,
        "cells": {"outcome": [2, 4], "world": [2, 2]},
    } == calls["ranges"][1]
    assert ["late"] == [place["range"] for place in kinds["ranges"]]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["tool_call", "tool_result", "final"], ("<=1", "a")),
        (["tool_call", "tool_result"] * 3, (">=3", "a")),
        ([], (None, "a")),
    ],
)
def test_a_source_is_placed_by_its_steps(
    steps: list[str], expected: tuple[str | None, ...]
) -> None:
    """Its tool calls and its length say the range; without a trajectory there is none."""
    evidence = {"agent_trajectory/v1": {"steps": [{"kind": kind} for kind in steps]}}
    case = Case(id="c", input={}, metadata={"kind": "a"})
    unit = Unit(case, 1, b"", (), evidence=Known(b"", evidence))
    assert expected == VerdictCounts(METRICS, SLICES).places(unit)
