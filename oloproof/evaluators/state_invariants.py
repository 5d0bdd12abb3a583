"""`state_invariants`: conditions on paths hold of every recorded state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import AfterValidator, Field

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.evaluation.comparing.differences import show, told_more
from oloproof.evaluation.conditions.expressions import parse_expression
from oloproof.evaluation.conditions.nodes import States, found_at, truth
from oloproof.evaluation.conditions.tokens import ExpressionError
from oloproof.evaluation.contract import Comparison, NamedPlace, failed, missing, passed
from oloproof.evaluation.states.snapshots import (
    NO_STATE_BEFORE,
    SnapshotOptions,
    StateCheck,
    unrecorded,
)
from oloproof.paths import MISSING, Absent
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.evaluation.conditions.nodes import Expression
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting
    from oloproof.evaluation.turns import Conversation


def _readable(text: str) -> str:
    try:
        parse_expression(text)
    except ExpressionError as error:
        raise refuse(
            f"the invariant cannot be read at character {error.position}: {error.what}",
            fix=error.fix,
        ) from None
    return text


class Options(SnapshotOptions):
    """The conditions, all of which must hold."""

    invariants: tuple[Annotated[str, AfterValidator(_readable)], ...] = Field(min_length=1)


class Invariant(NamedTuple):
    """A condition as it was written, and what it says."""

    text: str
    condition: Expression


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    invariants = tuple(Invariant(text, parse_expression(text)) for text in options.invariants)
    places = tuple(
        NamedPlace(path, setting.where("invariants", position))
        for position, invariant in enumerate(invariants)
        for path in invariant.condition.paths()
    )
    return [
        StateInvariants(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places,
            invariants=invariants,
        )
    ]


@dataclass(frozen=True, slots=True)
class StateInvariants(StateCheck):
    """Every invariant after every selected turn."""

    invariants: tuple[Invariant, ...]

    def evaluate(self, context: Context) -> Verdict:
        """A failure where one is false, missing where one is unknown; see the reference."""
        return self.judge_turns(context, self._judge)

    def _judge(self, conversation: Conversation, turn: int) -> Verdict:
        state = conversation.state(self.of, turn)
        if isinstance(state, Absent):
            return unrecorded(conversation, self.of, turn)
        kept = conversation.context.bookkeeping if self.of == "world" else NO_BOOKKEEPING
        states = States(state, conversation.state(self.of, turn - 1), kept)
        # Before the first message of all nothing can be said to have changed.
        speaks = turn > 1 or states.before is not MISSING
        compared = tuple(
            _held(invariant, states)
            for invariant in self.invariants
            if speaks or not invariant.condition.uses_before
        )
        if not compared:
            return NO_STATE_BEFORE
        wrong = [place for place in compared if place.actual is False]
        if wrong:
            said = f"`{wrong[0].path}` does not hold: {wrong[0].note}{told_more(wrong)}"
            return failed(detail=said, compared=compared)
        unknown = [place for place in compared if not place.passed]
        if unknown:
            said = f"`{unknown[0].path}` cannot be told: {unknown[0].note}"
            return missing("invariant_unknown", detail=said, compared=compared)
        return passed(compared=compared)


def _held(invariant: Invariant, states: States) -> Comparison:
    """An invariant as one place: its text, true as expected, what it is, and why."""
    value = truth(invariant.condition.value(states))
    return Comparison(invariant.text, True, value, value is True, _values(invariant, states))


def _values(invariant: Invariant, states: States) -> str | None:
    """The values that a condition read, as far as there is one for each path."""
    told = {}
    for path in invariant.condition.paths():
        found = found_at(path, states.now)
        told[str(path)] = "absent" if not found else show(next(iter(found.values())))
        if path.has_wildcard:
            told[str(path)] = f"{len(found)} values"
        if invariant.condition.uses_before and not path.has_wildcard:
            before = path.get(states.before)
            told[str(path)] += f" (was {'absent' if before is MISSING else show(before)})"
    return ", ".join(f"{path} is {value}" for path, value in told.items()) or None
