"""What the reading of a claim needs to know of a language: its words, by the part they play."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.canonical import decode
from oloproof.evaluation.claims.words import fold, plain_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FIRST_LANGUAGE: Final = "en"
"""The language that goes first where a message may be in several."""

_FOLDER: Final = Path(__file__).parent / "languages"

LONGEST_PHRASE: Final = 5
"""Words of the longest phrase in the lists."""


class Role(IntEnum):
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
    SUBJUNCTIVE = auto()  # a verb that without another says what is asked for
    FAILED = auto()  # says of an act that it came to nothing
    VAIN = auto()  # the same, right before a noun
    MANAGED = auto()  # says that what the infinitive names was done
    AIM = auto()  # right before a noun that names an aim
    CAUSATIVE = auto()  # before what is to be brought about
    GENERIC = auto()  # says of an act what is so at all times
    EXCEPT = auto()  # leaves something out
    BESIDES = auto()  # leaves something out of all, or adds something
    ALSO = auto()
    ALL = auto()
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
    REQUEST = auto()
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
    """One language, as its file in `languages/` says: a field there is one of these.

    `parts` are the words behind a short form, `endings` those behind the end of a word.
    `concord`: several negative words make one negation. `commas`: every clause has its commas.
    `negation_last`: a negation may end its clause. `infinitive`: the word before an infinitive,
    None where an infinitive needs none. `letters`: those of this language alone. `decimal`:
    the mark before decimals.
    What a form is, its ending says as far as it can: an infinitive has one of
    `infinitive_endings` and none of `other_endings`; `participles` have no ending of their own.
    """

    language: str
    phrases: Mapping[Role, tuple[str, ...]]
    negative_prefixes: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    concord: bool = False
    commas: bool = True
    negation_last: bool = False
    letters: str = ""
    decimal: Literal[".", ","] = ","
    infinitive: str | None = None
    infinitive_endings: tuple[str, ...] = ("",)
    other_endings: tuple[str, ...] = ()
    participle_endings: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    gerund_endings: tuple[str, ...] = ()
    conditional_endings: tuple[str, ...] = ()
    _roles: dict[tuple[str, ...], frozenset[Role]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for role, listed in self.phrases.items():
            for phrase in listed:
                words = tuple(fold(phrase).split())
                self._roles[words] = self._roles.get(words, frozenset()) | {role}

    def roles(self, words: Sequence[str]) -> frozenset[Role]:
        """The roles of the phrase that consists of exactly these words."""
        found = self._roles.get(tuple(words), frozenset())
        if len(words) == 1 and words[0].endswith(self.conditional_endings):
            found |= {Role.MODAL}
        return found

    def phrase_length(self, words: Sequence[str]) -> int:
        """How many of the first words make the longest phrase known; 1 when none does."""
        longest = min(len(words), LONGEST_PHRASE)
        return next((n for n in range(longest, 0, -1) if tuple(words[:n]) in self._roles), 1)

    def knows(self, word: str) -> bool:
        """Whether the word alone is in the lists, or has letters of this language alone."""
        listed = bool(self.roles((word,))) or word in self.parts
        return listed or any(letter in self.letters for letter in word)

    def split(self, word: str) -> tuple[str, ...]:
        """The words behind a short form: `isn't` is `is not`."""
        if word.lstrip("-")[:1].isdigit():
            return (plain_number(word, self.decimal),)
        if word in self.parts:
            return self.parts[word]
        for ending, rest in self.endings.items():
            if word.endswith(ending) and word != ending:
                return (word.removesuffix(ending), *rest)
        return (word,)

    def looks_participle(self, word: str) -> bool:
        """Whether the form of a word is that of a participle."""
        return word.endswith(self.participle_endings) or word in self.participles

    def looks_infinitive(self, pattern: str) -> bool:
        """Whether the first word of a pattern may be an infinitive."""
        word = pattern.split()[0]
        ends = word.endswith(self.infinitive_endings) and not word.endswith(self.other_endings)
        return ends and word not in self.participles and not word[-1].isdigit()

    def negates_within(self, word: str, pattern: str) -> bool:
        """Whether the word is the pattern with a negative prefix, as `unpaid` is."""
        return any(word.replace("-", "") == prefix + pattern for prefix in self.negative_prefixes)


def languages() -> tuple[str, ...]:
    """Every language there is, by its code: one file each."""
    found = (path.stem for path in _FOLDER.glob("*.json"))
    return tuple(sorted(found, key=lambda language: (language != FIRST_LANGUAGE, language)))


@cache
def grammar_of(language: str) -> Grammar:
    """What the file of a language says; it is read once."""
    given: Any = decode((_FOLDER / f"{language}.json").read_bytes())
    phrases = {Role[name.upper()]: tuple(listed) for name, listed in given.pop("phrases").items()}
    rest = {name: _frozen(value) for name, value in given.items()}
    return Grammar(language=language, phrases=phrases, **rest)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: tuple(parts) for name, parts in value.items()}
    return tuple(value) if isinstance(value, list) else value
