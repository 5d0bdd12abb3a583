"""`calls`: which tools are called in some turns: allowed, forbidden, required, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BeforeValidator, Field, model_validator

from oloproof.evaluation.calls import AnyNames, NameList
from oloproof.evaluation.conversations.bans import see_banned
from oloproof.evaluation.conversations.calls import EXECUTED, MADE, REJECTED, turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.sources import expected_at
from oloproof.evaluation.states.options import PlaceText
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.paths import Absent, Path, parse
from oloproof.records.shapes import Json
from oloproof.records.trajectory import CallStatus
from oloproof.suites.validation import Fields, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.calls import TurnCall
    from oloproof.evaluation.setting import Setting

_NO_EXPECTED_CALLS: Final = "no_expected_calls"


class CountFields(Fields):
    """How often a tool is to be called, bounds included."""

    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _bounds(self) -> CountFields:
        if self.min is None and self.max is None:
            raise refuse("no number is given", fix="write `min`, `max` or both")
        if self.max is not None and (self.min or 0) > self.max:
            raise refuse(
                f"no number is at least {self.min} and at most {self.max}",
                fix="make `max` as large as `min`, or larger",
                at=("max",),
            )
        return self


def _counted(given: object) -> object:
    """A list of tools as the counts it stands for: each is called at least once."""
    if given in ([], {}):
        raise refuse("`required` is empty", fix="name a tool")
    if not isinstance(given, list):
        return given
    for position, tool in enumerate(given):
        if not isinstance(tool, str) or not tool:
            raise refuse(
                "a tool is named by its text", fix="write the name of the tool", at=(position,)
            )
        if tool in given[:position]:
            raise refuse(f"`{tool}` is given twice", fix="keep one of them", at=(position,))
    return {tool: {"min": 1} for tool in given}


class Options(TurnOptions):
    """Which tools may, must not and must be called, and which calls count."""

    allowed: AnyNames | None = None
    forbidden: NameList | None = None
    required: Annotated[dict[str, CountFields] | None, BeforeValidator(_counted)] = None
    in_every_turn: bool = False
    arguments: dict[PlaceText, Json] | None = Field(default=None, min_length=1)
    statuses: tuple[CallStatus, ...] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _asks(self) -> Options:
        given = (self.allowed, self.forbidden, self.required)
        if all(option is None for option in given) and not self.in_every_turn:
            raise refuse(
                "the line says nothing of any call",
                fix="give `allowed`, `forbidden`, `required` or `in_every_turn: true`",
            )
        for position, tool in enumerate(self.forbidden or ()):
            if tool in (self.allowed or ()) or tool in (self.required or ()):
                raise refuse(
                    f"`{tool}` is forbidden, and allowed or required",
                    fix="keep one of them",
                    at=("forbidden", position),
                )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    arguments = options.arguments or {}
    return [
        Calls(
            metric=options.criterion_or_type,
            selector=options.selector,
            allowed=None if options.allowed is None else frozenset(options.allowed),
            forbidden=options.forbidden or (),
            required={
                tool: (count.min or 0, count.max)
                for tool, count in (options.required or {}).items()
            },
            in_every_turn=options.in_every_turn,
            arguments=tuple((parse(text), value) for text, value in arguments.items()),
            statuses=None if options.statuses is None else frozenset(options.statuses),
        )
    ]


@dataclass(frozen=True, slots=True)
class Calls(TurnCheck):
    """The calls of the selected turns, taken together."""

    allowed: frozenset[str] | None
    forbidden: tuple[str, ...]
    required: dict[str, tuple[int, int | None]]
    in_every_turn: bool
    arguments: tuple[tuple[Path, JsonValue], ...]
    statuses: frozenset[str] | None

    @property
    def expected_fields(self) -> frozenset[str]:
        """The calls of the reference, where a call is asked for in each of its turns."""
        return frozenset({"turns", "calls"} if self.in_every_turn else ())

    @property
    def named_tools(self) -> frozenset[str]:
        """Those that are allowed, forbidden or required."""
        return frozenset({*(self.allowed or ()), *self.forbidden, *self.required})

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where only turns matter in which the reference calls, and none does."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        called = turn_calls(conversation)
        seen = Sightings()
        self._see_forbidden(seen, conversation, [c for c in called if c.stands_in(turns)])
        if self.in_every_turn:
            self._see_every_turn(seen, context, turns, called)
        self._see_required(seen, [call for call in called if call.settled_turn in turns])
        demands = self.forbidden or self.required or self.allowed is not None
        if not demands and not seen.compared:
            return seen.idle(_NO_EXPECTED_CALLS)
        return seen.verdict(context, turns, whole=True)

    def _see_forbidden(
        self, seen: Sightings, conversation: Conversation, called: Sequence[TurnCall]
    ) -> None:
        broken = set()
        for call in called:
            if call.tool in self.forbidden and self._is_open(call) and self._counts(call, MADE):
                seen.lack_arguments(call)
            outside = self.allowed is not None and call.tool not in self.allowed
            banned = call.tool in self.forbidden and call.has(self.arguments)
            if not self._counts(call, MADE) or not (banned or outside):
                continue
            broken.add(call.tool)
            why = "is forbidden" if banned else "is not among the allowed tools"
            see_banned(seen, conversation, call, why)
        for tool in self.forbidden:
            if tool not in broken:
                seen.hold(f"calls.{tool}", "no call", "no call")
        if self.allowed is not None and not broken - self.allowed:
            inside = {call.tool for call in called if self._counts(call, MADE)}
            seen.hold("calls", [*sorted(self.allowed)], [*sorted(inside)])

    def _see_required(self, seen: Sightings, called: Sequence[TurnCall]) -> None:
        for tool, (least, most) in self.required.items():
            found = [
                call
                for call in called
                if call.tool == tool and self._counts(call, EXECUTED) and call.has(self.arguments)
            ]
            for call in called:
                if call.tool == tool and self._is_open(call) and self._counts(call, EXECUTED):
                    seen.lack_arguments(call)
            wanted, number = _shown(least, most), len(found)
            if least <= number and (most is None or number <= most):
                seen.hold(f"calls.{tool}", wanted, number)
                continue
            where = f": {', '.join(map(str, found))}" if found else ""
            rejected = [str(c) for c in called if c.tool == tool and c.status == REJECTED]
            where += f"; rejected: {', '.join(rejected)}" if rejected else ""
            seen.fail(
                f"calls.{tool}",
                wanted,
                number,
                sentence=f"{tool} was called {number} times ({self.selector}), not {wanted}{where}",
                seen=number > least,
            )

    def _see_every_turn(
        self, seen: Sightings, context: Context, turns: range, called: Sequence[TurnCall]
    ) -> None:
        for turn in turns:
            expected = expected_at(context.case, turn, "calls")
            if isinstance(expected, Absent) or not expected:
                continue
            number = sum(
                call.settled_turn == turn
                and self._counts(call, EXECUTED)
                and call.has(self.arguments)
                for call in called
            )
            if number:
                seen.hold("calls", "at least 1", number, turn=turn)
                continue
            sentence = f"nothing was called in turn {turn}, where the reference calls"
            seen.fail("calls", "at least 1", 0, sentence=sentence, turn=turn, seen=False)

    def _is_open(self, call: TurnCall) -> bool:
        """Whether a call may have the arguments, for all that is known."""
        return bool(self.arguments) and call.arguments is None

    def _counts(self, call: TurnCall, usual: frozenset[str]) -> bool:
        if self.statuses is not None:
            return call.status in self.statuses
        return call.executed if usual is EXECUTED else call.status in usual


def _shown(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    if least == most:
        return f"exactly {least}"
    return f"at most {most}" if least == 0 else f"{least} to {most}"
