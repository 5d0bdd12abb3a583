"""`oloproof pairs`: the pairs of a transform that nobody has labelled yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.engine.project import load_project
from oloproof.errors import ConfigurationError, suggest
from oloproof.metamorphic.pairs import field_text, pair_digest
from oloproof.metamorphic.transforms import build_transform
from oloproof.records.case import IDENTITY
from oloproof.records.case_report import PairLine, PairList
from oloproof.suites.dataset import Dataset
from oloproof.suites.files import append_lines
from oloproof.suites.labels import NO_LABELS, load_labels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oloproof.metamorphic.transforms import Transform
    from oloproof.suites.suite import Suite, TransformSpec


def pairs(folder: Path, transform: str, *, write: bool) -> PairList:
    """The unlabelled pairs of `transform`; with `write` they are added to its file of labels.

    A line that stands in the file stays as it is, and a pair whose line waits there to be
    filled in is not added again.
    """
    project = load_project(folder)
    suite = project.suite
    spec = _declared(transform, suite.transforms)
    chosen = build_transform(spec, suite.root)
    labels = NO_LABELS if spec.labels_path is None else load_labels(spec.labels_path)
    waiting = {line.digest for line in labels.lines}
    every = _pair_lines(suite, chosen)
    unlabelled = [line for line in every if line.digest not in labels.kept]
    if write:
        _append(spec, [line for line in unlabelled if line.digest not in waiting])
    return PairList(
        transform=transform,
        pairs=len(every),
        labelled=len(every) - len(unlabelled),
        unlabelled=unlabelled,
        written_to=spec.validity_labels if write else None,
    )


def _declared(transform: str, specs: Sequence[TransformSpec]) -> TransformSpec:
    for spec in specs:
        if spec.name == transform:
            return spec
    if transform == IDENTITY:
        raise ConfigurationError(
            f"the pairs of `{IDENTITY}` have no labels: it changes nothing",
            fix="label the pairs of a transform that the suite declares",
        )
    raise ConfigurationError(
        f"there is no transform `{transform}` in this suite",
        where="oloproof.yaml: metamorphic.transforms",
        fix=suggest(transform, [spec.name for spec in specs]),
    )


def _pair_lines(suite: Suite, transform: Transform) -> list[PairLine]:
    lines: dict[str, PairLine] = {}  # one a digest: equal texts are one pair, read once
    for source in Dataset(suite.dataset, suite.root):
        copy = transform.apply(source)
        if copy is not None:
            digest = pair_digest(transform, source, copy)
            line = PairLine(
                case=source.id,
                digest=digest,
                source_text=field_text(transform, source),
                copy_text=field_text(transform, copy),
            )
            lines.setdefault(digest, line)
    return list(lines.values())


def _append(spec: TransformSpec, lines: list[PairLine]) -> None:
    path = spec.labels_path
    if path is None:
        raise ConfigurationError(
            f"the transform `{spec.name}` names no file of labels",
            where=spec.where,
            fix=f"give it `validity_labels: labels/{spec.name}.jsonl`, "
            "or show the pairs with `--print`",
        )
    append_lines(path, map(_line, lines), what="the file of labels")


def _line(line: PairLine) -> dict[str, Any]:
    return {
        "case": line.case,
        "digest": line.digest,
        "kept": None,
        "labeller": None,
        "source_text": line.source_text,
        "copy_text": line.copy_text,
    }
