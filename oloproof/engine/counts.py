"""Counts verdicts: by metric and cluster, and by the ranges of slices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.statistics.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.engine.groups import Unit
    from oloproof.statistics.tally import TallyJson
    from oloproof.suites.slices import SliceSpec


class Judged(NamedTuple):
    """One unit as it counts: its verdicts' codes, and its range in each slice.

    `is_case` says whether it stands for its source where cases are counted.
    """

    codes: tuple[str, ...]
    places: tuple[str | None, ...]
    is_case: bool


class VerdictCounts:
    """The verdicts of a run, counted in memory that does not grow.

    Most groups are judged like others before them: equal ones are counted together until
    `fold` spreads them over metrics and ranges.
    """

    def __init__(self, metrics: Sequence[str], slices: Sequence[SliceSpec]) -> None:
        self._metrics = metrics
        self._specs = slices
        self._tallies = {metric: Tally() for metric in metrics}
        self._slices = [SliceCounts(spec) for spec in slices]
        self._waiting: Counter[tuple[str | None, tuple[Judged, ...]]] = Counter()

    def places(self, unit: Unit) -> tuple[str | None, ...]:
        """The range of a source in each slice; its copies share it.

        One that reported no trajectory has no length to be placed by.
        """
        if not self._specs:
            return ()
        steps = unit.steps
        calls = sum([step["kind"] == "tool_call" for step in steps])
        return tuple(
            [
                spec.place(
                    tool_calls=calls if steps else None,
                    trajectory_length=len(steps) if steps else None,
                    metadata=unit.case.metadata,
                )
                for spec in self._specs
            ]
        )

    def add(self, cluster: str | None, group: tuple[Judged, ...]) -> None:
        """Count the units of one group; `cluster` as for `Tally.add`."""
        self._waiting[cluster, group] += 1

    def fold(self) -> None:
        """Spread what waits over metrics and ranges."""
        for (cluster, group), times in self._waiting.items():
            columns = zip(*(unit.codes for unit in group), strict=True)
            for tally, column in zip(self._tallies.values(), columns, strict=True):
                tally.add(cluster, column, times)
            for unit in group:
                for counts, place in zip(self._slices, unit.places, strict=True):
                    if place is not None:
                        counts.add(place, unit, self._metrics, times)
        self._waiting.clear()

    def tallies_json(self) -> dict[str, TallyJson]:
        """The tally of each metric."""
        self.fold()
        return {metric: tally.to_json() for metric, tally in self._tallies.items()}

    def slices_json(self) -> list[dict[str, Any]]:
        """Each slice with the counts of its ranges."""
        self.fold()
        return [counts.to_json(self._metrics) for counts in self._slices]


class SliceCounts:
    """Verdicts on the cases in each range of a slice.

    Replicates may fall into several ranges; the case counts where its first one fell.
    """

    def __init__(self, spec: SliceSpec) -> None:
        self.spec = spec
        self._cases: Counter[str] = Counter()
        self._cells: dict[tuple[str, str], list[int]] = {}

    def add(self, place: str, unit: Judged, metrics: Sequence[str], times: int) -> None:
        """Count the verdicts on so many equal units in one range."""
        if unit.is_case:
            self._cases[place] += times
        for metric, code in zip(metrics, unit.codes, strict=True):
            if code[0] in "pf":
                cell = self._cells.setdefault((place, metric), [0, 0])
                cell[0] += times if code[0] == "p" else 0
                cell[1] += times

    def to_json(self, metrics: Sequence[str]) -> dict[str, Any]:
        """The counts by range and metric, in the order of both."""
        places = self.spec.ranges() or sorted(self._cases)
        return {
            "slice": self.spec.text,
            "ranges": [
                {
                    "range": place,
                    "cases": self._cases[place],
                    "cells": {
                        m: self._cells[place, m] for m in metrics if (place, m) in self._cells
                    },
                }
                for place in places
            ],
        }
