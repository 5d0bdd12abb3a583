"""`oloproof check`: whether a system can be replayed, tried on a few of its cases.

Each case is recorded in a fresh process. From its start it is then replayed with every tool
run again: twice in one process, after the other cases, and under other hash seeds; and from
several of its calls. What differs is tried again in fresh processes, which tells the causes
apart: what differs there too is hidden nondeterminism, what does not was left by earlier calls.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.engine.checking import check_ability
from oloproof.engine.project import find_project, load_suite_of
from oloproof.engine.trials import Trials
from oloproof.errors import ConfigurationError, suggest
from oloproof.records.calls import find_call
from oloproof.records.evidence import LATE, OUTAGE, RECORDING, TRAJECTORY, CaseEvidence
from oloproof.records.project_report import CheckReport
from oloproof.replaying.comparator import first_divergence
from oloproof.suites.dataset import Dataset, DatasetFacts
from oloproof.suites.places import show_where
from oloproof.workflows.conformance import Bench, Finding, Subject, read_divergence, read_noticed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from oloproof.engine.groups import Group
    from oloproof.records.case import Case
    from oloproof.suites.suite import Suite

DEFAULT_CASES: Final = 3

SEEDS: Final = (0, 1, 2, 3, 4, 5)
"""The hash seed of the recording, and those under which it has to be reproduced.

