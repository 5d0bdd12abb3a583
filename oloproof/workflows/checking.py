"""What is refused of a dataset before anything runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from oloproof.errors import ConfigurationError
from oloproof.evaluation.judging import CaseChecks, needs_initial_state
from oloproof.suites.places import show_where

if TYPE_CHECKING:
    from oloproof.suites.case import Case
    from oloproof.suites.dataset import Dataset, DatasetFacts
    from oloproof.workflows.project import Project


class Checked(NamedTuple):
    """A dataset of which every case can be run and judged.

    `notices` are what a person should know of it, true whenever these inputs are run.
    """

    facts: DatasetFacts
    copies: int
    notices: list[str]


def check_cases(project: Project, dataset: Dataset) -> Checked:
    """Look through the whole dataset once; `ConfigurationError` for the first case at fault."""
    checks = CaseChecks(project.evaluators)
    changed = Counter(dict.fromkeys((t.name for t in project.transforms), 0))

    def see(case: Case) -> None:
        try:
            checks.check(case)
            for transform in project.transforms:
                changed[transform.name] += transform.changes(case)
        except ConfigurationError as error:
            where = show_where(dataset.path, case.line or 1)
            raise ConfigurationError(error.what, where=where, mend=error.mend) from None

    facts = dataset.check(see)
    if facts.stateless_case is not None and (needing := needs_initial_state(project.evaluators)):
        raise refuse_stateless(dataset, facts, f"`{needing[0]}` needs one")
    notices = [*checks.unseen(), *_check_transforms(project, changed, facts.cases)]
    return Checked(facts, changed.total(), notices)


def refuse_stateless(dataset: Dataset, facts: DatasetFacts, why: str) -> ConfigurationError:
    """The error for the first case without a world where there has to be one."""
    assert facts.stateless_case is not None
    name, line = facts.stateless_case
    return ConfigurationError(
        f"case `{name}` has no `initial_state`, and {why}",
        where=show_where(dataset.path, line, ("initial_state",)),
        mend="give the case its `initial_state` (`{}` where the sandbox begins empty)",
    )


def _check_transforms(project: Project, changed: Counter[str], cases: int) -> list[str]:
    """Refuse a transform that changes nothing at all; say where one leaves cases be."""
    notices = []
    for spec in project.suite.transforms:
        if changed[spec.name] == 0:
            raise ConfigurationError(
                f"the transform `{spec.name}` changes nothing in any of the {cases} cases",
                where=spec.where,
                mend=f"see what `{spec.field}` holds: there must be something to change",
            )
        if changed[spec.name] < cases:
            notices.append(
                f"the transform `{spec.name}` changes nothing in "
                f"{cases - changed[spec.name]} of {cases} cases: they make no pair"
            )
    return notices
