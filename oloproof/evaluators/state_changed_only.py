"""`state_changed_only`: between two turns nothing but declared places changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import model_validator

from oloproof.evaluation.comparing.differences import show, told_more
from oloproof.evaluation.conditions.nodes import same_at
from oloproof.evaluation.contract import Comparison, failed, passed
from oloproof.evaluation.states.options import PathText, parse_all
from oloproof.evaluation.states.snapshots import places_of
from oloproof.evaluation.states.spans import Span, SpanCheck, SpanOptions, changes
from oloproof.paths import MISSING, parse
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting
    from oloproof.paths import Absent, Path
    from oloproof.records.report import Change


class Options(SpanOptions):
    """`paths` alone may change; if that is `required`, each of them must."""

    paths: tuple[PathText, ...]
    required: bool = False

    @model_validator(mode="after")
    def _something_required(self) -> Options:
        if self.required and not self.paths:
            raise refuse(
                "a change is required, and no path may change",
                fix="list what must change in `paths`, or leave `required` out",
                at=("required",),
            )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        StateChangedOnly(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places_of(setting, "paths", options.paths, counts=options.of == "world"),
            since=options.since,
            paths=parse_all(options.paths),
            required=options.required,
        )
    ]


@dataclass(frozen=True, slots=True)
class StateChangedOnly(SpanCheck):
    """What alone may have changed, and maybe must have."""

    paths: tuple[Path, ...]
    required: bool

    def evaluate(self, context: Context) -> Verdict:
        """A failure where another place changed, or a required change did not come."""
        return self.judge_spans(context, self._judge)

    def _judge(self, span: Span) -> Verdict:
        moved = [self._place(change) for change in changes(span)]
        still = [
            _unchanged(path, span)
            for path in (self.paths if self.required else ())
            if same_at(path, span.before, span.after)
        ]
        compared = (*moved, *still) or (Comparison("", span.before, span.after, True),)
        wrong = [place for place in compared if not place.passed]
        if not wrong:
            return passed(compared=compared)
        first = wrong[0]
        said = f"{first.path or 'the state'} is {show(first.actual)}, and was "
        if still and first is still[0]:
            said = f"{first.path} had to change, and is still {show(first.actual)} as "
            return failed(detail=f"{said}{span.began}{told_more(wrong)}", compared=compared)
        said += f"{show(first.expected)} {span.began}: only declared places may change"
        return failed(detail=said + told_more(wrong), compared=compared)

    def _place(self, change: Change) -> Comparison:
        """A change with what was there as expected, unless it may change."""
        before: object = MISSING if change.kind == "added" else change.before
        after: object = MISSING if change.kind == "removed" else change.after
        may = any(path.covers(parse(change.path)) for path in self.paths if change.path)
        note = "may change" if may else "must not change"
        return Comparison(change.path, before, after, may, note)  # type: ignore[arg-type]  # JSON


def _unchanged(path: Path, span: Span) -> Comparison:
    actual: object | Absent = path.get(span.after)
    return Comparison(str(path), MISSING, actual, False, "had to change")  # type: ignore[arg-type]  # JSON
