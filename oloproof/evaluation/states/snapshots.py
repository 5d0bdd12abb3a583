"""The states that a check speaks of, turn by turn, and one verdict made of those on its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import CaseCheck, NamedPlace, Verdict, missing, not_applicable
from oloproof.evaluation.options import OptionError
from oloproof.evaluation.turns import Conversation, Of, TurnOptions, TurnSelector
from oloproof.paths import Absent, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison, Context
    from oloproof.evaluation.options import Line
    from oloproof.records.case import Case

NO_STATE_BEFORE: Final = not_applicable(
    "no_state_before", detail="the state before the first message is not known"
)
"""The verdict on a first turn where nothing says what was there before it."""

NOTHING_COMPARED: Final = "all that is compared is absent in both states, or ignored"
"""Why a check says nothing although the state is as it should be."""


class SnapshotOptions(TurnOptions):
    """The fields of a check of states: whose state, after which turns."""

    of: Of = "world"


@dataclass(frozen=True, slots=True)
class StateCheck(CaseCheck):
    """What most checks of states begin with: whose state they judge, after which turns."""

    of: Of
    selector: TurnSelector
    places: tuple[NamedPlace, ...]

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The declared paths, where it is the world: a working state is given with no case."""
        return self.places if self.of == "world" else ()

    def worlds(self, case: Case) -> list[JsonValue]:
        """The initial state, and those that are expected after a turn."""
        return [*CaseCheck.worlds(self, case), *expected_states(case)]

    def check_case(self, case: Case) -> None:
        """Refuses a turn that the case does not have."""
        self.selector.check_case(case, self.metric)

    def judge_turns(
        self, context: Context, judge: Callable[[Conversation, int], Verdict]
    ) -> Verdict:
        """The verdict of all selected turns."""
        conversation = Conversation(context)
        turns = self.selector.turns(conversation.last)
        return combine(conversation, [(turn, judge(conversation, turn)) for turn in turns])


def places_of(
    setting: Line,
    field: str,
    texts: Iterable[str],
    *,
    needed: bool = False,
    counts: bool = True,
) -> tuple[NamedPlace, ...]:
    """The places that a list of paths names in the option `field`."""
    return tuple(
        named_place(setting, text, field, position, needed=needed, counts=counts)
        for position, text in enumerate(texts)
    )


def named_place(
    setting: Line, text: str, *at: str | int, needed: bool = False, counts: bool = True
) -> NamedPlace:
    """The place that a path names, which stands at `at` in a line.

    One that has to count and that the sandbox writes by itself is refused.
    """
    path = parse(text)
    if counts and not setting.bookkeeping.counts(path):
        raise OptionError(
            str(at[0]),
            f"`{text}` is to be compared, and `system.ignore` leaves it out of all comparisons",
            fix="leave it out here or there",
        )
    return NamedPlace(path, setting.where(*at), needed=needed)


def expected_states(case: Case) -> list[JsonValue]:
    """The state expected in the end and those after a turn, as far as there are any."""
    expected = case.expected or {}
    return [
        held["state"] for held in (expected, *expected_by_turn(case).values()) if "state" in held
    ]


def expected_by_turn(case: Case) -> dict[int, dict[str, JsonValue]]:
    """What a case expects after each turn for which it expects anything, in their order."""
    by_turn = (case.expected or {}).get("turns")
    if not isinstance(by_turn, dict):
        return {}
    found = {int(number): held for number, held in by_turn.items() if isinstance(held, dict)}
    return dict(sorted(found.items()))


def reached(conversation: Conversation) -> int:
    """The last turn that was begun: the last of all, unless the conversation broke off."""
    evidence = conversation.context.evidence
    if evidence.outcome.status == "completed":
        return conversation.last
    begun = [len(evidence.replies) + 1, *(turn for turn, _ in conversation.steps)]
    begun += [moment.turn or 1 for moment in (*evidence.worlds, *evidence.active)]
    return min(max(begun), conversation.last)


def counted_or_why(conversation: Conversation, of: Of, turn: int) -> JsonValue | Verdict:
    """What counts of the state after a turn, or the verdict that there is none."""
    state = conversation.counted(of, turn)
    return unrecorded(conversation, of, turn) if isinstance(state, Absent) else state


def unrecorded(conversation: Conversation, of: Of, turn: int) -> Verdict:
    """Missing: why there is no state after a turn."""
    evidence = conversation.context.evidence
    if turn == 0:
        return NO_STATE_BEFORE
    if turn > reached(conversation):
        return not_reached(conversation, turn)
    problem = evidence.world_problem if of == "world" else evidence.active_problem
    return missing("no_recorded_state", detail=problem or evidence.outcome.error)


def not_reached(conversation: Conversation, turn: int) -> Verdict:
    """Missing: the conversation broke off before a turn."""
    outcome = conversation.context.evidence.outcome
    why = outcome.error or outcome.status
    return missing("turn_not_reached", detail=f"turn {turn} was not reached: {why}")


def after(conversation: Conversation, turn: int) -> str:
    """`after turn 2: ` to begin a sentence with, and nothing for a single call."""
    return f"after turn {turn}: " if conversation.context.case.turns else ""


def marked(
    conversation: Conversation, turn: int, compared: Iterable[Comparison]
) -> tuple[Comparison, ...]:
    """What was compared, with its turn in a conversation."""
    if not conversation.context.case.turns:
        return tuple(compared)
    return tuple(place._replace(turn=turn) for place in compared)


def combine(conversation: Conversation, verdicts: Sequence[tuple[int, Verdict]]) -> Verdict:
    """One verdict of those after several turns, with all that was compared.

    A failure counts whatever else is missing, and what is missing before a pass. A turn of
    which the check does not speak counts only where it speaks of none.
    """
    compared = tuple(
        place
        for turn, verdict in verdicts
        for place in marked(conversation, turn, verdict.compared)
    )
    for status in ("fail", "missing", "pass", "not_applicable"):
        found = [(turn, verdict) for turn, verdict in verdicts if verdict.status == status]
        if found:
            return found[0][1]._replace(detail=_told(conversation, found), compared=compared)
    return not_applicable("no_turn_selected", compared=compared)


def _told(conversation: Conversation, found: Sequence[tuple[int, Verdict]]) -> str | None:
    """The sentence of the first turn, and the further turns of which the same holds."""
    turn, verdict = found[0]
    further = list(dict.fromkeys(other for other, _ in found[1:] if other != turn))
    if verdict.detail is None or verdict.reason == "turn_not_reached":
        return verdict.detail
    if not further or verdict.status in ("pass", "not_applicable"):
        return after(conversation, turn) + verdict.detail
    shown = ", ".join(map(str, further[:5])) + (" …" if len(further) > 5 else "")
    return f"{after(conversation, turn)}{verdict.detail} (and after turn {shown})"
