"""What the reading of a claim needs to know of a language: its words, by the part they play."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Literal

from oloproof.evaluation.claims.words import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Language = Literal["en", "de", "pl", "ru"]

LONGEST_PHRASE: Final = 5
"""Words of the longest phrase in the lists."""


class Role(Enum):
    """The part that a word or phrase plays in a clause."""

    PATTERN = auto()  # what was declared
    # What decides an outcome
    NOT = auto()  # negates what follows it
    NOTHING = auto()  # negates its whole clause
    NEITHER = auto()  # negates its whole clause, over a list
    WITHOUT = auto()  # negates an infinitive or participle, or is only a preposition
    ALMOST = auto()
    MODAL = auto()  # future, possibility, duty, wish
    HEDGE = auto()  # the speaker does not vouch for it
    WHOLLY = auto()  # makes a state of what can be full
    # What opens a clause
    AND = auto()
    OR = auto()
    CONTRAST = auto()
    CONDITION = auto()
    PURPOSE = auto()
    TIME = auto()
    THAT = auto()
    LINK = auto()  # a cause, a consequence
    RELATIVE = auto()
    WHETHER = auto()  # an indirect question, wherever it stands
    ASKING = auto()  # opens a question
    VERB_FIRST = auto()  # opens a condition where it opens a statement
    # What is said about a clause
    SAYING = auto()
    ASSURANCE = auto()
    TRUE = auto()
    UNTRUE = auto()
    CORRECTION = auto()
    ANSWER = auto()
    TAG = auto()
    # What is only passed over
    AUXILIARY = auto()
    FINITE = auto()  # an auxiliary that no other can precede
    ADVERB = auto()
    SUBJECT = auto()
    SPEAKER = auto()
    DETERMINER = auto()
    PREPOSITION = auto()
    CAPACITY = auto()
    HARMLESS = auto()  # holds a negative word and negates nothing
    ABBREVIATION = auto()
    MONTH = auto()


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language. The phrases of a role are written with commas in between.

    `parts` are the words behind a short form, `endings` those behind the end of a word.
    `concord`: several negative words make one negation. `commas`: every clause has its commas.
    `negation_last`: a negation may end its clause. `infinitive`: the word that tells `without`
    before an infinitive from the preposition.
    """

    language: Language
    phrases: Mapping[Role, str]
    negative_prefixes: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    concord: bool = False
    commas: bool = True
    negation_last: bool = False
    infinitive: str | None = None
    _roles: dict[tuple[str, ...], frozenset[Role]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for role, listed in self.phrases.items():
            for phrase in listed.split(","):
                words = tuple(fold(phrase).split())
                self._roles[words] = self._roles.get(words, frozenset()) | {role}

    def roles(self, words: Sequence[str]) -> frozenset[Role]:
        """The roles of the phrase that consists of exactly these words."""
        return self._roles.get(tuple(words), frozenset())

    def phrase_length(self, words: Sequence[str]) -> int:
        """How many of the first words make the longest phrase known; 1 when none does."""
        longest = min(len(words), LONGEST_PHRASE)
        return next((n for n in range(longest, 0, -1) if tuple(words[:n]) in self._roles), 1)

    def knows(self, word: str) -> bool:
        """Whether the word alone is in the lists."""
        return (word,) in self._roles or word in self.parts

    def split(self, word: str) -> tuple[str, ...]:
        """The words behind a short form: `isn't` is `is not`."""
        if word in self.parts:
            return self.parts[word]
        for ending, rest in self.endings.items():
            if word.endswith(ending) and word != ending:
                return (word.removesuffix(ending), *rest)
        return (word,)

    def negates_within(self, word: str, pattern: str) -> bool:
        """Whether the word is the pattern with a negative prefix, as `unpaid` is."""
        return any(word.replace("-", "") == prefix + pattern for prefix in self.negative_prefixes)
