"""Reads the rows of a stored run, and restores the group a row speaks of."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from oloproof.canonical import decode, encode
from oloproof.engine.documents import CaseDocuments
from oloproof.engine.groups import Group, Known, Unit
from oloproof.engine.manifest import BoundRun, bind_again
from oloproof.engine.planning import sites_of
from oloproof.errors import ConfigurationError, StoreError
from oloproof.evaluation.judging import NOT_KEPT, judge
from oloproof.execution.redaction import Redaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oloproof.evaluation.contract import Context, Verdict
    from oloproof.store.database import Store
    from oloproof.views.stored import RunRecord

NotKept: TypeAlias = "Mapping[str, frozenset[int]]"
"""The numbers of the pairs that people found not to keep the meaning, by their transform."""

_NONE: Final[NotKept] = {}


def whole_chunks(store: Store, number: int, summary: dict[str, Any]) -> Iterator[bytes | None]:
    """The parts of a run's rows in order; None for each that is damaged or not there."""
    seen = 0
    for data in store.chunks(number):
        yield data
        seen += 1
    # A run that was killed wrote no number of parts: what there is of it is all.
    yield from repeat(None, max(0, summary.get("chunks", seen) - seen))


def read_rows(
    store: Store, record: RunRecord, containing: bytes = b"", *, not_kept: NotKept = _NONE
) -> Iterator[dict[str, Any]]:
    """Every row, in the order of the dataset; only from chunks in which `containing` stands.

    The relations on pairs that were `not_kept` are excluded as such.
    """
    columns = {
        transform: [
            number
            for number, metric in enumerate(record.manifest["metrics"])
            if record.manifest["transforms_of"].get(metric) == transform
        ]
        for transform in not_kept
    }
    for data in whole_chunks(store, record.number, record.summary):
        if data is None:
            raise StoreError(
                f"rows of run {record.number} are damaged",
                where=str(store.path),
                fix="run again: what is whole is reused, what is damaged is made again",
            )
        if containing not in data:
            continue
        rows: Any = decode(data)
        for row in rows:
            for unit in row["units"] if not_kept else ():
                if pair_of(unit) in not_kept.get(unit[0], ()):
                    _exclude(unit[4], columns[unit[0]])
            yield row


def pair_of(unit: list[Any]) -> int | None:
    """The number of the pair that a unit of a row makes with its source, None where it does not."""
    number: int | None = unit[6] if len(unit) > 6 else None
    return number


def _exclude(codes: list[str], columns: list[int]) -> None:
    """Take out the verdicts on a pair; what a check does not speak of stays as it is."""
    for number in columns:
        if codes[number][0] != "n":
            codes[number] = NOT_KEPT.code


class StoredRun(NamedTuple):
    """A stored run with what judged it, and which of its pairs people found not to be any."""

    store: Store
    record: RunRecord
    bound: BoundRun
    not_kept: NotKept

    @classmethod
    def open(cls, store: Store, record: RunRecord, not_kept: NotKept = _NONE) -> StoredRun:
        """The run with its evaluators and transforms made again."""
        return cls(store, record, bind_again(record.manifest, store.path.parent.parent), not_kept)

    def rows(self, containing: bytes = b"") -> Iterator[dict[str, Any]]:
        """Every row, as `read_rows` gives them."""
        return read_rows(self.store, self.record, containing, not_kept=self.not_kept)

    def row(self, case: str) -> dict[str, Any]:
        """The row of a source case, or of the source of a copy."""
        source = case.partition("~")[0]
        for row in self.rows(b'"id":' + encode(source)):
            if row["id"] == source:
                return row
        raise ConfigurationError(
            f"run {self.record.number} has no case `{source}`",
            fix=f"`oloproof inspect {self.record.number}` lists its cases",
        )

    def restore(self, row: dict[str, Any]) -> Group:
        """The group of a row, with all of its evidence."""
        documents = CaseDocuments(self.store, Redaction(()))
        source = documents.get(bytes.fromhex(row["case"]))
        if source is None:
            raise self._damaged(row["id"])
        source = source._replace(cluster=row["cluster"])
        copies = {t.name: t.apply(source) for t in self.bound.transforms}
        sites = sites_of(self.bound.evaluators)
        group = Group(source, [], done=True)
        for stored in row["units"]:
            transform, replicate, digest, _status, _codes, replays, *_ = stored
            case = source if transform is None else copies[transform]
            assert case is not None  # a copy that was run was made by this transform
            unit = Unit(case, replicate, b"", () if transform else sites, pair=pair_of(stored))
            unit.evidence = self._known(digest, row["id"])
            unit.replays = {(step, fault): self._known(d, row["id"]) for step, fault, d in replays}
            group.units.append(unit)
        return group

    def judge(self, unit: Unit, context: Context) -> list[Verdict]:
        """The verdicts of all checks on a unit; the relations do not speak of a pair not kept."""
        evaluators = self.bound.evaluators
        verdicts = judge(evaluators, context)
        if unit.pair not in self.not_kept.get(str(unit.case.transform), ()):
            return verdicts
        return [verdict if verdict.status == "not_applicable" else NOT_KEPT for verdict in verdicts]

    def _known(self, digest: str, case: str) -> Known:
        value = self.store.get_json(bytes.fromhex(digest))
        if value is None:
            raise self._damaged(case)
        return Known(bytes.fromhex(digest), value)

    def _damaged(self, case: str) -> StoreError:
        return StoreError(
            f"the evidence of case `{case}` in run {self.record.number} is damaged",
            where=str(self.store.path),
            fix="run again: it will be recorded again",
        )
