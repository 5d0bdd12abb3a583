"""What checks of calls and messages share: their scope, and how what they saw makes a verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.evaluation.comparing.differences import told_more
from oloproof.evaluation.completion import how_it_ended
from oloproof.evaluation.contract import (
    CaseCheck,
    Comparison,
    Verdict,
    failed,
    missing,
    not_applicable,
    passed,
)
from oloproof.evaluation.states.snapshots import expected_states, not_reached, reached
from oloproof.evaluation.turns import Conversation

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.locus import Locus
    from oloproof.evaluation.turns import TurnSelector
    from oloproof.paths import Absent
    from oloproof.records.case import Case
    from oloproof.records.evidence import Outcome

PLANNING: Final[Locus] = "planning"
"""The locus of a failure where the working state was right, and what was done not as it says."""


@dataclass(frozen=True, slots=True)
class TurnCheck(CaseCheck):
    """A check of what was done or said in some turns."""

    selector: TurnSelector

    def check_case(self, case: Case) -> None:
        """Refuses a case without the turns that it speaks of."""
        self.selector.check_case(case, self.metric)

    def worlds(self, case: Case) -> list[JsonValue]:
        """The initial state, and those that are expected after a turn."""
        return [*CaseCheck.worlds(self, case), *expected_states(case)]

    def turns(self, conversation: Conversation) -> range:
        """The turns of a conversation that it speaks of."""
        return self.selector.turns(conversation.last)


class Failing(NamedTuple):
    """A failure in a sentence: one that was `seen`, or that something is not there."""

    sentence: str
    locus: Locus | None
    turn: int | None
    seen: bool


@dataclass(slots=True)
class Sightings:
    """What a check saw, place by place; `verdict` says what follows.

    A failure that was `seen` stands whatever else happened; that something is not there is
    only known where nothing was left out.
    """

    compared: list[Comparison] = field(default_factory=list)
    _told: list[Failing] = field(default_factory=list)
    _lacking: list[tuple[str, str | None]] = field(default_factory=list)

    def hold(
        self,
        path: str,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        *,
        turn: int | None = None,
        note: str | None = None,
    ) -> None:
        """It is as it should be."""
        self.compared.append(Comparison(path, expected, actual, True, note, turn))

    def fail(
        self,
        path: str,
        expected: JsonValue | Absent,
        actual: JsonValue | Absent,
        *,
        sentence: str,
        turn: int | None = None,
        note: str | None = None,
        locus: Locus | None = None,
        seen: bool = True,
    ) -> None:
        """It is not as it should be; the sentence names turn and event."""
        self.compared.append(Comparison(path, expected, actual, False, note, turn))
        self._told.append(Failing(sentence, locus, turn, seen))

    def lack(self, reason: str, detail: str | None = None) -> None:
        """It cannot be told whether it is as it should be."""
        self._lacking.append((reason, detail))

    def lack_arguments(self, call: object) -> None:
        """What a call was given is not known."""
        self.lack("no_recorded_arguments", f"the arguments of {call} are not known")

    def lack_text(self, message: object) -> None:
        """The words of a message are not known."""
        self.lack("no_text", f"the words of {message} are not known")

    def lack_state(self, source: Source, event: object) -> None:
        """The state is not known against which an event is held."""
        self.lack("no_recorded_state", f"{source} at {event} is not known")

    def verdict(
        self,
        context: Context,
        turns: Collection[int],
        *,
        idle: str | None = None,
        of_steps: bool = True,
        whole: bool = False,
    ) -> Verdict:
        """What follows for some turns of a case.

        Where turns are selected and no step of a conversation names its own, nothing is told
        of them. Else a failure that was seen comes first, then that the steps are not known
        (for a check that is `of_steps`), a failure by what is not there, what cannot be told,
        that the conversation broke off before a turn, and at last that nothing was compared:
        then the check does not speak of the case, for the reason `idle`. A check of the
        `whole`, as a ban or a count is, goes by all there is, however early that ended.
        """
        conversation = Conversation(context)
        verdict = self._verdict(conversation, turns, idle=idle, of_steps=of_steps, whole=whole)
        return verdict._replace(compared=tuple(self.compared))

    def idle(self, reason: str) -> Verdict:
        """That the check does not speak of the case."""
        return not_applicable(reason, compared=tuple(self.compared))

    def _verdict(
        self,
        conversation: Conversation,
        turns: Collection[int],
        *,
        idle: str | None,
        of_steps: bool,
        whole: bool,
    ) -> Verdict:
        if of_steps and len(turns) < conversation.last and not conversation.tells_turns:
            return _TURNS_NOT_TOLD
        begun = reached(conversation)
        late = [turn for turn in turns if turn > begun]
        told = [one for one in self._told if one.seen or (one.turn or 0) <= begun]
        if any(one.seen for one in told):
            return _failure(told, None)
        unknown = _without_steps(conversation.context) if of_steps else None
        if unknown is not None:
            return unknown
        if late and len(late) == len(turns):
            return not_reached(conversation, late[0])
        if told:
            cut = (told[0].turn or max(turns, default=begun)) >= begun
            return _failure(told, conversation.context.evidence.outcome if cut else None)
        if self._lacking:
            reason, detail = self._lacking[0]
            return missing(reason, detail=detail)
        if late and (self._told or not whole):
            return not_reached(conversation, late[0])
        if idle is not None and not self.compared:
            return not_applicable(idle)
        ending = conversation.context.evidence.outcome
        cut_short = ending.status != "completed"
        return passed(detail=f"as far as it got: {how_it_ended(ending)}" if cut_short else None)


_TURNS_NOT_TOLD: Final = missing("turns_not_told", detail="no step says in which turn it was taken")


def _failure(told: Sequence[Failing], ending: Outcome | None) -> Verdict:
    """The first failure, and how many more there are.

    That something is not there in a call that did not complete is laid to its `ending`.
    """
    sentence = told[0].sentence + told_more(told)
    if ending is None or ending.status == "completed":
        return failed(label=told[0].locus, detail=sentence)
    return failed(label=ending.status, detail=f"{sentence}; {how_it_ended(ending)}")


def _without_steps(context: Context) -> Verdict | None:
    """Missing where the steps are not known, or not all of them, else None."""
    trajectory = context.evidence.trajectory
    if trajectory is None:
        return missing("no_recorded_trajectory", detail=context.evidence.trajectory_problem)
    if trajectory.get("truncated"):
        return missing(
            "trajectory_truncated", detail="steps were left out, and one of them may decide"
        )
    return None
