"""`superseded_absent`: a value that was replaced does not come up in what is done later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from oloproof.evaluation.calls import NameList
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.contract import not_applicable
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import PLANNING, Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import is_to_agent
from oloproof.evaluation.conversations.recurrences import recurrences, wanted, within
from oloproof.evaluation.conversations.sources import SourceOptions, Whose
from oloproof.evaluation.conversations.supersession import (
    changes,
    expected_changes,
    knows,
    listed,
    superseded_at,
)
from oloproof.evaluation.states.options import PathText, PlaceText, parse_all
from oloproof.evaluation.states.snapshots import places_of
from oloproof.evaluation.turns import Conversation
from oloproof.paths import Absent, Path, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, NamedPlace, Verdict
    from oloproof.evaluation.conversations.recurrences import Recurrence
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.conversations.supersession import Change
    from oloproof.evaluation.setting import Setting

_NOTHING_SUPERSEDED: Final = not_applicable("nothing_superseded")

Turn = Annotated[int, Field(ge=1)]


class Options(SourceOptions):
    """Where replaced values are known from, and in which calls they must not come up."""

    of: Whose = "expected"
    paths: tuple[PathText, ...] = ()
    history: PlaceText = "superseded"
    tools: NameList | None = None
    arguments: tuple[PathText, ...] = ()
    compare_turns: tuple[Turn, ...] = ()


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        SupersededAbsent(
            metric=options.criterion_or_type,
            selector=options.selector,
            source=options.source,
            places=places_of(setting, "paths", options.paths, counts=options.of == "world"),
            paths=parse_all(options.paths),
            history=parse(options.history),
            tools=None if options.tools is None else frozenset(options.tools),
            arguments=parse_all(options.arguments),
            compare_turns=frozenset(options.compare_turns),
        )
    ]


@dataclass(frozen=True, slots=True)
class Use:
    """What is done with values at a step: a call, an artefact, or words to another agent.

    `event` tells of it; a `value` of None is not known.
    """

    name: str
    event: str
    turn: int
    step: int
    value: JsonValue


@dataclass(frozen=True, slots=True)
class SupersededAbsent(TurnCheck):
    """What is done later against the values that were replaced and did not come back."""

    source: Source
    paths: tuple[Path, ...]
    history: Path
    tools: frozenset[str] | None
    arguments: tuple[Path, ...]
    compare_turns: frozenset[int]
    places: tuple[NamedPlace, ...]

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The declared paths, where they are looked for in the world."""
        return self.places if self.source.of == "world" else ()

    @property
    def expected_fields(self) -> frozenset[str]:
        """What the case itself says was replaced, and the states it expects."""
        read = self.source.expected_fields
        return read | {"superseded"} if read else read

    @property
    def named_tools(self) -> frozenset[str]:
        """Those whose calls depend on the values, where they are named."""
        return self.tools or frozenset()

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where nothing was replaced, or nothing came after it."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        found = self._changes(conversation)
        if not self.source.is_known(conversation) and self.source.of != "expected":
            seen.lack("no_recorded_state")
            return seen.verdict(context, turns)
        unknown = self.source.unknown_from(conversation)
        if not found and unknown is None:
            return _NOTHING_SUPERSEDED
        for use in self._uses(conversation, turns):
            self._see(seen, conversation, use, found)
            if unknown is not None and use.turn >= unknown:
                seen.lack_state(self.source, use.event)
        return seen.verdict(context, turns, idle="no_later_call")

    def _changes(self, conversation: Conversation) -> list[Change]:
        found = expected_changes(conversation) if self.source.of == "expected" else []
        found += listed(conversation, self.source, self.history)
        found += changes(conversation, self.source, self.paths)
        return sorted(found, key=lambda change: (change.turn, change.step))

    def _uses(self, conversation: Conversation, turns: range) -> Iterator[Use]:
        """The calls; where neither tools nor arguments are named what is made and handed over."""
        for call in turn_calls(conversation):
            named = self.tools is None or call.tool in self.tools
            if named and call.made and call.stands_in(turns):
                yield Use(call.tool, str(call), call.settled_turn, call.place, call.arguments)
        if self.tools is None and not self.arguments:
            yield from _handed_on(conversation, turns)

    def _see(
        self, seen: Sightings, conversation: Conversation, use: Use, found: list[Change]
    ) -> None:
        superseded = superseded_at(found, use.turn, use.step)
        if not superseded or use.turn in self.compare_turns:
            return
        if use.value is None:
            seen.lack_arguments(use.event)
            return
        for change in superseded:
            current = [] if self.arguments else self._elsewhere(conversation, use, change)
            if current is None:
                continue
            again = recurrences(self._values(use.value), change, current)
            for one in again:
                _tell(seen, conversation, use, change, one)
            if not again:
                note = f"not {show(change.old)}, which was replaced at {change}"
                seen.hold(use.name, change.new, use.value, turn=use.turn, note=note)

    def _values(self, value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
        """What matters of a value: all of it, or the arguments that are named."""
        if not self.arguments:
            yield Path(()), value
        for argument in self.arguments:
            for place, held in argument.select(value):
                if not isinstance(held, Absent):
                    yield place, held

    def _elsewhere(self, conversation: Conversation, use: Use, change: Change) -> list[str] | None:
        """The texts that the state holds elsewhere; None where an old value says little.

        That is one which may stand anywhere for another reason.
        """
        if change.old is None or isinstance(change.old, bool) or change.old in ("", [], {}):
            return None
        state = self.source.before(conversation, use.turn, use.step)
        if isinstance(state, Absent):
            return []
        old, texts = wanted(change.old), []
        for place, value in within(Path(()), state):
            if self.history.covers(place) or change.path.covers(place):
                continue
            if old.is_whole(value):
                return None
            if isinstance(value, str):
                texts.append(value)
        return texts


def _handed_on(conversation: Conversation, turns: range) -> Iterator[Use]:
    """The artefacts that are made, and what is handed over to other agents."""
    for turn, step in conversation.steps_in(turns):
        where = f"at step {step['index']} of turn {turn}"
        artefact = step.get("artefact")
        if artefact:
            value = {key: artefact.get(key) for key in ("name", "content")}
            event = f"the artefact `{artefact['name']}` {where}"
            yield Use("artefact", event, turn, step["index"], value)
        held = {key: step[key] for key in ("result", "arguments") if step.get(key) is not None}
        if held and is_to_agent(step):
            event = f"the message to {step.get('to_agent') or 'another agent'} {where}"
            yield Use("message", event, turn, step["index"], held)


def _tell(
    seen: Sightings, conversation: Conversation, use: Use, change: Change, one: Recurrence
) -> None:
    inside = "" if one.text is None else f" in {show(one.text)}"
    sentence = (
        f"{use.event} has {show(change.old)}{inside} at `{one.place}`, which "
        f"{show(change.new)} replaced at {change}"
    )
    if one.unclear is not None:
        seen.lack("value_unclear", f"{sentence}: {one.unclear}")
        return
    seen.fail(
        f"{use.name}.{one.place}",
        change.new,
        change.old if one.text is None else one.text,
        sentence=sentence,
        turn=use.turn,
        locus=PLANNING if knows(conversation, change, use.turn, use.step) else None,
    )
