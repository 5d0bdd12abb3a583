"""Every check's verdict on a case, and what must hold of cases so that it can be given.

Copies are judged by their own transform's relations alone. A place that a check names and no
case has is most likely misspelt.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from oloproof.errors import ConfigurationError, nearest, shorten, suggest
from oloproof.evaluation.chosen import ForCases, fits, speaks_of
from oloproof.evaluation.completion import settled
from oloproof.evaluation.contract import Verdict, missing, not_applicable
from oloproof.evaluation.dimensions import Summary
from oloproof.evaluation.states.snapshots import expected_states
from oloproof.paths import render
from oloproof.records.case import refuse_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, NamedPlace
    from oloproof.records.case import Case

_MOST_KEYS: Final = 1000
"""A bound on the keys that are kept to name the nearest: a dataset may have any number."""


class _Naming(Protocol):
    """What names places: an evaluator, or the system."""

    @property
    def metric(self) -> str:
        """What it is called."""

    def worlds(self, case: Case) -> list[JsonValue]:
        """The states given with a case in which its places are looked for."""


@dataclass(frozen=True, slots=True)
class SystemPlaces:
    """The places of the world that an option of the system names."""

    metric: str

    def worlds(self, case: Case) -> list[JsonValue]:
        """The initial state, and those that are expected."""
        given = [] if case.initial_state is None else [case.initial_state]
        return [*given, *expected_states(case)]


class Watch:
    """Looks out for one place in case after case."""

    def __init__(self, by: _Naming, place: NamedPlace) -> None:
        self.place = place
        self._may_come = isinstance(by, SystemPlaces)
        self.could_see = False
        self._by = by
        self._depth = 0
        self._keys: set[str] = set()

    def sees(self, case: Case) -> bool:
        """Whether a state that is given with the case has the place."""
        for world in self._by.worlds(case):
            self.could_see = True
            if self.place.path.is_in(world):
                return True
            for depth, value in self.place.path.breaks(world):
                self._remember(depth, value)
        return False

    def tell(self) -> str | None:
        """That no case has the place, and what was most likely meant.

        A place that only the sandbox will write is nowhere yet: nothing is told without a doubt.
        """
        near = self._near()
        if self._may_come and near is None:
            return None
        meant = f"did you mean `{near}`?" if near else "it can only find what appears there"
        return (
            f"`{self._by.metric}` names the path `{self.place.path}`, "
            f"which no case's initial state has: {meant}"
        )

    def refuse_if_needed(self) -> None:
        """Raises where the check would compare nothing."""
        if not self.place.needed:
            return
        near = self._near()
        raise ConfigurationError(
            f"`{self._by.metric}` compares the path `{self.place.path}`, "
            "which no case's initial or expected state has",
            where=self.place.where,
            fix=f"did you mean `{near}`?"
            if near
            else "name a place that the states have; that nothing appears somewhere is for "
            "`state_unchanged`",
        )

    def _remember(self, depth: int, value: JsonValue) -> None:
        """Keeps the keys that are there where the path breaks off furthest in."""
        if depth > self._depth:
            self._depth, self._keys = depth, set()
        if depth == self._depth and isinstance(value, dict):
            for key in value:
                if len(self._keys) == _MOST_KEYS:
                    return
                self._keys.add(key)

    def _near(self) -> str | None:
        """The path with the nearest key in the place of the one that is not there."""
        segments = self.place.path.segments
        wanted = segments[self._depth]
        key = nearest(wanted, sorted(self._keys)) if isinstance(wanted, str) else None
        return (
            None
            if key is None
            else render((*segments[: self._depth], key, *segments[self._depth + 1 :]))
        )


_METAMORPHIC_COPY: Final = not_applicable("metamorphic_copy")
_NOT_A_METAMORPHIC_PAIR: Final = not_applicable("not_a_metamorphic_pair")
_ANOTHER_TRANSFORM: Final = not_applicable("another_transform")
NOT_KEPT: Final = not_applicable(
    "not_kept", detail="a label says that the copy does not ask for what its source asks for"
)
"""Of a pair that people found to be none."""
NEVER_DUE: Final = frozenset(
    {"metamorphic_copy", "not_a_metamorphic_pair", "another_transform", "another_case"}
)
"""Why the suite itself gives a case to other checks: no verdict of this one was due."""


def judge(evaluators: Iterable[Evaluator], context: Context) -> list[Verdict]:
    """The verdicts on one case, in the order of the evaluators."""
    if context.case.source is not None:
        return [_judge_copy(evaluator, context) for evaluator in evaluators]
    verdicts: list[Verdict] = []
    for evaluator in evaluators:
        if evaluator.transform is not None:
            verdicts.append(_NOT_A_METAMORPHIC_PAIR)
        elif isinstance(evaluator, Summary):
            verdicts.append(evaluator.combine(verdicts))
        else:
            verdicts.append(judge_one(evaluator, context))
    return verdicts


def judge_one(evaluator: Evaluator, context: Context) -> Verdict:
    """What a check says of a case, whatever became of its call; one that raises says nothing."""
    try:
        said = evaluator.evaluate(context)
        if not isinstance(said, Verdict):
            raise TypeError(f"it gave no verdict, but {shorten(repr(said))}")
    except Exception as error:
        said = missing("check_raised", detail=f"the check raised {_raised(error)}")
    return settled(said, context, of_output=evaluator.of_output)


def _raised(error: Exception) -> str:
    line = traceback.extract_tb(error.__traceback__)[-1]
    told = str(error).partition("\n")[0]
    kind = type(error).__name__
    return f"{kind}{f': {shorten(told, 200)}' if told else ''} ({line.filename}:{line.lineno})"


def _judge_copy(evaluator: Evaluator, context: Context) -> Verdict:
    if evaluator.transform is None:
        return _METAMORPHIC_COPY
    if evaluator.transform != context.case.transform:
        return _ANOTHER_TRANSFORM
    return judge_one(evaluator, context)


def needs_initial_state(evaluators: Iterable[Evaluator], case: Case) -> list[str]:
    """The metrics that can only be made of a case if it has an `initial_state`."""
    return [e.metric for e in evaluators if e.needs_initial_state and speaks_of(e, case)]


_ALWAYS_KNOWN: Final = frozenset({"answer", "state", "active", "alternatives", "turns"})
"""The fields of `expected` that have a meaning of their own, whatever a suite checks."""


class CaseChecks:
    """What must hold of a case so that the checks of a suite can judge it."""

    def __init__(self, evaluators: Iterable[Evaluator], watched: Iterable[Watch] = ()) -> None:
        self._evaluators = tuple(evaluators)
        self._known = _ALWAYS_KNOWN.union(*(e.expected_fields for e in self._evaluators))
        self._unseen = [
            Watch(evaluator, place)
            for evaluator in self._evaluators
            for place in evaluator.named_places
        ]
        self._unseen += watched
        # A pattern that fits no case is most likely misspelt, too.
        self._unfit = {
            (pattern, evaluator.where): evaluator.metric
            for evaluator in self._evaluators
            if isinstance(evaluator, ForCases)
            for pattern in evaluator.patterns
        }

    def check(self, case: Case) -> None:
        """Raises `ConfigurationError` for a case that a check could never judge, before a run.

        A field of `expected` that no check reads is most likely misspelt: the case would
        quietly be excluded.
        """
        if case.expected is not None:
            self._refuse_unread(case, case.expected, "expected")
            turns: Any = case.expected.get("turns", {})
            for number, expected in turns.items():
                self._refuse_unread(case, expected, f"expected.turns.{number}")
        for evaluator in self._evaluators:
            evaluator.check_case(case)
        if self._unfit and case.source is None:
            fit = [key for key in self._unfit if fits(key[0], case.id)]
            for key in fit:
                del self._unfit[key]
        if self._unseen:
            self._unseen = [watch for watch in self._unseen if not watch.sees(case)]

    def _refuse_unread(self, case: Case, expected: dict[str, JsonValue], within: str) -> None:
        if expected.keys() <= self._known:
            return
        unread = min(expected.keys() - self._known)
        raise refuse_case(
            case,
            f"no check reads `{within}.{unread}` of case `{case.id}`",
            fix=f"{suggest(unread, self._known)} What is only to be kept goes to `metadata`.",
        )

    def unseen(self) -> list[str]:
        """A sentence for each place that a check names and none of the cases checked has.

        Raises `ConfigurationError` for one without which a check would compare nothing, and for
        a check of cases that are not there.
        """
        for (pattern, where), metric in self._unfit.items():
            raise ConfigurationError(
                f"`{metric}` is for the cases `{pattern}`, and no case has such an id",
                where=where,
                fix="correct the pattern: `*` stands for any text, `?` for one character",
            )
        told: dict[str | None, str | None] = {}
        for watch in self._unseen:
            if watch.could_see:
                watch.refuse_if_needed()
                told.setdefault(watch.place.where, watch.tell())
        return [text for text in told.values() if text is not None]
