"""`offered_options`: what the agent offers is among what may be offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from oloproof.canonical import equal
from oloproof.evaluation.claims.evidence import Heard
from oloproof.evaluation.claims.phrases import Patterns, find_phrase
from oloproof.evaluation.claims.reading import claim_outcome
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import AgentMessage, agent_messages, text_of
from oloproof.evaluation.conversations.sources import SourceOptions
from oloproof.evaluation.states.options import PathText
from oloproof.evaluation.turns import Conversation
from oloproof.paths import Absent, Path, parse
from oloproof.records.shapes import Json
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.setting import Setting


class Options(SourceOptions):
    """Where the offered options are found, and which of them may be there."""

    path: PathText | None = None
    artefact: str | None = Field(default=None, min_length=1)
    ids: Patterns | None = None
    allowed: tuple[Json, ...] | None = None
    allowed_at: PathText | None = None
    forbidden: tuple[Json, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Options:
        if self.path is None and self.ids is None:
            raise refuse(
                "nothing says where the options are found",
                fix="give the `path` of their list, or the `ids` to be looked for in the text",
            )
        if self.artefact is not None and self.path is None:
            raise refuse(
                "nothing says where in the artefact the options are",
                fix="give their `path`",
                at=("artefact",),
            )
        if self.allowed is not None and self.allowed_at is not None:
            raise refuse(
                "`allowed` and `allowed_at` cannot both be given", fix="keep one", at=("allowed",)
            )
        if self.allowed is None and self.allowed_at is None and not self.forbidden:
            raise refuse(
                "nothing says which options may be offered",
                fix="give `allowed`, `allowed_at` or `forbidden`",
            )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        OfferedOptions(
            metric=options.criterion_or_type,
            selector=options.selector,
            path=None if options.path is None else parse(options.path),
            artefact=options.artefact,
            ids=options.ids or (),
            allowed=options.allowed,
            allowed_at=None if options.allowed_at is None else parse(options.allowed_at),
            forbidden=options.forbidden,
            source=options.source,
        )
    ]


@dataclass(frozen=True, slots=True)
class Offer:
    """One option, and the message by which it was offered; `unclear` says why it may be none."""

    option: JsonValue
    where: str
    message: AgentMessage
    unclear: str | None = None


@dataclass(frozen=True, slots=True)
class OfferedOptions(TurnCheck):
    """The options in the replies, artefacts or messages of the selected turns."""

    path: Path | None
    artefact: str | None
    ids: tuple[str, ...]
    allowed: tuple[JsonValue, ...] | None
    allowed_at: Path | None
    forbidden: tuple[JsonValue, ...]
    source: Source

    @property
    def expected_fields(self) -> frozenset[str]:
        """The states expected of turns, where they say what is allowed."""
        return frozenset() if self.allowed_at is None else self.source.expected_fields

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where nothing was offered in the selected turns."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        called = turn_calls(conversation)
        for turn in turns:
            structured = list(self._listed(conversation, turn))
            for offer in structured or self._worded(seen, conversation, turn):
                self._see(seen, Heard(conversation, offer.message, called), offer)
        return seen.verdict(
            context, turns, idle="nothing_offered", of_steps=self.artefact is not None
        )

    def _listed(self, conversation: Conversation, turn: int) -> Iterator[Offer]:
        """The options in the list of a reply, or of the artefacts of a kind."""
        if self.path is None:
            return
        if self.artefact is None:
            reply = conversation.reply(turn)
            message = AgentMessage(turn, text_of(reply))
            for option in _options(self.path, reply):
                yield Offer(option, str(message), message)
            return
        for _, step in conversation.steps_in((turn,)):
            made = step.get("artefact") or {}
            if made.get("kind") == self.artefact:
                where = f"the artefact at step {step['index']} of turn {turn}"
                message = AgentMessage(turn, None, step["index"])
                for option in _options(self.path, made.get("content")):
                    yield Offer(option, where, message)

    def _worded(self, seen: Sightings, conversation: Conversation, turn: int) -> Iterator[Offer]:
        """The ids that the messages of a turn name, but those that they deny."""
        for message in agent_messages(conversation, (turn,)) if self.ids else ():
            text = message.text
            if text is None:
                seen.lack_text(message)
                continue
            for name in self.ids:
                if find_phrase(text, name) is None:
                    continue
                reading = claim_outcome(text, [name])
                if reading.outcome != "denied":
                    unclear = reading.reason if reading.outcome == "unclear" else None
                    yield Offer(name, str(message), message, unclear)

    def _see(self, seen: Sightings, heard: Heard, offer: Offer) -> None:
        wanted = self._allowed(seen, heard, offer)
        if isinstance(wanted, Absent):
            return
        option = offer.option
        why = None
        if _is_in(option, self.forbidden):
            why = "it must not be offered"
        elif wanted is not None and not _is_in(option, wanted):
            why = f"it is none of {show([*wanted])}"
        path, shown = "options", "no such option" if wanted is None else [*wanted]
        if why is None:
            seen.hold(path, shown, option, turn=offer.message.turn)
        elif offer.unclear is not None:
            sentence = f"whether {offer.where} offers {show(option)} is unclear: {offer.unclear}"
            seen.lack("offer_unclear", sentence)
        else:
            sentence = f"{offer.where} offers {show(option)}: {why}"
            seen.fail(path, shown, option, sentence=sentence, turn=offer.message.turn)

    def _allowed(
        self, seen: Sightings, heard: Heard, offer: Offer
    ) -> tuple[JsonValue, ...] | Absent | None:
        """What may be offered; None for anything, `MISSING` where it is not known."""
        if self.allowed_at is None:
            return self.allowed
        state = heard.state(self.source)
        if isinstance(state, Absent):
            seen.lack_state(self.source, offer.where)
            return state
        return tuple(_options(self.allowed_at, state))


def _options(path: Path, value: JsonValue | Absent) -> list[JsonValue]:
    """What is at a path; of a single list there its items."""
    found = [] if isinstance(value, Absent) else [item for _, item in path.select(value)]
    there = [item for item in found if not isinstance(item, Absent)]
    if not path.has_wildcard and len(there) == 1 and isinstance(there[0], list):
        return there[0]
    return there


def _is_in(option: JsonValue, listed: tuple[JsonValue, ...]) -> bool:
    return any(equal(option, other) for other in listed)
