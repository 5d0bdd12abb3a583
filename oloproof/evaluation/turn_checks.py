"""What checks of calls and messages share: their scope, and how what they saw makes a verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import (
    CaseCheck,
    Comparison,
    Verdict,
    broken_off,
    failed,
    missing,
    not_applicable,
    passed,
)
from oloproof.evaluation.snapshots import expected_states
from oloproof.evaluation.turns import Conversation
from oloproof.evaluation.wording import told_more

if TYPE_CHECKING:
    from collections.abc import Collection

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context
    from oloproof.evaluation.locus import Locus
    from oloproof.evaluation.sources import Source
    from oloproof.evaluation.turns import TurnSelector
    from oloproof.paths import Absent
    from oloproof.suites.case import Case

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


@dataclass(slots=True)
class Sightings:
    """What a check saw, place by place; `verdict` says what follows.

    A failure that was `seen` stands whatever else happened; that something is not there is
    only known where nothing was left out.
    """

    compared: list[Comparison] = field(default_factory=list)
    _told: list[tuple[str, Locus | None]] = field(default_factory=list)
    _lacking: list[tuple[str, str | None]] = field(default_factory=list)
    _seen: bool = False

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
        self._told.append((sentence, locus))
        self._seen = self._seen or seen

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
    ) -> Verdict:
        """What follows for some turns of a case.

        Where turns are selected and no step of a conversation names its own, nothing is told
        of them. Else a failure that was seen comes first, then that the conversation broke
        off, that its steps are not known (for a check that is `of_steps`), a failure by what
        is not there, what cannot be told, and at last that nothing was compared: then the
        check does not speak of the case, for the reason `idle`.
        """
        conversation = Conversation(context)
        if of_steps and len(turns) < conversation.last and not conversation.tells_turns:
            told = "no step says in which turn it was taken"
            return broken_off_in(context, turns) or missing("turns_not_told", detail=told)
        if not self._seen:
            obstacle = broken_off_in(context, turns)
            if obstacle is None and of_steps:
                obstacle = _without_steps(context)
            if obstacle is not None:
                return obstacle._replace(compared=tuple(self.compared))
        return self._conclude(idle)

    def idle(self, reason: str) -> Verdict:
        """That the check does not speak of the case."""
        return not_applicable(reason, compared=tuple(self.compared))

    def _conclude(self, idle: str | None) -> Verdict:
        compared = tuple(self.compared)
        if self._told:
            sentence, locus = self._told[0]
            said = sentence + told_more(self._told)
            return failed(label=locus, detail=said, compared=compared)
        if self._lacking:
            reason, detail = self._lacking[0]
            return missing(reason, detail=detail, compared=compared)
        if not compared and idle is not None:
            return self.idle(idle)
        return passed(compared=compared)


def broken_off_in(context: Context, turns: Collection[int]) -> Verdict | None:
    """The failure of a conversation that did not come to the end of some turns, else None."""
    reached = len(context.evidence.replies)
    return broken_off(context) if any(turn > reached for turn in turns) else None


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
