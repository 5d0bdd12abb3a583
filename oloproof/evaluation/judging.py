"""Every check's verdict on a case: copies are judged by their own transform's relations alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import not_applicable

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


def check_case(evaluators: Iterable[Evaluator], case: Case) -> None:
    """Raises `ConfigurationError` for a case that a check could never judge, before a run."""
    for evaluator in evaluators:
        evaluator.check_case(case)
