"""`asks_again`: the agent does not ask for what is known already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from oloproof.evaluation.claims.evidence import Heard
from oloproof.evaluation.claims.phrases import Patterns, find_phrase
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.contract import NamedPlace
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import AgentMessage, agent_messages, asked_for
from oloproof.evaluation.conversations.sources import SourceOptions
from oloproof.evaluation.states.options import PlaceText
from oloproof.evaluation.turns import Conversation
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.sources import Source
    from oloproof.evaluation.setting import Setting


class Options(SourceOptions):
    """By which words the agent asks for which place of the state."""

    known: dict[PlaceText, Patterns] = Field(min_length=1)


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        AsksAgain(
            metric=options.criterion_or_type,
            selector=options.selector,
            known=tuple((parse(text), patterns) for text, patterns in options.known.items()),
            source=options.source,
            places=tuple(
                NamedPlace(parse(text), setting.where("known", text)) for text in options.known
            ),
        )
    ]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for, by which words, in which message."""

    words: str
    message: AgentMessage
    where: str


@dataclass(frozen=True, slots=True)
class AsksAgain(TurnCheck):
    """The questions in the agent's messages, against what was known when they were asked."""

    known: tuple[tuple[Path, tuple[str, ...]], ...]
    source: Source
    places: tuple[NamedPlace, ...]

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The declared paths, where they are looked for in the world."""
        return self.places if self.source.of == "world" else ()

    @property
    def expected_fields(self) -> frozenset[str]:
        """The states expected of turns, where they say what is known."""
        return self.source.expected_fields

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where the agent said nothing in the selected turns."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        called = turn_calls(conversation)
        for turn in turns:
            for path, patterns in self.known:
                questions = list(_questions(conversation, turn, path, patterns))
                for question in questions:
                    self._see(seen, Heard(conversation, question.message, called), path, question)
                if not questions:
                    self._see_none(seen, conversation, path, turn)
        return seen.verdict(context, turns, idle="no_message", of_steps=False)

    def _see_none(self, seen: Sightings, conversation: Conversation, path: Path, turn: int) -> None:
        """A turn in which no question for a place was found."""
        messages = agent_messages(conversation, (turn,))
        unread = [message for message in messages if message.text is None]
        if unread and not asked_for(conversation, turn):
            seen.lack_text(unread[0])
        elif messages:
            seen.hold(str(path), "not asked for", "not asked for", turn=turn)

    def _see(self, seen: Sightings, heard: Heard, path: Path, question: Question) -> None:
        state, turn = heard.state(self.source), question.message.turn
        if isinstance(state, Absent):
            seen.lack_state(self.source, question.where)
            return
        value = path.get(state)
        if _is_open(value):
            seen.hold(str(path), MISSING, value, turn=turn, note="not known yet")
            return
        seen.fail(
            str(path),
            "not asked for",
            question.words,
            sentence=f"{question.where} asks for `{path}`, which is {show(value)}: "
            f"{question.words}",
            turn=turn,
        )


def _questions(
    conversation: Conversation, turn: int, path: Path, patterns: tuple[str, ...]
) -> Iterator[Question]:
    """The questions of a turn for a place: as steps tell of them, else by the words."""
    told = asked_for(conversation, turn)
    for step, asked in told:
        if str(path) in asked:
            where = f"step {step} of turn {turn}"
            yield Question(f"asks for {path}", AgentMessage(turn, None, step), where)
    for message in agent_messages(conversation, (turn,)) if not told else ():
        text = message.text or ""
        found = (find_phrase(text, pattern, asking=True) for pattern in patterns)
        words = next((sentence for sentence in found if sentence is not None), None)
        if words is not None:
            yield Question(f"“{words}”", message, str(message))


def _is_open(value: JsonValue | Absent) -> bool:
    """Whether nothing is known: no value, null, or an empty one."""
    return isinstance(value, Absent) or value is None or value in ("", [], {})
