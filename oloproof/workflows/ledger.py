"""Judges each finished group, counts the verdicts, and writes the rows of the run.

What is held in memory does not grow with the number of cases: verdicts are folded into
tallies, and rows leave for the store in chunks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode
from oloproof.evaluation.judging import judge
from oloproof.metamorphic.pairs import pair_digest
from oloproof.statistics.tally import Tally
from oloproof.workflows.contexts import context_of
from oloproof.workflows.documents import CaseDocuments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.evaluation.contract import Context, Evaluator
    from oloproof.execution.redaction import Redaction
    from oloproof.metamorphic.transforms import Transform
    from oloproof.store.database import Store
    from oloproof.suites.slices import SliceSpec
    from oloproof.workflows.groups import Group, Unit

CHUNK_GROUPS: Final = 500


class SliceCounts:
    """How many cases fell into each range of a slice, and how each metric did there."""

    def __init__(self, spec: SliceSpec) -> None:
        self.spec = spec
        self._cases: Counter[str] = Counter()
        self._cells: dict[tuple[str, str], list[int]] = {}

    def place(self, unit: Unit) -> str | None:
        """The range of a source; one that reported no trajectory has no length to be placed by.

        Replicates may fall into several ranges; the case counts where its first one fell.
        """
        steps = unit.steps
        calls = sum(step["kind"] == "tool_call" for step in steps)
        place = self.spec.place(
            tool_calls=calls if steps else None,
            trajectory_length=len(steps) if steps else None,
            metadata=unit.case.metadata,
        )
        if place is not None and unit.replicate == 1:
            self._cases[place] += 1
        return place

    def add(self, place: str, metrics: Sequence[str], codes: Sequence[str]) -> None:
        """Count the verdicts on a source or on one of its copies, which shares its range."""
        for metric, code in zip(metrics, codes, strict=True):
            if code[0] in "pf":
                cell = self._cells.setdefault((place, metric), [0, 0])
                cell[0] += code[0] == "p"
                cell[1] += 1

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


class Ledger:
    """The verdicts of one run as they come in."""

    def __init__(
        self,
        store: Store,
        run: int,
        *,
        evaluators: Sequence[Evaluator],
        transforms: Sequence[Transform],
        slices: Sequence[SliceSpec],
        redaction: Redaction,
        explicit_clusters: frozenset[str],
    ) -> None:
        self._store = store
        self._run = run
        self._evaluators = evaluators
        self._transforms = {transform.name: transform for transform in transforms}
        self._redaction = redaction
        self._documents = CaseDocuments(store, redaction)
        self._explicit = explicit_clusters
        self._metrics = [evaluator.metric for evaluator in evaluators]
        self._tallies = {metric: Tally() for metric in self._metrics}
        self._slices = [SliceCounts(spec) for spec in slices]
        self._pairs = {transform.name: bytearray() for transform in transforms}
        self._rows: list[Any] = []
        self._chunks = 0
        self.cases = 0
        self.copies = 0
        self.replays = 0
        self.retried = 0
        self.outcomes: Counter[str] = Counter()
        self.reused_cases: Counter[int] = Counter()
        self.reused_replays: Counter[int] = Counter()

    def add(self, group: Group) -> None:
        """Judge a finished group and count it."""
        sources: dict[int, Context] = {}
        places: dict[int, list[str | None]] = {}
        by_metric: list[list[str]] = [[] for _ in self._metrics]
        units = []
        for unit in group.units:
            source = sources.get(unit.replicate) if unit.case.source else None
            context = context_of(unit, source, self._redaction)
            if unit.case.source is None:
                sources[unit.replicate] = context
                places[unit.replicate] = [counts.place(unit) for counts in self._slices]
            codes = [verdict.code for verdict in judge(self._evaluators, context)]
            for column, code in zip(by_metric, codes, strict=True):
                column.append(code)
            for counts, place in zip(self._slices, places[unit.replicate], strict=True):
                if place is not None:
                    counts.add(place, self._metrics, codes)
            units.append(self._unit_row(unit, codes))
        cluster = group.source.cluster_id
        key = cluster if cluster in self._explicit else None
        for metric, column in zip(self._metrics, by_metric, strict=True):
            self._tallies[metric].add(key, column)
        self._count(group)
        self._rows.append(
            {
                "id": group.source.id,
                "cluster": group.source.cluster,
                "case": self._documents.put(group.source).hex(),
                "units": units,
            }
        )
        if len(self._rows) >= CHUNK_GROUPS:
            self.flush()

    def _unit_row(self, unit: Unit, codes: list[str]) -> list[Any]:
        assert unit.evidence is not None
        return [
            unit.case.transform,
            unit.replicate,
            unit.evidence.digest.hex(),
            unit.evidence.value["outcome"]["status"],
            codes,
            [[step, fault, replay.digest.hex()] for (step, fault), replay in unit.replays.items()],
        ]

    def _count(self, group: Group) -> None:
        self.cases += 1
        for unit in group.units:
            assert unit.evidence is not None
            self.outcomes[unit.evidence.value["outcome"]["status"]] += 1
            self.retried += "attempts" in unit.evidence.value
            if unit.evidence.reused_from is not None:
                self.reused_cases[unit.evidence.reused_from] += 1
            self.replays += len(unit.replays)
            for replay in unit.replays.values():
                if replay.reused_from is not None:
                    self.reused_replays[replay.reused_from] += 1
            name = unit.case.transform
            if name is not None and unit.replicate == 1:
                self.copies += 1
                digest = pair_digest(self._transforms[name], group.source, unit.case)
                self._pairs[name] += bytes.fromhex(digest)

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._rows:
            self._store.add_chunk(self._run, self._chunks, encode(self._rows))
            self._chunks += 1
            self._rows = []

    def to_json(self) -> dict[str, Any]:
        """Everything that was counted; what a stored run is decided on again."""
        self.flush()
        return {
            "cases": self.cases,
            "copies": self.copies,
            "outcomes": dict(self.outcomes),
            "retried": self.retried,
            "replays": self.replays,
            "tallies": {metric: tally.to_json() for metric, tally in self._tallies.items()},
            "slices": [counts.to_json(self._metrics) for counts in self._slices],
            "pairs": {
                name: self._store.put(encode(bytes(digests).hex())).hex()
                for name, digests in self._pairs.items()
            },
            "reused": [
                [run, self.reused_cases[run], self.reused_replays[run]]
                for run in sorted(self.reused_cases.keys() | self.reused_replays.keys())
            ],
        }
