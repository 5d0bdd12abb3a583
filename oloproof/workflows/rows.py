"""Reads the rows of a stored run, and restores the group a row speaks of."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.canonical import decode, encode
from oloproof.errors import ConfigurationError, StoreError
from oloproof.execution.redaction import Redaction
from oloproof.workflows.documents import CaseDocuments
from oloproof.workflows.groups import Group, Known, Unit
from oloproof.workflows.manifest import BoundRun, bind_again
from oloproof.workflows.planning import sites_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.store.database import Store
    from oloproof.workflows.reports import RunRecord


def whole_chunks(store: Store, number: int, summary: dict[str, Any]) -> Iterator[bytes | None]:
    """The parts of a run's rows in order; None for each that is damaged or not there."""
    seen = 0
    for data in store.chunks(number):
        yield data
        seen += 1
    # A run that was killed wrote no number of parts: what there is of it is all.
    yield from repeat(None, max(0, summary.get("chunks", seen) - seen))


class StoredRun(NamedTuple):
    """A stored run with what judged it."""

    store: Store
    record: RunRecord
    bound: BoundRun

    @classmethod
    def open(cls, store: Store, record: RunRecord) -> StoredRun:
        """The run with its evaluators and transforms made again."""
        return cls(store, record, bind_again(record.manifest))

    def rows(self, containing: bytes = b"") -> Iterator[dict[str, Any]]:
        """Every row, in the order of the dataset; only from chunks in which `containing` stands."""
        for data in whole_chunks(self.store, self.record.number, self.record.summary):
            if data is None:
                raise StoreError(
                    f"rows of run {self.record.number} are damaged",
                    where=str(self.store.path),
                    mend="run again: what is whole is reused, what is damaged is made anew",
                )
            if containing in data:
                yield from decode(data)  # type: ignore[misc]  # a chunk is a list of rows

    def row(self, case: str) -> dict[str, Any]:
        """The row of a source case, or of the source of a copy."""
        source = case.partition("~")[0]
        for row in self.rows(b'"id":' + encode(source)):
            if row["id"] == source:
                return row
        raise ConfigurationError(
            f"run {self.record.number} has no case `{source}`",
            mend=f"`oloproof inspect {self.record.number}` lists its cases",
        )

    def restore(self, row: dict[str, Any]) -> Group:
        """The group of a row, with all of its evidence."""
        documents = CaseDocuments(self.store, Redaction(()))
        source = documents.get(bytes.fromhex(row["case"]))
        if source is None:
            raise self._damaged(row["id"])
        copies = {t.name: t.apply(source) for t in self.bound.transforms}
        sites = sites_of(self.bound.evaluators)
        group = Group(source, [], done=True)
        for transform, replicate, digest, _status, _codes, replays in row["units"]:
            case = source if transform is None else copies[transform]
            assert case is not None  # a copy that was run was made by this transform
            unit = Unit(case, replicate, b"", () if transform else sites)
            unit.evidence = self._known(digest, row["id"])
            unit.replays = {(step, fault): self._known(d, row["id"]) for step, fault, d in replays}
            group.units.append(unit)
        return group

    def _known(self, digest: str, case: str) -> Known:
        value = self.store.get_json(bytes.fromhex(digest))
        if value is None:
            raise self._damaged(case)
        return Known(bytes.fromhex(digest), value)

    def _damaged(self, case: str) -> StoreError:
        return StoreError(
            f"the evidence of case `{case}` in run {self.record.number} is damaged",
            where=str(self.store.path),
            mend="run again: it will be recorded anew",
        )
