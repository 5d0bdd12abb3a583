"""`state_preserved`: what a state held after one turn is still there after later ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.evaluation.comparing.differences import show, told_more
from oloproof.evaluation.comparing.rules import Rule, Scope, ask
from oloproof.evaluation.comparing.values import compare_values
from oloproof.evaluation.contract import failed, not_applicable, passed
from oloproof.evaluation.conversations.sources import expected_at
from oloproof.evaluation.locus import locus_of_loss, value_at
from oloproof.evaluation.states.options import KeptOptions, parse_all
from oloproof.evaluation.states.snapshots import places_of
from oloproof.evaluation.states.spans import Span, SpanCheck, SpanOptions
from oloproof.paths import MISSING, Absent, same

if TYPE_CHECKING:
    from oloproof.evaluation.comparing.rules import Rules
    from oloproof.evaluation.contract import Comparison, Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting


class Options(KeptOptions, SpanOptions):
    """`paths` must be preserved (without any: everything), but for what lies at `except`."""


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        StatePreserved(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places_of(setting, "paths", options.paths or (), counts=options.of == "world"),
            since=options.since,
            whole=options.paths is None,
            rules=_rules(options),
        )
    ]


def _rules(options: Options) -> Rules:
    root = Rule()
    for path in parse_all(options.paths or ()):
        root.at(path).included = True
    for path in parse_all(options.except_):
        root.at(path).ignored = True
    return (root,)


def _is_expected(span: Span, lost: Comparison) -> bool:
    """Whether the case expects the change of a place of the working state since the span began."""
    case = span.conversation.context.case
    for turn in range(span.turn, span.since, -1):
        expected = expected_at(case, turn, "active")
        if not isinstance(expected, Absent):
            return same(value_at(lost.path, expected), lost.actual)
    return False


@dataclass(frozen=True, slots=True)
class StatePreserved(SpanCheck):
    """What was there is still there; objects may have gained, lists compare whole."""

    whole: bool
    rules: Rules

    def evaluate(self, context: Context) -> Verdict:
        """A failure where anything is gone or changed; not applicable where nothing was there."""
        return self.judge_spans(context, self._judge)

    def _judge(self, span: Span) -> Verdict:
        compared = self._compare(span)
        lost = [place for place in compared if not place.passed]
        if lost:
            first = lost[0]
            said = f"{first.path or 'the state'} is {show(first.actual)}, and was "
            locus = locus_of_loss(span.conversation, span.of, span.since, span.turn)
            if locus == "memory" and _is_expected(span, first):
                locus = None  # it kept what it was told: the case itself expects another value
            return failed(
                label=locus,
                detail=f"{said}{show(first.expected)} {span.began}{told_more(lost)}",
                compared=compared,
            )
        if not compared:
            return not_applicable("nothing_compared", detail="nothing was there to be preserved")
        return passed(compared=compared)

    def _compare(self, span: Span) -> tuple[Comparison, ...]:
        """Every place that was there, with what is there now."""
        included = self.whole
        if not span.before or not ask(span.before, self.rules, included=included):
            return ()
        scope = Scope(included=included, subset=True)
        _, compared = compare_values(span.before, span.after, self.rules, scope, tolerant=False)
        return tuple(place for place in compared if place.expected is not MISSING)
