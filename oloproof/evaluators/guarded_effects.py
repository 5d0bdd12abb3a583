"""`guarded_effects`: what has an effect is done on the current state, and with its permission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oloproof.canonical import equal
from oloproof.evaluation.calls import NameList
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.conversations.bans import (
    PERMISSION,
    PermissionText,
    permission_in,
    permission_place,
)
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import PLANNING, Sightings, TurnCheck
from oloproof.evaluation.conversations.sources import ACTIVE, pending_at, revision_at
from oloproof.evaluation.states.options import PlaceText
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.paths import MISSING, Absent, Path, parse, same

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.setting import Setting


class Options(TurnOptions):
    """Which tools have an effect, and where the working state holds what guards it."""

    tools: NameList
    revision: PlaceText | None = "revision"
    permission: PermissionText | None = PERMISSION


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        GuardedEffects(
            metric=options.criterion_or_type,
            selector=options.selector,
            tools=frozenset(options.tools),
            revision=None if options.revision is None else parse(options.revision),
            permission=options.permission,
        )
    ]


@dataclass(frozen=True, slots=True)
class GuardedEffects(TurnCheck):
    """Each executed call of the tools against the working state at the moment it was executed."""

    tools: frozenset[str]
    revision: Path | None
    permission: str | None

    @property
    def named_tools(self) -> frozenset[str]:
        """Those that have an effect."""
        return self.tools

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where none of the tools was executed in the selected turns."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        for call in turn_calls(conversation):
            if call.tool in self.tools and call.executed and call.settled_turn in turns:
                self._see_pending(seen, conversation, call)
                self._see_revision(seen, conversation, call)
                self._see_permission(seen, conversation, call)
        return seen.verdict(context, turns, idle="no_effect")

    def _see_pending(self, seen: Sightings, conversation: Conversation, call: TurnCall) -> None:
        pending = pending_at(conversation, call.settled_turn, call.place)
        path, turn = f"{call.tool}.committed", call.settled_turn
        if pending is None:
            seen.hold(path, True, True, turn=turn)
            return
        revision, proposed, committed = pending
        sentence = (
            f"{call} was executed before revision {revision} was committed: "
            f"it is proposed at step {proposed}, and committed at step {committed}"
        )
        seen.fail(path, True, False, sentence=sentence, turn=turn)

    def _see_revision(self, seen: Sightings, conversation: Conversation, call: TurnCall) -> None:
        if self.revision is None:
            return
        turn = call.settled_turn
        current = revision_at(conversation, self.revision, turn, call.place)
        if isinstance(current, Absent):
            seen.lack("no_revision", f"the revision of the working state at {call} is not known")
        elif call.revision is None:
            seen.lack("no_revision", f"{call} does not say on which revision it rests")
        elif equal(current, call.revision):
            seen.hold(f"{call.tool}.state_revision", current, call.revision, turn=turn)
        else:
            seen.fail(
                f"{call.tool}.state_revision",
                current,
                call.revision,
                sentence=f"{call} rests on revision {call.revision}, and revision "
                f"{show(current)} held when it was executed",
                turn=turn,
                locus=PLANNING,
            )

    def _is_dated(self, conversation: Conversation, call: TurnCall, permission: str) -> bool:
        """Whether a permission that was found was there when a call was executed.

        A committed update of the turn tells, or that it was there after the turn before, or
        that the call rests on the revision that the turn ended with and did not begin with.
        """
        turn = call.settled_turn
        if any(conversation.updates_in((turn,))):
            return True
        before, after = (conversation.state("active", n) for n in (turn - 1, turn))
        if isinstance(after, Absent) or permission_in(before, call.tool, permission) is True:
            return True
        if self.revision is None or call.revision is None:
            return False
        first, last = self.revision.get(before), self.revision.get(after)
        return same(last, call.revision) and not same(first, last)

    def _see_permission(self, seen: Sightings, conversation: Conversation, call: TurnCall) -> None:
        if self.permission is None:
            return
        turn = call.settled_turn
        state = ACTIVE.before(conversation, turn, call.place)
        if isinstance(state, Absent):
            seen.lack_state(ACTIVE, call)
            return
        given = permission_in(state, call.tool, self.permission)
        place = str(permission_place(self.permission, call.tool))
        if given is True and not self._is_dated(conversation, call, self.permission):
            told = f"nothing tells whether `{place}` was granted before {call} or after it"
            seen.lack("permission_not_dated", told)
            return
        if given is True:
            seen.hold(place, True, given, turn=turn)
            return
        seen.fail(
            place,
            True,
            MISSING if isinstance(given, Absent) else given,
            sentence=f"{call} was executed without permission: `{place}` is {show(given)}",
            turn=turn,
            locus=PLANNING,
        )
