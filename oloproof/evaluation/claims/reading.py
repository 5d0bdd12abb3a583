"""Whether a message says that something was done: declared patterns, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.errors import ConfigurationError
from oloproof.evaluation.claims.clauses import parse, pattern_words
from oloproof.evaluation.claims.grammar import Role, grammar_of, languages
from oloproof.evaluation.claims.negation import Place
from oloproof.evaluation.claims.rules import read
from oloproof.evaluation.claims.words import readable, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.evaluation.claims.clauses import Message
    from oloproof.evaluation.claims.grammar import Grammar
    from oloproof.evaluation.claims.judges import ClaimOutcome, Reading


class ClaimReading(NamedTuple):
    """What a message says of a claim: the clause that decided (empty for none), and the rule."""

    outcome: ClaimOutcome
    clause: str
    reason: str


def claim_outcome(
    message: str, patterns: Sequence[str], language: str | None = None
) -> ClaimReading:
    """What `message` says of the claim that each of `patterns` states.

    A pattern is one or more whole words that follow each other; case, Unicode form and white
    space do not matter. Without a language, that of the message is told by its small words;
    where several may be meant, all of them have to read the message alike. Raises
    `ConfigurationError` for a pattern without words.
    """
    check_patterns(patterns)
    grammars = [grammar_of(language)] if language else _likely(message)
    readings = [_read_in(message, patterns, grammar) for grammar in grammars]
    if len({reading.outcome for reading in readings}) > 1:
        return ClaimReading("unclear", "", "the language cannot be told, and it matters")
    return readings[0]


def check_patterns(patterns: Sequence[str]) -> None:
    """Raises `ConfigurationError` where nothing could be looked for."""
    if not patterns:
        raise ConfigurationError("a claim without patterns", fix="give at least one pattern")
    for pattern in patterns:
        if all(token.kind != "word" for token in tokens(readable(pattern))):
            raise ConfigurationError(
                f"the pattern {pattern!r} has no words", fix="write the words to be found"
            )


def _likely(message: str) -> list[Grammar]:
    words = {token.text for token in tokens(readable(message)) if token.kind == "word"}
    scores = {language: sum(map(grammar_of(language).knows, words)) for language in languages()}
    best = max(scores.values())
    return [grammar_of(language) for language, score in scores.items() if score == best]


def _read_in(message: str, patterns: Sequence[str], grammar: Grammar) -> ClaimReading:
    wanted = [pattern_words(pattern, grammar) for pattern in patterns]
    parsed = parse(message, wanted, grammar)
    places = _places(parsed, grammar)
    if not places:
        return ClaimReading("not_asserted", "", "none of the patterns is in the message")
    return _together(parsed, [(place, read(place)) for place in places])


def _places(message: Message, grammar: Grammar) -> list[Place]:
    return [
        Place(message, grammar, sentence_number, clause_number, index)
        for sentence_number, sentence in enumerate(message.sentences)
        for clause_number, clause in enumerate(sentence.clauses)
        for index, unit in enumerate(clause.units)
        if unit.has(Role.PATTERN)
    ]


def _together(message: Message, readings: list[tuple[Place, Reading]]) -> ClaimReading:
    """What several places say as a whole: all alike, or the last after a correction."""
    spoken = [item for item in readings if item[1].outcome != "not_asserted"]
    place, reading = (spoken or readings)[-1]
    clause = message.shown(place.clause)
    corrections = _corrections(message)
    differing = [at for at, other in spoken if other.outcome != reading.outcome]
    corrected = bool(differing) and any(
        differing[-1].unit.start < correction < place.unit.start for correction in corrections
    )
    if differing and not (corrected and reading.definite):
        return ClaimReading("unclear", clause, _disagreement(spoken))
    if reading.outcome == "asserted" and any(c > place.unit.start for c in corrections):
        reason = f"{reading.reason}; but something is corrected later"
        return ClaimReading("unclear", clause, reason)
    reason = f"{reading.reason}; it corrects what came before" if corrected else reading.reason
    return ClaimReading(reading.outcome, clause, reason)


def _disagreement(spoken: list[tuple[Place, Reading]]) -> str:
    """The last place of each outcome."""
    said = {
        reading.outcome: f"“{place.message.shown(place.clause)}” ({reading.reason})"
        for place, reading in spoken
    }
    told = (f"{outcome} by {what}" for outcome, what in said.items())
    return "the message says different things: " + ", ".join(told)


def _corrections(message: Message) -> list[int]:
    return [
        unit.start
        for sentence in message.sentences
        for clause in sentence.clauses
        for unit in clause.units
        if unit.has(Role.CORRECTION)
    ]
