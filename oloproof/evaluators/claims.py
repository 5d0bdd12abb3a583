"""`claims`: what the agent says was done is borne out by the state and the calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oloproof.evaluation.calls import names
from oloproof.evaluation.claims.evidence import CallEvidence, Heard, StateEvidence
from oloproof.evaluation.claims.judges import judge_of
from oloproof.evaluation.claims.options import ClaimOptions
from oloproof.evaluation.claims.reading import claim_outcome
from oloproof.evaluation.claims.template import Template
from oloproof.evaluation.comparing.differences import show
from oloproof.evaluation.conversations.bans import see_ban
from oloproof.evaluation.conversations.calls import turn_calls
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.conversations.messages import agent_messages
from oloproof.evaluation.conversations.sources import Source
from oloproof.evaluation.outputs import Statement, together
from oloproof.evaluation.turns import Conversation, readable
from oloproof.paths import MISSING, Absent, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.evaluation.claims.evidence import Evidence
    from oloproof.evaluation.claims.judges import ClaimOutcome, Judge
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.conversations.messages import AgentMessage
    from oloproof.evaluation.outputs import Since
    from oloproof.evaluation.setting import Setting

_FORBIDDEN: Final = "must not be called"
_EXPECTED: Final = Source("expected", parse("state"))


class Options(ClaimOptions):
    """Which claim it is, and what bears it out."""


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        Claims(
            metric=options.criterion_or_type,
            selector=options.selector,
            subject=options.subject,
            template=None if options.template is None else Template.parse(options.template),
            patterns=options.says or (),
            language=options.language,
            evidence=_evidence(options),
            source=options.source,
            forbidden=options.forbidden,
            judge=None if options.judge is None else judge_of(options.judge, setting.read),
        )
    ]


def inlined(options: dict[str, Any], read: Callable[..., Any]) -> dict[str, Any]:
    """The options with the judgements themselves in the place of their file's name."""
    judge = options.get("judge")
    if judge is None or not isinstance(judge["judgements"], str):
        return options
    return {**options, "judge": {**judge, "judgements": read(judge["judgements"], missing=[])}}


def _evidence(options: Options) -> Evidence | None:
    needs = options.needs
    if needs is None:
        return None
    if needs.call is not None:
        arguments = tuple((parse(text), value) for text, value in needs.arguments.items())
        return CallEvidence(names(needs.call), arguments)
    assert needs.state is not None
    return StateEvidence(options.source, parse(needs.state), needs.equals)


@dataclass(frozen=True, slots=True)
class Said:
    """A claim that a message makes, or does not: the outcome, the words, and its own evidence."""

    outcome: ClaimOutcome
    words: str
    reason: str
    evidence: Evidence | None
    structured: bool = True


