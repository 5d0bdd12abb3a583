"""`state_matches`: a recorded state is the expected one, or one of several accepted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.comparing.differences import tell_difference
from oloproof.evaluation.contract import failed, not_applicable, passed
from oloproof.evaluation.states.expected import Accepted, Memory, accepted_by
from oloproof.evaluation.states.options import PlaceText, StateOptions
from oloproof.evaluation.states.snapshots import (
    NOTHING_COMPARED,
    SnapshotOptions,
    StateCheck,
    combine,
    places_of,
    unrecorded,
)
from oloproof.evaluation.turns import Conversation, Of
from oloproof.paths import Absent, Path, parse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, NamedPlace, Verdict
    from oloproof.evaluation.setting import Setting
    from oloproof.evaluation.states.comparison import StateComparison, StateMatch
    from oloproof.records.case import Case

_EXPECTED_AT: Final[dict[Of, str]] = {"world": "state", "active": "active"}
_NO_EXPECTED_STATE: Final = not_applicable("no_expected_state")


class Options(StateOptions, SnapshotOptions):
    """How the states are compared, whose, and where in `expected` the accepted ones are."""

    expected_field: PlaceText | None = None

    @property
    def field(self) -> Path:
        """Where the accepted states are: at `state` for the world, at `active` for the agent's."""
        return parse(self.expected_field or _EXPECTED_AT[self.of])


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    is_world = options.of == "world"
    ignored = places_of(setting, "ignore", options.ignore if is_world else (), counts=False)
    return [
        StateMatches(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places_of(setting, "paths", options.paths, needed=True, counts=is_world)
            + ignored,
            comparison=options.comparison(),
            field=options.field,
        )
    ]


@dataclass(frozen=True, slots=True)
class StateMatches(StateCheck):
    """The state in the end, and after every turn for which one is expected."""

    comparison: StateComparison
    field: Path

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The compared paths, of which one that is nowhere compares nothing, and the ignored."""
        return self.places

    def worlds(self, case: Case) -> list[JsonValue]:
        """The accepted states, and the initial one, of which a place may be gone in the end."""
        states = [state for point in self._accepted(case) for state in point.states]
        given = [] if case.initial_state is None or self.of == "active" else [case.initial_state]
        return [*given, *states]

    @property
    def expected_fields(self) -> frozenset[str]:
        """The accepted states."""
        return frozenset({str(self.field.segments[0]), self.comparison.alternatives, "turns"})

    def check_case(self, case: Case) -> None:
        """Refuses alternatives that are no list, and a turn that the case does not have."""
        StateCheck.check_case(self, case)
        self._accepted(case)

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable without an expected state, missing without a recorded one.

        A match in which nothing was compared is not applicable either, and never a pass.
        """
        if not context.case.turns and self.of == "world":
            passing = self._passed_at_once(context)
            if passing is not None:
                return passing
        points = self._accepted(context.case)
        turns = self.selector.turns(len(context.case.turns) or 1)
        if not any(point.turn in turns for point in points):
            return _NO_EXPECTED_STATE
        conversation = Conversation(context)
        memory = Memory(conversation, self.of, points)
        return combine(
            conversation,
            [self._judge(point, conversation, memory) for point in points if point.turn in turns],
        )

    def _passed_at_once(self, context: Context) -> Verdict | None:
        """The pass of a single call, where it is one; most are, and need nothing by turn."""
        case, state = context.case, context.evidence.state
        points = self._accepted(case)
        if isinstance(state, Absent) or not points:
            return None
        match = self.comparison.best_match(
            list(points[-1].states), state, case.initial_state, context.bookkeeping
        )
        return _pass(match) if match.matched and not match.vacuous else None

    def _accepted(self, case: Case) -> list[Accepted]:
        return accepted_by(case, self.field, self.comparison.alternatives)

    def _judge(
        self, point: Accepted, conversation: Conversation, memory: Memory
    ) -> tuple[int, Verdict]:
        """What is to be said of one turn, or of the end, and after which turn that is."""
        turn = memory.end if point.is_end and not self.selector.is_scoped else point.turn
        state = conversation.state(self.of, turn)
        if isinstance(state, Absent):
            return turn, unrecorded(conversation, self.of, turn)
        match = self._match(point, state, memory, turn)
        if match.vacuous:
            verdict = not_applicable(
                "nothing_compared", detail=NOTHING_COMPARED, compared=match.compared
            )
        elif match.matched:
            verdict = _pass(match)
        else:
            verdict = _failure(match, memory, turn, point.states[match.position])
        return turn, verdict

    def _match(self, point: Accepted, state: JsonValue, memory: Memory, turn: int) -> StateMatch:
        """The match, in which a place that is gone as it should be was compared too."""
        states, kept = list(point.states), memory.bookkeeping
        match = self.comparison.best_match(states, state, memory.initial, kept)
        before = memory.before(turn)
        if match.vacuous and not isinstance(before, Absent):
            match = self.comparison.best_match(states, state, before, kept)
        return match


def _pass(match: StateMatch) -> Verdict:
    detail = f"it is {_named(match)}" if match.accepted > 1 else None
    return passed(detail=detail, compared=match.compared)


def _failure(match: StateMatch, memory: Memory, turn: int, expected: JsonValue) -> Verdict:
    compared = tuple(memory.noted(place, turn) for place in match.compared)
    detail = tell_difference(compared, "the state")
    if match.accepted > 1:
        detail = f"none of {match.accepted} accepted states; nearest is {_named(match)}: {detail}"
    first = next(place for place in compared if not place.passed)
    return failed(label=memory.locus(first.path, turn, expected), detail=detail, compared=compared)


def _named(match: StateMatch) -> str:
    return f"accepted state {match.position + 1} of {match.accepted}"