A set of two texts has the same order under all six once in 32 times.
"""

FEW_MODULES: Final = 200
"""A system for which no more modules are imported is tried under all seeds, else under two."""

CONFIRMATIONS: Final = 2
"""How often a difference is looked for again in fresh processes."""

_CAUSES: Final = frozenset(
    {"hidden_nondeterminism", "state_outside_snapshot", "reset_not_faithful", "reset_failed"}
)
"""What makes further differences: those are told once it is fixed."""

_BESIDE: Final = frozenset(
    {"reset_not_faithful", "reset_failed", "effect_not_declared", "reading_tool_writes"}
    | {"state_outside_snapshot", "control_not_reproduced"}
)
"""Findings beside which it can be tried whether hashes make a difference."""


def check(folder: Path, *, cases: int = DEFAULT_CASES, only: Sequence[str] = ()) -> CheckReport:
    """What stands against replaying the system, on its first `cases` cases or those named."""
    suite = load_suite_of(find_project(folder))
    if suite.recorded is not None:
        what = f"`{suite.system.name}` was recorded elsewhere: nothing of it can be replayed here"
        fix = "name the system itself, with `callable: module:attr` in place of `recorded`"
        reasons = [Finding("not_replayable", what).report(None).model_copy(update={"fix": fix})]
        return CheckReport(
            system=suite.system.name,
            replayable=False,
            method=None,
            cases=[],
            reasons=reasons,
            notes=[],
        )
    with _Check(suite, _chosen(suite, cases, only)) as check:
        return check.report()


def _chosen(suite: Suite, cases: int, only: Sequence[str]) -> list[Case]:
    dataset = Dataset(suite.dataset, suite.root)
    if not only:
        return list(islice(dataset, cases))
    found = []
    for name in dict.fromkeys(only):
        case = dataset.find(name)
        if case is None:
            raise ConfigurationError(
                f"there is no case `{name}`",
                where=show_where(dataset.path),
                fix=suggest(name, [one.id for one in dataset]),
            )
        found.append(case)
    return found


def _facts_of(cases: list[Case]) -> DatasetFacts:
    """What a look through a dataset of these cases alone would find of their kinds."""

    def first(of_kind: Callable[[Case], bool]) -> tuple[str, int] | None:
        return next(((case.id, case.line or 1) for case in cases if of_kind(case)), None)

    return DatasetFacts(
        cases=len(cases),
        explicit_clusters=frozenset(),
        digest="",
        files=(),
        stateless_case=first(lambda case: case.state_json is None),
        conversation=first(lambda case: bool(case.turns)),
        single_call=first(lambda case: not case.turns),
    )


class _Check:
    """One check of one system."""

    def __init__(self, suite: Suite, cases: list[Case]) -> None:
        self._suite = suite
        self._cases = cases
        self._ability: dict[str, Any] = {}
        self._trials = Trials(suite, self._see)
        self._bench = Bench()

    def __enter__(self) -> _Check:
        self._trials.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._trials.__exit__()

    def report(self) -> CheckReport:
        """Everything from the recordings to the reasons."""
        subjects = [self._record(case) for case in self._cases]
        if tried := [one for one in subjects if one.method is not None and one.calls]:
            self._try_in_one_process(tried)
            self._try_runs([one for one in tried if one.method == "manual"])
            self._try_other_seeds([one for one in tried if not one.findings.keys() - _BESIDE])
        reasons = [
            finding.report(one.case.id) for one in subjects for finding in one.findings.values()
        ]
        if not reasons and not tried:
            reasons = [_nothing_tried(subjects).report(None)]
        methods = [one.method for one in subjects if one.method is not None]
        return CheckReport(
            system=self._suite.system.name,
            replayable=not reasons,
            method=methods[0] if methods else None,
            cases=[one.report() for one in subjects],
            reasons=reasons,
            notes=[f"{one.case.id}: {note}" for one in subjects for note in one.remarks],
        )

    def _see(self, ability: dict[str, Any]) -> None:
        self._ability = ability
        dataset = Dataset(self._suite.dataset, self._suite.root)
        check_ability(self._suite, dataset, _facts_of(self._cases), ability)

    # -- the recording --------------------------------------------------------------------------

    def _record(self, case: Case) -> Subject:
        """Record a case in a process of its own, so that nothing was there before."""
        group = self._bench.recording(case)
        self._trials.run_each([group], hash_seed=SEEDS[0])
        [unit] = group.units
        assert unit.evidence is not None, "a unit that is through has evidence"
        evidence = dict(unit.evidence.value)
        noticed = evidence.pop("watched", ())
        subject = Subject(case, evidence, self._method_of(evidence))
        outcome = evidence["outcome"]
        if outcome["status"] in ("timed_out", "exited", "killed", OUTAGE):
            subject.method = None
            subject.find(Finding("case_not_recorded", str(outcome.get("error"))))
        elif subject.method is None and self._ability["replayable"]:
            problem = evidence.get("trajectory_problem") or "the case reported none"
            subject.find(Finding("no_trajectory", str(problem)))
        elif "world_problem" in evidence:
            subject.find(Finding("no_recorded_state", str(evidence["world_problem"])))
        else:
            steps = evidence.get(TRAJECTORY, {}).get("steps", [])
            for one in noticed:
                tool = one.get("tool")
                step = None if tool is None else find_call(steps, tool, one["occurrence"])
                subject.find(read_noticed(one, step))
        for tool in evidence.get(LATE, ()):
            detail = f"`{tool}` was called after the end of the case"
            subject.find(Finding("effect_after_end", detail, tool=tool))
        for note in evidence.get(RECORDING, {}).get("notes", ()):
            subject.notes[f"{note['kind']}: {note['detail']}"] = None
        return subject

    def _method_of(self, evidence: Any) -> Literal["recorded", "manual"] | None:
        if RECORDING in evidence:
            return "recorded"
        return "manual" if self._ability["replayable"] and TRAJECTORY in evidence else None

    # -- the trials -----------------------------------------------------------------------------

    def _try_in_one_process(self, subjects: list[Subject]) -> None:
        """Replay every case twice, the first again behind the others, then all from their calls."""
        order = [one for one in subjects for _ in range(2)]
        order += subjects[:1] if len(subjects) > 1 else []
        wholes = [self._bench.whole(one) for one in order]
        places = [self._bench.replays(one) for one in subjects]
        self._trials.run([*wholes, *places], hash_seed=SEEDS[0])
        differences: dict[str, Any] = {}
        for subject, group in zip(order, wholes, strict=True):
            for found in subject.read(group).values():
                differences.setdefault(subject.case.id, found)
        for subject, group in zip(subjects, places, strict=True):
            if subject.case.id in differences:
                self._tell_apart(subject, differences[subject.case.id])
            self._read_places(subject, group)

    def _tell_apart(self, subject: Subject, found: Any) -> None:
        """Whether a difference in a process that did more before is there in fresh ones too."""
        for _ in range(CONFIRMATIONS):
            fresh = self._in_fresh_process(subject, SEEDS[0])
            if fresh is not None:
                subject.find(_differs("hidden_nondeterminism", fresh, "in another process"))
                return
        how = "run again in one process, though not in a fresh one"
        subject.find(_differs("state_outside_snapshot", found, how))

    def _read_places(self, subject: Subject, group: Group) -> None:
        """What replays from several calls gave, where that has no other cause."""
        if subject.findings.keys() & _CAUSES:
            return
        for step, found in subject.read(group).items():
            site = subject.calls[step]
            alone = self._bench.replays(subject, [site])
            self._trials.run_each([alone], hash_seed=SEEDS[0])
            word = "control_not_reproduced" if subject.read(alone) else "hidden_nondeterminism"
            how = f"replayed from call {site.occurrence} of {site.name}"
            tool = site.name if site.kind == "tool" else None
            subject.find(read_divergence(word, found, how, step, tool))
            return

    def _try_runs(self, subjects: list[Subject]) -> None:
        """Run cases with a replay by hand again: their tools are not run again by a replay."""
        for subject in subjects:
            if subject.findings.keys() & _CAUSES:
                continue
            found = [self._second_run(subject) for _ in range(CONFIRMATIONS)]
            if all(found):
                how = "run a second time in one process"
                subject.find(_differs("state_outside_snapshot", found[0], how))

    def _second_run(self, subject: Subject) -> Any:
        """How a second run in a process differs, where the first one is as it was recorded."""
        group = self._bench.runs(subject.case, 2)
        self._trials.run_each([group], hash_seed=SEEDS[0])
        initial = subject.case.initial_state
        recorded, first, second = (
            CaseEvidence.from_json(evidence, initial)
            for evidence in (
                subject.evidence,
                *(u.evidence.value for u in group.units if u.evidence),
            )
        )
        sides = self._suite.system.bookkeeping.sides_from(initial)
        if first_divergence(recorded, first, first_step=1, sides=sides) is not None:
            return None  # such as a model that is asked: it answers again every time
        found = first_divergence(recorded, second, first_step=1, sides=sides)
        return None if found is None else found.to_json()

    def _try_other_seeds(self, subjects: list[Subject]) -> None:
        """Replay the cases where sets and hashes come out otherwise."""
        # What takes long to import is imported twice, and not six times.
        seeds = SEEDS[1:] if self._trials.imported <= FEW_MODULES else SEEDS[1:2]
        for seed in seeds:
            tried = [one for one in subjects if not one.findings.keys() - _BESIDE]
            # What earlier calls leave behind must not be taken for the work of a seed.
            leaky = [one for one in tried if "state_outside_snapshot" in one.findings]
            for subject in leaky:
                if (found := self._in_fresh_process(subject, seed)) is not None:
                    subject.find(_differs("hash_order", found, _under(seed)))
            groups = {one.case.id: self._bench.whole(one) for one in tried if one not in leaky}
            if groups:
                self._trials.run(list(groups.values()), hash_seed=seed)
            for subject in tried:
                if subject.case.id in groups and (found := subject.read(groups[subject.case.id])):
                    self._blame_hashes(subject, next(iter(found.values())), seed)

    def _blame_hashes(self, subject: Subject, found: Any, seed: int) -> None:
        """A difference under another seed, unless it comes and goes under one and the same."""
        here = [self._in_fresh_process(subject, SEEDS[0]) for _ in range(CONFIRMATIONS)]
        again = self._in_fresh_process(subject, seed)
        if again is None or any(here):
            subject.find(_differs("hidden_nondeterminism", found, "in another process"))
        else:
            subject.find(_differs("hash_order", again, _under(seed)))

    def _in_fresh_process(self, subject: Subject, seed: int) -> Any:
        """The difference that a replay from the start shows in a process of its own, or None."""
        group = self._bench.whole(subject)
        self._trials.run_each([group], hash_seed=seed)
        return next(iter(subject.read(group).values()), None)


def _nothing_tried(subjects: Sequence[Subject]) -> Finding:
    """Why nothing could be tried, where nothing else is found: no proof is no pass."""
    if all(one.method is None for one in subjects):
        return Finding("not_replayable", "it neither declares tools nor has a method `replay`")
    return Finding(
        "no_tool_called", "none of these cases called a tool or a model: nothing was tried"
    )


def _under(seed: int) -> str:
    return f"with PYTHONHASHSEED={seed} instead of {SEEDS[0]}"


def _differs(reason: str, divergence: Any, how: str) -> Finding:
    return read_divergence(reason, divergence, how, None, None)
