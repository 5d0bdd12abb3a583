"""What is refused of a dataset before anything runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import NamedPlace
from oloproof.evaluation.judging import CaseChecks, SystemPlaces, Watch, needs_initial_state
from oloproof.gating.wording import counted
from oloproof.metamorphic.transforms import copies_of
from oloproof.paths import parse
from oloproof.suites.places import show_where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oloproof.engine.project import Project
    from oloproof.records.case import Case
    from oloproof.suites.dataset import Dataset, DatasetFacts
    from oloproof.suites.likeness import Alike
    from oloproof.suites.suite import Suite
    from oloproof.systems.recorded import Recordings


class Checked(NamedTuple):
    """A dataset of which every case can be run and judged.

    `notices` are what a person should know of it, true whenever these inputs are run.
    """

    facts: DatasetFacts
    copies: int
    notices: list[str]


def check_cases(
    project: Project, dataset: Dataset, recordings: Recordings | None = None
) -> Checked:
    """Look through the whole dataset once; `ConfigurationError` for the first case at fault.

    With `recordings`, each of them is looked at beside its case.
    """
    checks = CaseChecks(project.evaluators, _system_places(project.suite))
    changed = Counter(dict.fromkeys((t.name for t in project.transforms), 0))
    recorded = None if recordings is None else RecordingChecks(recordings, project.suite.replicates)

    def see(case: Case) -> None:
        names = [case.id]
        if not case.has_state and (needing := needs_initial_state(project.evaluators, case)):
            raise refuse_stateless(dataset, (case.id, case.line or 1), f"`{needing[0]}` needs one")
        try:
            checks.check(case)
            for copy in copies_of(case, project.transforms):
                changed[str(copy.transform)] += 1
                names.append(copy.id)
        except ConfigurationError as error:
            where = show_where(dataset.path, case.line or 1)
            raise ConfigurationError(error.what, where=where, fix=error.fix) from None
        if recorded is not None:
            recorded.check(case, names)

    facts = dataset.check(see)
    notices = [*checks.unseen(), *_check_transforms(project, changed, facts.cases)]
    notices += _tell_alike(facts.alike)
    if recorded is not None:
        notices += recorded.finish(lambda: _every_name(project, dataset))
    return Checked(facts, changed.total(), notices)


def _system_places(suite: Suite) -> list[Watch]:
    """The places that the system is said to write by itself: one that is nowhere is misspelt."""
    return [
        Watch(
            SystemPlaces(f"system.{name}"),
            NamedPlace(parse(text), suite.where("system", name, position)),
        )
        for name in ("ignore", "generated_keys")
        for position, text in enumerate(getattr(suite.system, name))
    ]


def _tell_alike(alike: Sequence[Alike]) -> list[str]:
    """Which cases count together, since they ask for the same; nothing where none do."""
    if not alike:
        return []
    first, cases = alike[0], sum(one.cases for one in alike)
    named = ", ".join(f"`{name}`" for name in first.undeclared[:3])
    more = ", …" if len(first.undeclared) > 3 else ""
    return [
        f"{cases} cases have the same input and initial state as another ({named}{more}): they "
        f"count as {counted(len(alike), 'cluster')}, unless each declares a `cluster` of its own; "
        "to ask the same several times, set `replicates`"
    ]


def check_ability(
    suite: Suite, dataset: Dataset, facts: DatasetFacts, ability: Mapping[str, bool]
) -> list[str]:
    """Refuse what cannot be run on a system that can do so much; the notices there are."""
    if ability["stateful"] and facts.stateless_case is not None:
        raise refuse_stateless(
            dataset, facts.stateless_case, "the system has a sandbox to reset before every case"
        )
    name = suite.system.callable
    if facts.conversation is not None and not ability["conversational"]:
        raise _refuse_case(
            dataset,
            facts.conversation,
            "turns",
            f"is a conversation, and `{name}` has no `turn`",
            "give the system `turn(self, message)`, or the case one `input`",
        )
    if facts.single_call is not None and not ability["single_call"]:
        raise _refuse_case(
            dataset,
            facts.single_call,
            "input",
            f"is a single call, and `{name}` can only be talked with",
            "give the system `__call__(self, input)`, or the case its `turns`",
        )
    notices = []
    if not ability["stateful"] and facts.stateless_case is None:
        notices.append(
            "the system has neither `reset` nor `snapshot`: the cases' `initial_state` reaches "
            "nobody, and checks of the state are missing"
        )
    if ability["shares_process"]:
        notices.append(
            "several sandboxes share a process: what a case changes in a module's globals, "
            "the cases beside it see"
        )
    return notices


def _refuse_case(
    dataset: Dataset, case: tuple[str, int], field: str, problem: str, fix: str
) -> ConfigurationError:
    name, line = case
    where = show_where(dataset.path, line, (field,))
    return ConfigurationError(f"case `{name}` {problem}", where=where, fix=fix)


class RecordingChecks:
    """Looks at every recording beside its case, and counts the cases without one."""

    def __init__(self, recordings: Recordings, replicates: int) -> None:
        self._recordings = recordings
        self._replicates = range(1, replicates + 1)
        self._met = 0
        self._asked = 0
        recordings.scan(replicates)

    def check(self, case: Case, names: list[str]) -> None:
        """Read what was recorded of a case and its copies."""
        for name in names:
            for replicate in self._replicates:
                self._asked += 1
                self._met += self._recordings.read(case, replicate, name) is not None

    def finish(self, names: Callable[[], Iterable[str]]) -> list[str]:
        """Refuse recordings of other cases than those with `names`; say what is not recorded."""
        if self._met < len(self._recordings):
            self._recordings.refuse_strangers(names())
        lacking = self._asked - self._met
        if not lacking:
            return []
        return [
            f"{self._recordings.path.name} holds no recording of {lacking} of {self._asked} "
            "cases: every check of them is missing"
        ]


def _every_name(project: Project, dataset: Dataset) -> Iterator[str]:
    for case in dataset:
        yield case.id
        yield from (copy.id for copy in copies_of(case, project.transforms))


def refuse_stateless(dataset: Dataset, case: tuple[str, int], why: str) -> ConfigurationError:
    """The error for a case, by id and line, without a world where there has to be one."""
    name, line = case
    return ConfigurationError(
        f"case `{name}` has no `initial_state`, and {why}",
        where=show_where(dataset.path, line, ("initial_state",)),
        fix="give the case its `initial_state` (`{}` where the sandbox begins empty)",
    )


def _check_transforms(project: Project, changed: Counter[str], cases: int) -> list[str]:
    """Refuse a transform that changes nothing at all; say where one leaves cases be."""
    notices = []
    for spec in project.suite.transforms:
        if changed[spec.name] == 0:
            raise ConfigurationError(
                f"the transform `{spec.name}` changes nothing in any of the {cases} cases",
                where=spec.where,
                fix=f"see what `{spec.field}` holds: there must be something to change",
            )
        if changed[spec.name] < cases:
            notices.append(
                f"the transform `{spec.name}` changes nothing in "
                f"{cases - changed[spec.name]} of {cases} cases: they make no pair"
            )
    return notices
