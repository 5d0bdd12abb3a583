"""What a run keeps of the suite it was made with, so that it can be looked at years later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.evaluation.registry import bind_all
from oloproof.metamorphic.transforms import build_transform
from oloproof.suites.suite import RawEvaluator, TransformSpec
from oloproof.version import VERSION

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Evaluator
    from oloproof.metamorphic.transforms import Transform
    from oloproof.workflows.identity import Identity
    from oloproof.workflows.project import Project


def build_manifest(project: Project, identity: Identity, *, rerun_failed: bool) -> dict[str, Any]:
    """The manifest of a run."""
    suite = project.suite
    return {
        "oloproof": VERSION,
        "project": suite.project,
        "system": {
            "name": identity.name,
            "version": identity.version,
            "source_digest": identity.source_digest,
            "callable": suite.system.callable,
        },
        "replicates": suite.replicates,
        "rerun_failed": rerun_failed,
        "evaluators": [raw.options for raw in suite.evaluators],
        "transforms": [spec.model_dump(mode="json") for spec in suite.transforms],
        "transforms_of": {e.metric: e.transform for e in project.evaluators if e.transform},
        "min_slice_support": suite.min_slice_support,
    }


@dataclass(frozen=True, slots=True)
class BoundRun:
    """The evaluators and transforms of a stored run, made again from its manifest."""

    evaluators: tuple[Evaluator, ...]
    transforms: tuple[Transform, ...]


def bind_again(manifest: dict[str, Any]) -> BoundRun:
    """What judged a stored run."""
    specs = tuple(TransformSpec.model_validate(data) for data in manifest["transforms"])
    raw = tuple(
        RawEvaluator(options["type"], options, Path("stored run"), {})
        for options in manifest["evaluators"]
    )
    return BoundRun(tuple(bind_all(raw, specs)), tuple(build_transform(spec) for spec in specs))
