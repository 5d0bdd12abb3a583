"""`superseded_absent`: a value that was replaced does not come up in later calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from oloproof.canonical import equal
from oloproof.evaluation.call_options import NameList
from oloproof.evaluation.contract import not_applicable
from oloproof.evaluation.snapshots import places_of
from oloproof.evaluation.sources import SourceOptions, Whose
from oloproof.evaluation.state_options import PathText, PlaceText, parse_all
from oloproof.evaluation.supersession import (
    changes,
    expected_changes,
    knows,
    listed,
    superseded_at,
)
from oloproof.evaluation.turn_calls import turn_calls
from oloproof.evaluation.turn_checks import PLANNING, Sightings, TurnCheck
from oloproof.evaluation.turns import Conversation
from oloproof.evaluation.wording import show
from oloproof.paths import Absent, Path, children, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, NamedPlace, Setting, Verdict
    from oloproof.evaluation.sources import Source
    from oloproof.evaluation.supersession import Change
    from oloproof.evaluation.turn_calls import TurnCall

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
            places=places_of(setting, "paths", options.paths),
            paths=parse_all(options.paths),
            history=parse(options.history),
            tools=None if options.tools is None else frozenset(options.tools),
            arguments=parse_all(options.arguments),
            compare_turns=frozenset(options.compare_turns),
        )
    ]


@dataclass(frozen=True, slots=True)
class SupersededAbsent(TurnCheck):
    """The arguments of later calls against the values that were replaced and did not come back."""

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
        """Not applicable where nothing was replaced, or no call came after it."""
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
        for call in turn_calls(conversation):
            if self._speaks_of(call) and call.stands_in(turns):
                self._see(seen, conversation, call, found)
                if unknown is not None and call.settled_turn >= unknown:
                    seen.lack_state(self.source, call)
        return seen.verdict(context, turns, idle="no_later_call")

    def _changes(self, conversation: Conversation) -> list[Change]:
        found = expected_changes(conversation) if self.source.of == "expected" else []
        found += listed(conversation, self.source, self.history)
        found += changes(conversation, self.source, self.paths)
        return sorted(found, key=lambda change: (change.turn, change.step))

    def _speaks_of(self, call: TurnCall) -> bool:
        named = self.tools is None or call.tool in self.tools
        return named and call.made and call.settled_turn not in self.compare_turns

    def _see(
        self, seen: Sightings, conversation: Conversation, call: TurnCall, found: list[Change]
    ) -> None:
        superseded = superseded_at(found, call.settled_turn, call.place)
        if superseded and call.arguments is None:
            seen.lack_arguments(call)
            return
        for change in superseded:
            if not self.arguments and self._says_little(conversation, call, change):
                continue
            stale = [place for place, value in self._values(call) if _is_old(value, change)]
            for place in stale:
                seen.fail(
                    f"{call.tool}.{place}",
                    change.new,
                    change.old,
                    sentence=f"{call} has {show(change.old)} at `{place}`, which "
                    f"{show(change.new)} replaced at {change}",
                    turn=call.settled_turn,
                    locus=PLANNING
                    if knows(conversation, change, call.settled_turn, call.place)
                    else None,
                )
            if not stale:
                note = f"not {show(change.old)}, which was replaced at {change}"
                seen.hold(call.tool, change.new, call.arguments, turn=call.settled_turn, note=note)

    def _values(self, call: TurnCall) -> Iterator[tuple[Path, JsonValue]]:
        """The arguments that matter, and all that is in them."""
        if not self.arguments:
            yield from _within(Path(()), call.arguments)
        for argument in self.arguments:
            for place, value in argument.select(call.arguments):
                if not isinstance(value, Absent):
                    yield from _within(place, value)

    def _says_little(self, conversation: Conversation, call: TurnCall, change: Change) -> bool:
        """Whether the old value may stand in some argument for another reason."""
        if change.old is None or isinstance(change.old, bool) or change.old in ("", [], {}):
            return True
        state = self.source.before(conversation, call.settled_turn, call.place)
        if isinstance(state, Absent):
            return False
        return any(
            _is_old(value, change)
            for place, value in _within(Path(()), state)
            if not self.history.covers(place) and not change.path.covers(place)
        )


def _within(path: Path, value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
    """A value and everything in it, each with its path."""
    yield path, value
    for key, item in children(value):
        yield from _within(Path((*path.segments, key)), item)


def _is_old(value: JsonValue, change: Change) -> bool:
    return not isinstance(change.old, Absent) and equal(change.old, value)
