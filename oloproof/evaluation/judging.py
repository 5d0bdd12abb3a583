"""Every check's verdict on a case: copies are judged by their own transform's relations alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.contract import not_applicable
from oloproof.evaluation.watching import Watch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.suites.case import Case

_METAMORPHIC_COPY: Final = not_applicable("metamorphic_copy")
_NOT_A_METAMORPHIC_PAIR: Final = not_applicable("not_a_metamorphic_pair")
_ANOTHER_TRANSFORM: Final = not_applicable("another_transform")


def judge(evaluators: Iterable[Evaluator], context: Context) -> list[Verdict]:
    """The verdicts on one case, in the order of the evaluators."""
    case = context.case
    if case.source is None:
        return [
            evaluator.evaluate(context) if evaluator.transform is None else _NOT_A_METAMORPHIC_PAIR
            for evaluator in evaluators
        ]
    return [_judge_copy(evaluator, context) for evaluator in evaluators]


def _judge_copy(evaluator: Evaluator, context: Context) -> Verdict:
    if evaluator.transform is None:
        return _METAMORPHIC_COPY
    if evaluator.transform != context.case.transform:
        return _ANOTHER_TRANSFORM
    return evaluator.evaluate(context)


def needs_initial_state(evaluators: Iterable[Evaluator]) -> list[str]:
    """The metrics that can only be made of cases which have an `initial_state`."""
    return [evaluator.metric for evaluator in evaluators if evaluator.needs_initial_state]


_ALWAYS_KNOWN: Final = frozenset({"answer", "state", "alternatives"})
"""The fields of `expected` that have a meaning of their own, whatever a suite checks."""


class CaseChecks:
    """What must hold of a case so that the checks of a suite can judge it."""

    def __init__(self, evaluators: Iterable[Evaluator]) -> None:
        self._evaluators = tuple(evaluators)
        self._known = _ALWAYS_KNOWN.union(*(e.expected_fields for e in self._evaluators))
        self._unseen = [
            Watch(evaluator, place)
            for evaluator in self._evaluators
            for place in evaluator.named_places
        ]

    def check(self, case: Case) -> None:
        """Raises `ConfigurationError` for a case that a check could never judge, before a run.

        A field of `expected` that no check reads is most likely misspelt: the case would
        quietly be excluded.
        """
        if case.expected is not None and not case.expected.keys() <= self._known:
            unread = min(case.expected.keys() - self._known)
            raise ConfigurationError(
                f"no check reads `expected.{unread}` of case `{case.id}`",
                where=None if case.line is not None else f"case `{case.id}`",
                mend=f"{suggest(unread, self._known)} What is only to be kept goes to `metadata`.",
            )
        for evaluator in self._evaluators:
            evaluator.check_case(case)
        if self._unseen:
            self._unseen = [watch for watch in self._unseen if not watch.sees(case)]

    def unseen(self) -> list[str]:
        """A sentence for each place that a check names and none of the cases checked has.

        Raises `ConfigurationError` for one without which a check would compare nothing.
        """
        told: dict[str | None, str] = {}
        for watch in self._unseen:
            if watch.could_see:
                watch.refuse_if_needed()
                told.setdefault(watch.place.where, watch.tell())
        return list(told.values())
