"""What people's labels, as they are now, say of the pairs of a stored run.

A pair that somebody read and found to ask for something else is no pair: its verdicts leave the
relation, and the rows are counted again without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.engine.counts import Judged, VerdictCounts
from oloproof.gating.validity import validity_report
from oloproof.metamorphic.pairs import count_labels
from oloproof.suites.labels import NO_LABELS, load_labels
from oloproof.suites.slices import parse_slice
from oloproof.views.rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oloproof.records.report import ValidityReport
    from oloproof.store.database import Store
    from oloproof.views.rows import NotKept
    from oloproof.views.stored import RunRecord


class PairLabels(NamedTuple):
    """The report on each transform's labels, and which of its pairs were not kept."""

    reports: Mapping[str, ValidityReport]
    not_kept: NotKept


def read_pair_labels(record: RunRecord, store: Store, root: Path) -> PairLabels:
    """What the labels on disk say of each transform's pairs in a run."""
    reports, not_kept = {}, {}
    for spec in record.manifest["transforms"]:
        name, file = spec["name"], spec["validity_labels"]
        stored = record.summary["pairs"].get(name)  # a run that was killed has counted no pairs
        digests = (store.get_json(bytes.fromhex(stored)) if stored else None) or ""
        pairs = [digests[at : at + 64] for at in range(0, len(digests), 64)]
        labels = NO_LABELS if file is None else load_labels(root / file)
        reports[name] = validity_report(
            count_labels(name, pairs, labels),
            minimum=spec["minimum_validity"],
            absent=None if file is None or (root / file).exists() else file,
        )
        left = {number for number, pair in enumerate(pairs) if labels.kept.get(pair) is False}
        if left:
            not_kept[name] = frozenset(left)
    return PairLabels(reports, not_kept)


def counted_without(record: RunRecord, store: Store, not_kept: NotKept) -> dict[str, Any]:
    """The summary of a run, with tallies and slices counted without the pairs not kept."""
    summary, metrics = record.summary, record.manifest["metrics"]
    if not not_kept or not summary["tallies"]:
        return summary
    slices = [parse_slice(one["slice"]) for one in summary["slices"]]
    counts = VerdictCounts(metrics, slices)
    for row in read_rows(store, record, not_kept=not_kept):
        places = row.get("places", {})
        judged = tuple(
            Judged(
                codes=tuple(codes),
                places=tuple(places.get(str(replicate), ())),
                is_case=transform is None and replicate == 1,
            )
            for transform, replicate, _, _, codes, *_ in row["units"]
        )
        counts.add(row["cluster"], judged)
    counted = {"tallies": counts.tallies_json(), "slices": counts.slices_json()}
    return summary | counted
