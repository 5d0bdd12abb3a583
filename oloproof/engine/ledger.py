"""Judges each finished group, counts the verdicts, and writes the rows of the run.

What is held in memory does not grow with the number of cases: verdicts are folded into
tallies, and rows leave for the store in chunks.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode
from oloproof.engine.contexts import contexts_of
from oloproof.engine.counts import Judged, VerdictCounts
from oloproof.engine.documents import CaseDocuments
from oloproof.engine.tool_notices import Uncalled, Unrecorded
from oloproof.evaluation.judging import judge
from oloproof.metamorphic.pairs import pair_digest
from oloproof.metamorphic.transforms import Transform
from oloproof.records.evidence import LATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.engine.groups import Group, Unit
    from oloproof.evaluation.contract import Evaluator
    from oloproof.execution.redaction import Redaction
    from oloproof.metamorphic.transforms import AnyTransform
    from oloproof.records.case import Case
    from oloproof.store.database import Store
    from oloproof.suites.slices import SliceSpec

CHUNK_GROUPS: Final = 500
_DIGEST_BYTES: Final = 32


class Ledger:
    """The verdicts of one run as they come in."""

    def __init__(
        self,
        store: Store,
        run: int,
        *,
        evaluators: Sequence[Evaluator],
        transforms: Sequence[AnyTransform],
        slices: Sequence[SliceSpec],
        bookkeeping: Bookkeeping,
        redaction: Redaction,
        cluster_of: Callable[[Case], str | None],
        declared: dict[str, bool],
    ) -> None:
        self._store = store
        self._run = run
        self._evaluators = evaluators
        self._labelled = {t.name: t for t in transforms if isinstance(t, Transform)}
        self._bookkeeping = bookkeeping
        self._redaction = redaction
        self._documents = CaseDocuments(store, redaction)
        self._cluster_of = cluster_of
        self._counts = VerdictCounts([evaluator.metric for evaluator in evaluators], slices)
        self._pairs = {name: bytearray() for name in self._labelled}
        self._rows: list[Any] = []
        self._chunks = 0
        self.uncalled = Uncalled(evaluators, declared)
        self.unrecorded = Unrecorded(declared)
        self.cases = 0
        self.copies = 0
        self.replays = 0
        self.retried = 0
        self._late: dict[str, list[str]] = {}
        self.outcomes: Counter[str] = Counter()
        self.reused_cases: Counter[int] = Counter()
        self.reused_replays: Counter[int] = Counter()

    def add(self, group: Group) -> None:
        """Judge a finished group and count it."""
        places: dict[int, tuple[str | None, ...]] = {}
        judged, rows = [], []
        contexts = contexts_of(group.units, self._bookkeeping, self._redaction)
        for unit, context in zip(group.units, contexts, strict=True):
            is_source = unit.case.source is None
            if is_source:
                places[unit.replicate] = self._counts.places(unit)
            self.uncalled.see(context.evidence.steps)
            self.unrecorded.see(context)
            codes = tuple([verdict.code for verdict in judge(self._evaluators, context)])
            is_case = is_source and unit.replicate == 1
            judged.append(Judged(codes, places[unit.replicate], is_case))
            rows.append(self._unit_row(group, unit, codes))
        cluster = self._cluster_of(group.source)
        self._counts.add(cluster, tuple(judged))
        self._count(group)
        row: dict[str, Any] = {
            "id": group.source.id,
            "cluster": cluster,
            "case": self._documents.put(group.source).hex(),
            "units": rows,
        }
        if any(places.values()):
            row["places"] = {str(replicate): found for replicate, found in places.items()}
        self._rows.append(row)
        if len(self._rows) >= CHUNK_GROUPS:
            self.flush()

    def _unit_row(self, group: Group, unit: Unit, codes: tuple[str, ...]) -> list[Any]:
        assert unit.evidence is not None
        row = [
            unit.case.transform,
            unit.replicate,
            unit.evidence.digest.hex(),
            unit.evidence.value["outcome"]["status"],
            codes,
            [[step, fault, replay.digest.hex()] for (step, fault), replay in unit.replays.items()],
        ]
        if unit.case.transform in self._labelled:
            row.append(self._pair(group, unit, unit.case.transform))
        return row

    def _pair(self, group: Group, unit: Unit, name: str) -> int:
        """The number of the pair that a copy makes with its source; its replicates are the same."""
        if unit.replicate == 1:
            digest = pair_digest(self._labelled[name], group.source, unit.case)
            self._pairs[name] += bytes.fromhex(digest)
        return len(self._pairs[name]) // _DIGEST_BYTES - 1

    def _count(self, group: Group) -> None:
        self.cases += 1
        for unit in group.units:
            assert unit.evidence is not None
            self.outcomes[unit.evidence.value["outcome"]["status"]] += 1
            self.retried += "attempts" in unit.evidence.value
            self.copies += unit.case.source is not None and unit.replicate == 1
            self._note_late(unit)
            if unit.evidence.reused_from is not None:
                self.reused_cases[unit.evidence.reused_from] += 1
            self.replays += len(unit.replays)
            for replay in unit.replays.values():
                if replay.reused_from is not None:
                    self.reused_replays[replay.reused_from] += 1

    def _note_late(self, unit: Unit) -> None:
        """Keep which cases went on after their end, by the tools that they called then."""
        assert unit.evidence is not None
        for tool in unit.evidence.value.get(LATE, ()):
            self._late.setdefault(tool, []).append(unit.case.id)
        for (_, fault), replay in unit.replays.items():
            if replay.value["reason"] == LATE:
                told = f"{unit.case.id} ({fault or 'control'})"
                self._late.setdefault("", []).append(told)

    def late_notices(self) -> list[str]:
        """A sentence for each tool that cases called after their end."""
        return [_told_late(tool, cases) for tool, cases in sorted(self._late.items())]

    def flush(self) -> None:
        """Write the rows that wait."""
        self._counts.fold()
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
            "late": len(set(chain(*self._late.values()))),
            "replays": self.replays,
            "chunks": self._chunks,
            "tallies": self._counts.tallies_json(),
            "slices": self._counts.slices_json(),
            "pairs": {
                name: self._store.put(encode(bytes(digests).hex())).hex()
                for name, digests in self._pairs.items()
            },
            "reused": [
                [run, self.reused_cases[run], self.reused_replays[run]]
                for run in sorted(self.reused_cases.keys() | self.reused_replays.keys())
            ],
        }


def _told_late(tool: str, cases: list[str]) -> str:
    named = list(dict.fromkeys(cases))
    shown = ", ".join(f"`{case}`" for case in named[:3])
    more = f" and {len(named) - 3:,} more" if len(named) > 3 else ""
    if not tool:
        return f"a tool was called after the end of a replay of {shown}{more}: it says nothing"
    return (
        f"`{tool}` was called after the end of its case in {shown}{more}: their checks of calls "
        "and state are missing (effect_after_end)"
    )
