"""What a run keeps of the suite it was made with, so that it can be looked at years later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.bookkeeping import Bookkeeping
from oloproof.evaluation.dimensions import DimensionSpec
from oloproof.evaluation.registry import bind_all, kept_options, lines_of
from oloproof.metamorphic.transforms import build_transform, with_identity
from oloproof.suites.located import Document
from oloproof.suites.suite import TransformSpec, read_transform
from oloproof.version import VERSION

if TYPE_CHECKING:
    from oloproof.engine.project import Project
    from oloproof.evaluation.contract import Evaluator
    from oloproof.metamorphic.transforms import AnyTransform
    from oloproof.reuse.fingerprint import Fingerprint


def build_manifest(
    project: Project, fingerprint: Fingerprint, *, rerun_failed: bool
) -> dict[str, Any]:
    """The manifest of a run."""
    suite = project.suite
    return {
        "oloproof": VERSION,
        "project": suite.project,
        "system": {
            "name": fingerprint.system,
            "version": fingerprint.shown_version,
            "source_digest": fingerprint.source_digest,
            "callable": suite.system.callable,
            "recorded": suite.system.recorded,
        },
        "fingerprint": fingerprint.to_json(),
        "replicates": suite.replicates,
        "rerun_failed": rerun_failed,
        "evaluators": [kept_options(raw) for raw in suite.evaluators],
        "dimensions": [[fields.name, fields.hard] for fields in suite.spec.dimensions],
        "transforms": [_transform(spec) for spec in suite.transforms],
        "baselines": suite.system.recorded is None,
        "metrics": project.metrics,
        "transforms_of": {e.metric: e.transform for e in project.evaluators if e.transform},
        "min_slice_support": suite.min_slice_support,
    }


def _transform(spec: TransformSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "field": spec.field,
        **spec.options,
        "validity_labels": spec.validity_labels,
        "minimum_validity": spec.minimum_validity,
    }


def _stored(transform: dict[str, Any]) -> Document:
    # Runs of earlier versions name the kind that they do not use, too.
    given = {name: value for name, value in transform.items() if value is not None}
    return Document(Path("stored run"), given, lines={}, digest="")


class BoundRun(NamedTuple):
    """The evaluators and transforms of a stored run, made again from its manifest.

    What is `bookkeeping` did not count in it.
    """

    evaluators: tuple[Evaluator, ...]
    transforms: tuple[AnyTransform, ...]
    bookkeeping: Bookkeeping


def bind_again(manifest: dict[str, Any], root: Path) -> BoundRun:
    """What judged a stored run of the project in `root`."""
    specs = [read_transform(_stored(data), ()) for data in manifest["transforms"]]
    lines = lines_of(manifest["evaluators"], Path("stored run"))
    dimensions = [DimensionSpec(name, hard) for name, hard in manifest["dimensions"]]
    declared = manifest["fingerprint"]
    bookkeeping = Bookkeeping.of(declared.get("ignore", ()), declared.get("generated_keys", ()))
    with_baselines = manifest.get("baselines", False)
    evaluators = bind_all(
        lines, specs, dimensions, bookkeeping, with_baselines=with_baselines, root=root
    )
    judged = (evaluator.transform for evaluator in evaluators)
    transforms = with_identity((build_transform(spec, root) for spec in specs), judged)
    return BoundRun(tuple(evaluators), transforms, bookkeeping)
