"""A message as sentences, clauses and units: the words that belong together, with their roles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.claims.grammar import LONGEST_PHRASE, Role
from oloproof.evaluation.claims.words import Token, readable, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oloproof.evaluation.claims.grammar import Grammar
    from oloproof.evaluation.claims.words import Quotation

_OPENING: Final = frozenset(
    (
        Role.AND,
        Role.CONTRAST,
        Role.CONDITION,
        Role.PURPOSE,
        Role.TIME,
        Role.THAT,
        Role.LINK,
        Role.RELATIVE,
    )
)
_STRONG_MARKS: Final = frozenset((";", ":"))
_PATTERN: Final = frozenset((Role.PATTERN,))


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or phrase; `negated` for a pattern with a negative prefix. Quoted, it has no role."""

    text: str
    roles: frozenset[Role]
    start: int
    end: int
    quotation: Quotation | None = None
    negated: bool = False

    def has(self, *roles: Role) -> bool:
        """Whether it plays one of these parts."""
        return not self.roles.isdisjoint(roles)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence; `mark` is what parts it from the clause before, empty for nothing."""

    units: tuple[Unit, ...]
    mark: str

    @property
    def apart(self) -> bool:
        """Whether nothing of the clause before reaches into it."""
        return self.mark in _STRONG_MARKS or self.units[0].has(Role.CONTRAST)

    @property
    def first(self) -> Unit:
        """The unit that opens it, after an `and` or `but`."""
        joining = (Role.AND, Role.CONTRAST)
        return next((unit for unit in self.units if not unit.has(*joining)), self.units[0])

    def has(self, *roles: Role) -> bool:
        """Whether one of its units plays one of these parts."""
        return any(unit.has(*roles) for unit in self.units)

    def only(self, *roles: Role) -> bool:
        """Whether each of its units plays one of these parts."""
        return all(unit.has(*roles) for unit in self.units)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What stands between two full stops; `asks` when it ends with a question mark."""

    clauses: tuple[Clause, ...]
    asks: bool


@dataclass(frozen=True, slots=True)
class Message:
    """The text as it can be shown, and its sentences."""

    text: str
    sentences: tuple[Sentence, ...]

    def shown(self, clause: Clause) -> str:
        """The words of a clause, on one line."""
        return " ".join(self.text[clause.units[0].start : clause.units[-1].end].split())


def pattern_words(pattern: str, grammar: Grammar) -> tuple[str, ...]:
    """The words of a pattern, as they are looked for."""
    found = (t for t in tokens(readable(pattern)) if t.kind == "word")
    return tuple(word for token in found for word in grammar.split(token.text))


def parse(message: str, patterns: Sequence[tuple[str, ...]], grammar: Grammar) -> Message:
    """The sentences of a message, with each place of a pattern as one unit."""
    text = readable(message)
    sentences: list[Sentence] = []
    pending: list[Token | Unit] = []
    for item in _units(_split(tokens(text), grammar), patterns, grammar):
        if isinstance(item, Token) and item.kind == "end":
            _close(pending, sentences, asks=item.text == "?")
        else:
            pending.append(item)
    _close(pending, sentences, asks=False)
    return Message(text, tuple(sentences))


def _close(pending: list[Token | Unit], sentences: list[Sentence], *, asks: bool) -> None:
    clauses = tuple(_clauses(pending))
    if clauses:
        sentences.append(Sentence(clauses, asks))
    elif asks and sentences:
        sentences[-1] = replace(sentences[-1], asks=True)  # "!?" and "..?" ask too
    pending.clear()


def _split(found: list[Token], grammar: Grammar) -> list[Token]:
    """Short forms as the words behind them, and without the full stops that end nothing."""
    out: list[Token] = []
    for index, token in enumerate(found):
        if token.kind == "word":
            out += [replace(token, text=word) for word in grammar.split(token.text)]
        elif token.text != "." or _ends(found, index, grammar):
            out.append(token)
    return out


def _ends(found: list[Token], index: int, grammar: Grammar) -> bool:
    before = found[index - 1] if index else None
    after = found[index + 1] if index + 1 < len(found) else None
    if before is None or after is None or before.kind != "word" or after.kind != "word":
        return True
    if before.text.isdigit():
        return Role.MONTH not in grammar.roles((after.text,))
    letter = len(before.text) == 1
    return not letter and Role.ABBREVIATION not in grammar.roles((before.text,))


def _units(
    found: list[Token], patterns: Sequence[tuple[str, ...]], grammar: Grammar
) -> Iterator[Token | Unit]:
    longest_first = sorted(patterns, key=len, reverse=True)
    reach = LONGEST_PHRASE + max(map(len, patterns))
    index = 0
    while index < len(found):
        if found[index].kind != "word":
            yield found[index]
            index += 1
            continue
        run = _run(found[index : index + reach])
        if unit := _pattern_at(run, longest_first, grammar):
            length, item = unit
        else:
            length, item = _phrase_at(run, longest_first, grammar)
        yield item
        index += length


def _run(following: list[Token]) -> list[Token]:
    """The words at the beginning that no mark and no quotation mark parts."""
    quotation = following[0].quotation
    return list(takewhile(lambda t: t.kind == "word" and t.quotation == quotation, following))


def _pattern_at(
    run: list[Token], patterns: Sequence[tuple[str, ...]], grammar: Grammar
) -> tuple[int, Unit] | None:
    words = tuple(token.text for token in run)
    for pattern in patterns:
        if words[: len(pattern)] == pattern:
            return len(pattern), _unit(run[: len(pattern)], _PATTERN)
        if len(pattern) == 1 and grammar.negates_within(words[0], pattern[0]):
            return 1, replace(_unit(run[:1], _PATTERN), negated=True)
    return None


def _phrase_at(
    run: list[Token], patterns: Sequence[tuple[str, ...]], grammar: Grammar
) -> tuple[int, Unit]:
    # A phrase never swallows the beginning of a pattern.
    free = next(
        (n for n in range(1, len(run)) if _pattern_at(run[n:], patterns, grammar)), len(run)
    )
    words = [token.text for token in run[:free]]
    length = grammar.phrase_length(words)
    roles = grammar.roles(words[:length]) if run[0].quotation is None else frozenset()
    return length, _unit(run[:length], roles)


def _unit(run: Sequence[Token], roles: frozenset[Role]) -> Unit:
    text = " ".join(token.text for token in run)
    return Unit(text, roles, run[0].start, run[-1].end, run[0].quotation)


def _clauses(items: list[Token | Unit]) -> Iterator[Clause]:
    units: list[Unit] = []
    mark = ""
    for item in items:
        if isinstance(item, Unit) and not (units and _opens(item, units)):
            units.append(item)
            continue
        if units:
            yield Clause(tuple(units), mark)
            mark = ""
        units = [item] if isinstance(item, Unit) else []
        if isinstance(item, Token) and mark not in _STRONG_MARKS:
            mark = item.text
    if units:
        yield Clause(tuple(units), mark)


def _opens(unit: Unit, before: list[Unit]) -> bool:
    joins = all(other.has(Role.AND, Role.CONTRAST, Role.LINK) for other in before)
    return unit.has(*_OPENING) and not unit.has(Role.ADVERB) and not joins
