"""`exact_match`: a field of the output equals a field of what the case expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal
from oloproof.evaluation.contract import (
    CaseCheck,
    Comparison,
    EvaluatorOptions,
    failed,
    not_applicable,
    output_failure,
    passed,
)
from oloproof.evaluation.state_options import PlaceText
from oloproof.evaluation.wording import tell_difference
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Setting, Verdict

_NO_EXPECTED_ANSWER: Final = not_applicable("no_expected_answer")


class Options(EvaluatorOptions):
    """Without `field` the output itself; `expected_field` is `field`, else `answer`."""

    field: PlaceText | None = None
    expected_field: PlaceText | None = None


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    expected_field = options.expected_field or options.field or "answer"
    return [
        ExactMatch(
            metric=options.criterion or "exact_match",
            field=parse(options.field) if options.field else None,
            expected_field=parse(expected_field),
            shown=options.field or "",
        )
    ]


@dataclass(frozen=True, slots=True)
class ExactMatch(CaseCheck):
    """Equality by JSON value of one place in the output with one place in `expected`."""

    field: Path | None
    expected_field: Path
    shown: str

    @property
    def expected_fields(self) -> frozenset[str]:
        """The one field whose value, or a part of it, is the expected one."""
        return frozenset({str(self.expected_field.segments[0])})

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable without an expected value; a failure where there is no output."""
        expected = self.expected_field.get(context.case.expected)
        if isinstance(expected, Absent):
            return _NO_EXPECTED_ANSWER
        output = context.evidence.output
        if isinstance(output, Absent):
            failure = output_failure(context)
            assert failure is not None, "there is no output"
            compared = Comparison(self.shown, expected, MISSING, passed=False)
            return failed(label=failure.label, detail=failure.detail, compared=(compared,))
        actual = output if self.field is None else self.field.get(output)
        if not isinstance(actual, Absent) and equal(expected, actual):
            return passed(compared=(Comparison(self.shown, expected, actual, passed=True),))
        places = (Comparison(self.shown, expected, actual, passed=False),)
        return failed(detail=tell_difference(places, "the output"), compared=places)
