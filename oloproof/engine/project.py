"""A user's project, read and bound: what refers to what is checked before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.dimensions import DimensionSpec
from oloproof.evaluation.registry import bind_all
from oloproof.metamorphic.transforms import build_transform, with_identity
from oloproof.suites.labels import load_labels
from oloproof.suites.places import show_where
from oloproof.suites.policy import load_policy
from oloproof.suites.suite import load_suite

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oloproof.evaluation.contract import Evaluator
    from oloproof.metamorphic.transforms import AnyTransform
    from oloproof.suites.policy import LocatedPolicy
    from oloproof.suites.suite import Suite

SUITE_FILE: Final = "oloproof.yaml"
POLICY_FILE: Final = "release.yaml"
STORE_FOLDER: Final = ".oloproof"


class Project(NamedTuple):
    """A suite with its evaluators and transforms, and the policy if there is one."""

    suite: Suite
    evaluators: tuple[Evaluator, ...]
    transforms: tuple[AnyTransform, ...]
    policy: LocatedPolicy | None

    @property
    def metrics(self) -> list[str]:
        """The metrics that the evaluators make, in their order."""
        return [evaluator.metric for evaluator in self.evaluators]


def find_project(folder: Path) -> Path:
    """The folder of the nearest `oloproof.yaml`, from `folder` upward."""
    start = folder.resolve()
    for candidate in (start, *start.parents):
        if (candidate / SUITE_FILE).is_file():
            return candidate
    raise ConfigurationError(
        f"there is no {SUITE_FILE} in {folder} or above it",
        where=str(folder),
        fix="change into a project, name one with --project, or begin one: `oloproof init`",
    )


def load_project(folder: Path, policy: Path | None = None) -> Project:
    """The project in `folder`; any name that refers to nothing is refused with its line."""
    root = find_project(folder)
    suite = load_suite_of(root)
    for spec in suite.transforms:
        if spec.labels_path is not None:
            load_labels(spec.labels_path)  # what is wrong with it is said before a run
    dimensions = [DimensionSpec(fields.name, fields.hard) for fields in suite.spec.dimensions]
    evaluators = bind_all(
        suite.evaluators,
        suite.transforms,
        dimensions,
        suite.system.bookkeeping,
        with_baselines=suite.system.recorded is None,
        root=root,
    )
    located = None
    if policy is not None or (root / POLICY_FILE).exists():
        located = load_policy_of(root, policy)
        refuse_unknown_metrics(located, [evaluator.metric for evaluator in evaluators])
    transforms = with_identity(
        (build_transform(spec, root) for spec in suite.transforms),
        (evaluator.transform for evaluator in evaluators),
    )
    return Project(suite, tuple(evaluators), transforms, located)


def load_suite_of(root: Path) -> Suite:
    """The suite of a project."""
    return load_suite(root / SUITE_FILE)


def load_policy_of(root: Path, given: Path | None) -> LocatedPolicy:
    """The policy that was named, else the project's own."""
    path = root / POLICY_FILE if given is None else given
    if given is None and not path.exists():
        raise ConfigurationError(
            f"there is no policy: {POLICY_FILE} does not exist",
            where=str(root),
            fix=f"write {POLICY_FILE} beside {SUITE_FILE}, or name one with --policy",
        )
    return load_policy(path)


def refuse_unknown_metrics(
    policy: LocatedPolicy, metrics: Iterable[str], *, maker: str = "no evaluator makes it"
) -> None:
    """Raises for the first rule whose metric is not there; `maker` says why it is not."""
    known = list(metrics)
    for rule in policy.policy.rules:
        if rule.metric not in known:
            raise ConfigurationError(
                f"rule `{rule.id}` names the metric `{rule.metric}`, but {maker}",
                where=show_where(policy.path, policy.lines[rule.id], ("rules", rule.id, "metric")),
                fix=suggest(rule.metric, known),
            )
