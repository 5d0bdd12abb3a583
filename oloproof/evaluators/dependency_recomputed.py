"""`dependency_recomputed`: what depends on a changed value is found again before it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from oloproof.canonical import equal
from oloproof.evaluation.calls import NameList, Names, names
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import PLANNING, Sightings, TurnCheck
from oloproof.evaluation.conversations.dependencies import Recomputation
from oloproof.evaluation.conversations.messages import agent_messages
from oloproof.evaluation.conversations.sources import SourceOptions
from oloproof.evaluation.conversations.supersession import changes, differing, knows, values_at
from oloproof.evaluation.states.options import PathText, PlaceText, parse_all
from oloproof.evaluation.turns import Conversation
from oloproof.paths import Absent, Path, parse
from oloproof.records.shapes import empty_object
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.conversations.supersession import Change
    from oloproof.evaluation.setting import Setting


class Options(SourceOptions):
    """Whose results depend on which places of the state, and what uses them."""

    result_of: Names
    recomputed_by: NameList | None = None
    depends_on: tuple[PathText, ...] = Field(min_length=1)
    used_by: NameList | None = None
    used_in_reply: bool = False
    follows: dict[PlaceText, PlaceText] = Field(default_factory=empty_object)

    @model_validator(mode="after")
    def _is_used(self) -> Options:
        if self.used_by is None and not self.used_in_reply:
            raise refuse(
                "nothing says what uses the results",
                fix="list the tools in `used_by`, or write `used_in_reply: true`",
            )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        DependencyRecomputed(
            metric=options.criterion_or_type,
            selector=options.selector,
            result_of=frozenset(names(options.result_of)),
            recomputed_by=Recomputation.by(options.recomputed_by or ()),
            depends_on=parse_all(options.depends_on),
            used_by=frozenset(options.used_by or ()),
            used_in_reply=options.used_in_reply,
            follows=tuple((parse(at), parse(of)) for at, of in options.follows.items()),
            source=options.source,
        )
    ]


@dataclass(frozen=True, slots=True)
class Use:
    """What uses a result: `event` names it, `step` is None at the end of its turn.

    `place` is where it stands in the order of the steps.
    """

    event: str
    name: str
    turn: int
    step: int | None
    place: int


@dataclass(frozen=True, slots=True)
class Found:
    """What found a result: a call that worked, or an update of the state.

    It rests on what held at `step` of `turn`; of a search the arguments may show it, too.
    """

    event: str
    turn: int
    step: int
    place: int
    search: TurnCall | None = None


@dataclass(frozen=True, slots=True)
class DependencyRecomputed(TurnCheck):
    """Each use of a result, against the last change of what the result depends on."""

    result_of: frozenset[str]
    recomputed_by: Recomputation
    depends_on: tuple[Path, ...]
    used_by: frozenset[str]
    used_in_reply: bool
    follows: tuple[tuple[Path, Path], ...]
    source: Source

    @property
    def expected_fields(self) -> frozenset[str]:
        """The states expected of turns, where the values come from them."""
        return self.source.expected_fields

    @property
    def named_tools(self) -> frozenset[str]:
        """Those that find a result, and those that use it."""
        return self.result_of | self.recomputed_by.tools | self.used_by

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where no result from before a change was there to be used after it."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        called = turn_calls(conversation)
        found = list(self._found(conversation, called))
        changed = changes(conversation, self.source, self.depends_on)
        for use in self._uses(conversation, called, turns):
            self._see(seen, conversation, found, use, changed)
        if not changed and not self.source.is_known(conversation):
            seen.lack("no_recorded_state")
        return seen.verdict(context, turns, idle="nothing_to_recompute")

    def _found(self, conversation: Conversation, called: Sequence[TurnCall]) -> Iterator[Found]:
        """The searches, and the local steps that are as good."""
        for call in called:
            if call.worked and call.tool in self.result_of | self.recomputed_by.tools:
                search = call if call.tool in self.result_of else None
                yield Found(str(call), call.settled_turn, call.place, call.place, search)
        for update in conversation.updates_in(range(1, conversation.last + 1)):
            if self.recomputed_by.is_in(update):
                event = f"the state update at step {update.step} of turn {update.turn}"
                # It rests on what it changes itself as well.
                yield Found(event, update.turn, update.step + 1, update.step)

    def _uses(
        self, conversation: Conversation, called: Sequence[TurnCall], turns: range
    ) -> Iterator[Use]:
        for call in called:
            if call.tool in self.used_by and call.made and call.stands_in(turns):
                yield Use(str(call), call.tool, call.settled_turn, call.place, call.place)
        end = len(conversation.steps) + 1
        for turn in turns if self.used_in_reply else ():
            for message in agent_messages(conversation, (turn,))[-1:]:
                yield Use(str(message), "reply", message.turn, message.step, message.step or end)

    def _see(
        self,
        seen: Sightings,
        conversation: Conversation,
        found: Sequence[Found],
        use: Use,
        changed: Sequence[Change],
    ) -> None:
        results = sorted(
            (one for one in found if (one.turn, one.place) < (use.turn, use.place)),
            key=lambda one: (one.turn, one.place),
        )
        unknown = self.source.unknown_from(conversation)
        if results and unknown is not None and use.turn >= unknown:
            seen.lack_state(self.source, use.event)
        held = [change for change in changed if change.precedes(use.turn, use.place)]
        if not results or not held:
            return
        now = values_at(changed, use.turn, use.place)
        told = [self._staleness(conversation, one, changed, now) for one in results]
        path, wanted = f"{use.name}.result", "a result for the values that hold"
        if None in told:
            fresh = results[max(n for n, reason in enumerate(told) if reason is None)]
            if not self.follows or self._knows(conversation, fresh):
                seen.hold(path, wanted, fresh.event, turn=use.turn)
            else:
                seen.lack_state(self.source, fresh.event)
            return
        last = max(held, key=lambda change: (change.turn, change.step))
        seen.fail(
            path,
            wanted,
            results[-1].event,
            sentence=f"{use.event} uses the result of {results[-1].event}: {told[-1]}",
            turn=use.turn,
            locus=PLANNING if knows(conversation, last, use.turn, use.step) else None,
        )

    def _staleness(
        self,
        conversation: Conversation,
        found: Found,
        changed: Sequence[Change],
        now: dict[Path, JsonValue | Absent],
    ) -> str | None:
        """Why a result is none for the values that hold now; None where it is one."""
        then = values_at(changed, found.turn, found.step)
        other = differing(now, then)
        if other:
            place = other[0]
            return f"`{place}` was {show(then[place])} then, and is {show(now[place])} now"
        return None if found.search is None else self._difference(conversation, found.search)

    def _knows(self, conversation: Conversation, found: Found) -> bool:
        call = found.search
        return call is None or not isinstance(
            self.source.before(conversation, call.settled_turn, call.place), Absent
        )

    def _difference(self, conversation: Conversation, call: TurnCall) -> str | None:
        state = self.source.before(conversation, call.settled_turn, call.place)
        for at, of in self.follows:
            given = at.get(call.arguments)
            wanted = of.get(state)
            if isinstance(wanted, Absent) or (
                not isinstance(given, Absent) and equal(wanted, given)
            ):
                continue
            return f"its `{at}` is {show(given)}, not {show(wanted)}"
        return None
