"""`results_contain`: what a turn needs has come back from some call by its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.comparing.multisets import unmatched_by_pairing
from oloproof.evaluation.contract import not_applicable
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.sources import expected_at
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.evaluation.turns import Conversation, TurnOptions, turns_of
from oloproof.paths import MISSING, Absent
from oloproof.records.case import refuse_case

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.setting import Setting
    from oloproof.records.case import Case

_NO_EXPECTED_RESULTS: Final = not_applicable("no_expected_results")

Mode: TypeAlias = Literal["exact", "subset"]


class Options(TurnOptions):
    """How a result is compared with an expected one."""

    mode: Mode = "exact"


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        ResultsContain(
            options.criterion_or_type,
            options.selector,
            StateComparison(mode=options.mode),
        )
    ]


@dataclass(frozen=True, slots=True)
class ResultsContain(TurnCheck):
    """Each result expected of a turn is that of a call of its own, in it or earlier."""

    comparison: StateComparison

    @property
    def expected_fields(self) -> frozenset[str]:
        """The results expected of a turn."""
        return frozenset({"turns", "results"})

    def check_case(self, case: Case) -> None:
        """Refuses results that are no list."""
        TurnCheck.check_case(self, case)
        for turn in range(1, turns_of(case) + 1):
            expected = expected_at(case, turn, "results")
            if not isinstance(expected, list | Absent):
                raise refuse_case(
                    case,
                    f"the `results` expected of turn {turn} of case `{case.id}` are not a list",
                    fix="write a list of results",
                )

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where none of the turns has expected results."""
        conversation = Conversation(context)
        expected = {
            turn: results
            for turn in self.turns(conversation)
            if isinstance(results := expected_at(context.case, turn, "results"), list)
        }
        if not any(expected.values()):
            return _NO_EXPECTED_RESULTS
        seen = Sightings()
        called = [call for call in turn_calls(conversation) if _came_back(call)]
        for turn, results in expected.items():
            answers = [call.answer for call in called if call.settled_turn <= turn]
            self._see_turn(seen, turn, results, answers)
        return seen.verdict(context, expected)

    def _see_turn(
        self, seen: Sightings, turn: int, expected: list[JsonValue], answers: list[JsonValue]
    ) -> None:
        lost, _ = unmatched_by_pairing(
            range(len(expected)),
            range(len(answers)),
            lambda i, j: self._is_in(expected[i], answers[j]),
        )
        for position, result in enumerate(expected):
            path = f"results[{position}]"
            if position not in lost:
                seen.hold(path, result, result, turn=turn)
                continue
            seen.fail(
                path,
                result,
                MISSING,
                sentence=f"none of the {len(answers)} results until the end of turn {turn} "
                f"is {show(result)}",
                turn=turn,
                seen=False,
            )

    def _is_in(self, expected: JsonValue, answer: JsonValue) -> bool:
        return all(place.passed for place in self.comparison.compare(expected, answer))


def _came_back(call: TurnCall) -> bool:
    return call.executed and call.call.completed_index is not None
