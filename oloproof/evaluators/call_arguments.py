"""`call_arguments`: an argument, where it is given, is what the state or the suite says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field, model_validator

from oloproof.canonical import equal
from oloproof.evaluation.calls import NameList, Names, names
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.comparing.multisets import form
from oloproof.evaluation.comparing.rules import EXACTLY, Rule
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import PLANNING, Sightings, TurnCheck
from oloproof.evaluation.conversations.sources import SourceOptions
from oloproof.evaluation.states.options import PathText, PlaceText, parse_all
from oloproof.evaluation.turns import Conversation
from oloproof.paths import Absent, Path, parse
from oloproof.records.shapes import Json
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.setting import Setting

_VALUES: Final = ("follows", "equals", "one_of")


class Options(SourceOptions):
    """Which argument of which tools must be what, and which arguments there may be at all."""

    tool: Names
    argument: PathText | tuple[PathText, ...] = ()
    follows: PlaceText | None = None
    equals: Json = None
    one_of: tuple[Json, ...] | None = Field(default=None, min_length=1)
    unordered: bool = False
    closed: bool = False
    known: NameList | None = None

    @model_validator(mode="after")
    def _one_value(self) -> Options:
        given = [name for name in _VALUES if name in self.model_fields_set]
        if len(given) > 1:
            raise refuse(
                f"`{given[0]}` and `{given[1]}` cannot both be given",
                fix="keep one, and give the other on a line of its own",
                at=(given[1],),
            )
        if given and not self.argument:
            raise refuse(
                f"`{given[0]}` says nothing without an argument",
                fix="name it: `argument: capacity`",
                at=(given[0],),
            )
        if self.argument and not given:
            raise refuse(
                "nothing says what the argument must be",
                fix="give `follows`, `equals` or `one_of`",
                at=("argument",),
            )
        if "of" in self.model_fields_set and self.follows is None:
            raise refuse("`of` says nothing without `follows`", fix="leave it out", at=("of",))
        return self

    @model_validator(mode="after")
    def _closed_or_not(self) -> Options:
        if not self.argument and not self.closed:
            raise refuse(
                "the line says nothing of any argument",
                fix="give `argument`, or `closed: true` with the `known` arguments",
            )
        if self.closed != (self.known is not None):
            raise refuse(
                "`closed` and `known` need each other",
                fix="write `closed: true` and list the `known` arguments",
                at=("closed",) if self.closed else ("known",),
            )
        return self

    def fixed(self) -> tuple[JsonValue, ...] | None:
        """The values one of which the argument must be, None where it follows the state."""
        if self.one_of is not None:
            return self.one_of
        return (self.equals,) if "equals" in self.model_fields_set else None


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        CallArguments(
            metric=options.criterion_or_type,
            selector=options.selector,
            tools=frozenset(names(options.tool)),
            arguments=parse_all(names(options.argument)),
            follows=None if options.follows is None else parse(options.follows),
            source=options.source,
            fixed=options.fixed(),
            unordered=options.unordered,
            known=None if options.known is None else frozenset(options.known),
        )
    ]


@dataclass(frozen=True, slots=True)
class CallArguments(TurnCheck):
    """The arguments of each call of the tools that is made in the selected turns."""

    tools: frozenset[str]
    arguments: tuple[Path, ...]
    follows: Path | None
    source: Source
    fixed: tuple[JsonValue, ...] | None
    unordered: bool
    known: frozenset[str] | None

    @property
    def expected_fields(self) -> frozenset[str]:
        """The states expected of turns, where an argument follows one of them."""
        return frozenset() if self.follows is None else self.source.expected_fields

    @property
    def named_tools(self) -> frozenset[str]:
        """Those whose calls are looked at."""
        return self.tools

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where no call has such an argument."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        for call in turn_calls(conversation):
            if call.tool in self.tools and call.made and call.stands_in(turns):
                self._see_unknown(seen, call)
                self._see_values(seen, conversation, call)
        return seen.verdict(context, turns, idle="argument_not_given")

    def _see_unknown(self, seen: Sightings, call: TurnCall) -> None:
        if call.arguments is None:
            seen.lack_arguments(call)
            return
        if self.known is None:
            return
        given = call.arguments if isinstance(call.arguments, dict) else {}
        unknown = sorted(given.keys() - self.known)
        path, wanted = f"{call.tool}.arguments", sorted(self.known)
        actual: list[Any] = sorted(given)
        if unknown:
            told = ", ".join(f"`{name}`" for name in unknown)
            sentence = f"{call} has an unknown argument: {told}"
            seen.fail(path, [*wanted], actual, sentence=sentence, turn=call.settled_turn)
        else:
            seen.hold(path, [*wanted], actual, turn=call.settled_turn)

    def _see_values(self, seen: Sightings, conversation: Conversation, call: TurnCall) -> None:
        given = [
            (f"{call.tool}.{place}", actual)
            for argument in self.arguments
            for place, actual in argument.select(call.arguments)
            if not isinstance(actual, Absent)
        ]
        wanted = (
            self.fixed
            if self.follows is None or not given
            else self._followed(seen, conversation, call)
        )
        for path, actual in given if wanted else ():
            self._see_value(seen, call, path, actual, wanted or ())

    def _followed(
        self, seen: Sightings, conversation: Conversation, call: TurnCall
    ) -> tuple[JsonValue, ...]:
        """What the state holds when the call takes place; nothing where there is no such place."""
        assert self.follows is not None
        state = self.source.before(conversation, call.settled_turn, call.place)
        if isinstance(state, Absent):
            seen.lack_state(self.source, call)
            return ()
        value = self.follows.get(state)
        return () if isinstance(value, Absent) else (value,)

    def _see_value(
        self,
        seen: Sightings,
        call: TurnCall,
        path: str,
        actual: JsonValue,
        wanted: tuple[JsonValue, ...],
    ) -> None:
        shown = wanted[0] if len(wanted) == 1 else [*wanted]
        turn = call.settled_turn
        if any(self._same(value, actual) for value in wanted):
            seen.hold(path, shown, actual, turn=turn)
            return
        one = "" if len(wanted) == 1 else "one of "
        says = "" if self.follows is None else f", as {self.source} says at "
        says += "" if self.follows is None else f"`{self.follows}`"
        seen.fail(
            path,
            shown,
            actual,
            sentence=f"{path} is {show(actual)} in {call}, not {one}{show(shown)}{says}",
            turn=turn,
            locus=PLANNING if self.follows is not None and self.source.of == "active" else None,
        )

    def _same(self, wanted: JsonValue, actual: JsonValue) -> bool:
        if self.unordered and isinstance(wanted, list) and isinstance(actual, list):
            return form(wanted, _UNORDERED, EXACTLY) == form(actual, _UNORDERED, EXACTLY)
        return equal(wanted, actual)


_UNORDERED: Final = (Rule(unordered=True),)