@dataclass(frozen=True, slots=True)
class Claims(TurnCheck):
    """Each message of the agent's in the selected turns, against the calls before it and the state.

    Structured claims come first, then the text as a whole, then its words.
    """

    subject: str | None
    template: Template | None
    patterns: tuple[str, ...]
    language: str | None
    evidence: Evidence | None
    source: Source
    forbidden: bool
    judge: Judge | None = None

    @property
    def expected_fields(self) -> frozenset[str]:
        """The states expected of turns, where they are the evidence."""
        return self.source.expected_fields

    @property
    def named_tools(self) -> frozenset[str]:
        """Those of which a call bears the claim out."""
        return frozenset(self.evidence.tools if isinstance(self.evidence, CallEvidence) else ())

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable where nothing was said, or no structured claim was made."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        called = turn_calls(conversation)
        seen = Sightings()
        if self.forbidden and isinstance(self.evidence, CallEvidence):
            see_ban(seen, conversation, turns, self.evidence.tools, _FORBIDDEN)
        for message in agent_messages(conversation, turns):
            heard = Heard(conversation, message, called)
            for said in self._read(seen, heard):
                self._see(seen, heard, said)
        if self.template is not None and not self.patterns:
            self._see_silence(seen, conversation, turns)
        worded = bool(self.patterns or self.template)
        return seen.verdict(
            context,
            turns,
            idle="no_message" if worded else "no_structured_claim",
            of_steps=not worded or isinstance(self.evidence, CallEvidence),
            whole=self.forbidden,
        )

    def output_said(self, context: Context, since: Since) -> Statement:
        """What the messages from then on claim, and whether that is so."""
        conversation = Conversation(context)
        called = turn_calls(conversation)
        return together(
            said
            for message in agent_messages(conversation, self.turns(conversation))
            if since.is_before(message.turn, message.step)
            for said in self._statements(Heard(conversation, message, called))
        )

    def _statements(self, heard: Heard) -> Iterator[Statement]:
        if self.template is not None and heard.message.text is not None:
            yield self._rendered(heard, self.template, heard.message.text)
        for said in self._read(Sightings(), heard):
            if said.outcome == "asserted" and self.forbidden:
                yield Statement(right=False)
            elif said.outcome == "asserted":
                found = None if said.evidence is None else said.evidence.find(heard)
                yield Statement(claimed=True, right=None if found is None else found.holds)

    def _rendered(self, heard: Heard, template: Template, text: str) -> Statement:
        """Whether a text is what the template makes of the expected state, and of the actual."""
        wanted = _EXPECTED.after(heard.conversation, heard.message.turn)
        claimed = not isinstance(wanted, Absent) and template.matches(text, wanted)
        actual = heard.state(self.source)
        if isinstance(actual, Absent):
            return Statement(claimed)
        right = template.matches(text, actual)
        return Statement(claimed, right if right or not self.patterns else None)

    def _see_silence(self, seen: Sightings, conversation: Conversation, turns: range) -> None:
        """The turns of a call that did not complete in which the template's text was not said."""
        if conversation.context.evidence.outcome.status == "completed":
            return
        for turn in turns:
            if not agent_messages(conversation, (turn,)):
                sentence = f"nothing was said in turn {turn}"
                seen.fail("message", "a text", MISSING, sentence=sentence, turn=turn, seen=False)

    def _read(self, seen: Sightings, heard: Heard) -> list[Said]:
        """The claims of a message of which the line speaks."""
        structured = self._structured(heard.message)
        if structured:
            return structured
        if self.template is None and not self.patterns:
            return []
        text = heard.message.text
        if text is None:
            seen.lack_text(heard.message)
            return []
        if self.template is not None and self._is_rendered(seen, heard, self.template, text):
            return []
        if not self.patterns:
            return []
        reading = claim_outcome(text, self.patterns, self.language)
        outcome, reason = reading.outcome, reading.reason
        if outcome == "unclear" and self.judge is not None:
            judged = self.judge.of(text, self.patterns)
            if judged is not None:
                outcome = judged.outcome
                reason = f"{self.judge.model} {self.judge.version} judged: {judged.raw}"
        return [Said(outcome, reading.clause, reason, self.evidence, False)]

    def unclear(self, context: Context) -> list[str]:
        """The messages whose words are unclear, and that no model has judged yet."""
        conversation = Conversation(context)
        called = turn_calls(conversation)
        return [
            message.text or ""
            for message in agent_messages(conversation, self.turns(conversation))
            for said in self._read(Sightings(), Heard(conversation, message, called))
            if said.outcome == "unclear"
        ]

    def _structured(self, message: AgentMessage) -> list[Said]:
        """The structured claims of a message that have the line's subject.

        Where a line has neither words nor template, a message with others does not claim it.
        """
        if self.subject is None and (self.patterns or self.template):
            return []
        made = [claim for claim in message.claims if self.subject in (None, claim["subject"])]
        said = [self._claimed(claim) for claim in made]
        if message.claims and not made and not (self.patterns or self.template):
            said.append(Said("not_asserted", "", "no claim has the subject", None))
        return said

    def _claimed(self, claim: dict[str, Any]) -> Said:
        """A structured claim; its own path says where its evidence is if the line does not."""
        evidence, path = self.evidence, readable(claim.get("path") or "")
        if evidence is None and path is not None:
            evidence = StateEvidence(self.source, path, claim.get("value"))
        outcome: ClaimOutcome = "asserted" if claim.get("asserted", True) else "denied"
        return Said(outcome, claim["subject"], "a structured claim", evidence)

    def _is_rendered(self, seen: Sightings, heard: Heard, template: Template, text: str) -> bool:
        """Whether the text is what the template makes of the state.

        Where the line has no patterns to go by, it has to be.
        """
        message = heard.message
        state = heard.state(self.source)
        if isinstance(state, Absent):
            if not self.patterns:
                seen.lack_state(self.source, message)
            return False
        wanted = template.render(state)
        if template.matches(text, state):
            seen.hold("message", wanted.text, text, turn=message.turn)
            return True
        if not self.patterns:
            told = f"{message} is {show(text)}, not {show(wanted.text)}"
            if wanted.lacking is not None:
                told = f"{self.source} has nothing at `{wanted.lacking}`, "
                told += f"of which {message} should tell"
            seen.fail("message", wanted.text, text, sentence=told, turn=message.turn)
        return False

    def _see(self, seen: Sightings, heard: Heard, said: Said) -> None:
        message, turn = heard.message, heard.message.turn
        if said.outcome == "unclear":
            seen.lack("claim_unclear", f"{message}: “{said.words}” is unclear: {said.reason}")
        elif said.outcome == "asserted" and self.forbidden:
            sentence = f"{message} makes a forbidden claim: “{said.words}” ({said.reason})"
            seen.fail("message", "not asserted", said.outcome, sentence=sentence, turn=turn)
        elif said.outcome == "asserted" and said.evidence is not None:
            self._hold_against(seen, heard, said, said.evidence)
        elif said.outcome == "denied" and said.structured and self._denies_fact(heard, said):
            sentence = f"{message} denies “{said.words}”, which the state holds"
            seen.fail("message", "asserted", said.outcome, sentence=sentence, turn=turn)
        elif said.outcome != "asserted":
            seen.hold("message", "not asserted", said.outcome, turn=turn, note=said.reason)

    def _hold_against(self, seen: Sightings, heard: Heard, said: Said, evidence: Evidence) -> None:
        found, turn = evidence.find(heard), heard.message.turn
        if found.holds is None:
            seen.lack("no_recorded_state", found.told)
        elif found.holds:
            seen.hold(found.path, found.wanted, found.found, turn=turn, note=said.words)
        else:
            seen.fail(
                found.path,
                found.wanted,
                found.found,
                sentence=f"{heard.message} claims “{said.words}”, and {found.told}",
                turn=turn,
                note=said.words,
                seen=isinstance(evidence, StateEvidence),
            )

    def _denies_fact(self, heard: Heard, said: Said) -> bool:
        if self.forbidden or not isinstance(said.evidence, StateEvidence):
            return False
        return said.evidence.find(heard).holds is True
