"""Which words a negation covers, and which an exception takes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from oloproof.evaluation.claims.grammar import Role
from oloproof.evaluation.claims.judges import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.evaluation.claims.clauses import Clause, Message, Sentence, Unit
    from oloproof.evaluation.claims.grammar import Grammar

REACH: Final = 30
"""Clauses of one sentence that are looked through, so that a list of thousands is read in time."""
NEGATING: Final = (Role.NOT, Role.NOTHING, Role.NEITHER, Role.WITHOUT)
_PASSED_OVER: Final = (Role.ADVERB, Role.AUXILIARY, Role.SUBJECT)

Effect = Literal["denies", "undecided"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pattern stands: the numbers of its sentence, clause and unit."""

    message: Message
    grammar: Grammar
    sentence_number: int
    clause_number: int
    index: int

    @property
    def sentence(self) -> Sentence:
        """Its sentence."""
        return self.message.sentences[self.sentence_number]

    @property
    def clause(self) -> Clause:
        """Its clause."""
        return self.sentence.clauses[self.clause_number]

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units of its clause."""
        return self.clause.units

    @property
    def unit(self) -> Unit:
        """The pattern itself."""
        return self.units[self.index]

    @property
    def participle(self) -> bool:
        """Whether the pattern says of a thing that something was done to it, and is no noun."""
        return any(self.grammar.looks_participle(word) for word in self.unit.text.split())

    def nearest(self, *passed: Role) -> Unit | None:
        """The unit right before the pattern, past those that play these parts."""
        before = reversed(self.units[: self.index])
        return next((unit for unit in before if not unit.has(*passed)), None)

    def reaches(self, index: int) -> bool:
        """Whether only adverbs part a unit from the pattern or from an auxiliary after it."""
        for position in range(index + 1, len(self.units)):
            if position == self.index or self.units[position].has(Role.AUXILIARY):
                return True
            if not self.units[position].has(Role.ADVERB):
                return False
        return False

    def reopened(self, index: int) -> bool:
        """Whether a clause may begin unmarked between a unit and the pattern after it."""
        if self.grammar.commas:
            return False
        between = self.units[index + 1 : self.index]
        named = self.units[index].has(Role.MODAL)
        governed = False
        for unit in between:
            if unit.has(Role.SUBJECT) or (named and unit.has(Role.FINITE)):
                return True
            named = named or (unit.has(Role.DETERMINER) and not governed)
            governed = unit.has(Role.PREPOSITION)
        return False

    def cut_off(self, index: int) -> bool:
        """Whether a clause of its own begins unmarked between the pattern and a unit after it."""
        if self.grammar.commas:
            return False
        return any(
            self.units[at].has(Role.SUBJECT) and self.units[at + 1].has(Role.AUXILIARY, Role.MODAL)
            for at in range(self.index + 1, index)
        )


def effect(place: Place) -> tuple[Effect, Unit] | None:
    """What all negations of the clause come to, with the one that decides; None without any."""
    found: list[tuple[Effect, Unit]] = []
    for index, unit in enumerate(place.units):
        if unit.has(*NEGATING) and (what := _effect_of(place, index)):
            found.append((what, unit))
    denying = [item for item in found if item[0] == "denies"]
    counted = [item for item in denying if not place.grammar.concord or item[1].has(Role.NOT)]
    lists = [item for item in counted if item[1].has(Role.NEITHER)]
    several = len(counted) - max(len(lists) - 1, 0) > 1
    if denying and not several and (place.grammar.concord or len(denying) == len(found)):
        return denying[0]
    return ("undecided", found[-1][1]) if found else None


def _effect_of(place: Place, index: int) -> Effect | None:
    unit = place.units[index]
    if place.clause.only(Role.ANSWER):
        return None
    if unit.has(Role.WITHOUT):
        return _without(place, index)
    if unit.has(Role.NOT) and place.reaches(index):
        return "denies"
    if index < place.index:
        return "undecided" if unit.has(Role.NOT) else _nothing_before(place, index)
    return _after(place, index)


def _without(place: Place, index: int) -> Effect | None:
    if place.grammar.commas:
        later = place.units[max(index, place.index - 1) :]
        sentential = any(unit.text.split()[0] == place.grammar.infinitive for unit in later)
        return "denies" if sentential else None
    if place.reaches(index):
        return "denies"
    return "undecided" if index < place.index else None


def _nothing_before(place: Place, index: int) -> Effect:
    governed = index > 0 and place.units[index - 1].has(Role.PREPOSITION)
    if place.units[index].has(Role.NEITHER):
        return "denies"
    return "undecided" if governed or place.reopened(index) else "denies"


def _after(place: Place, index: int) -> Effect | None:
    unit = place.units[index]
    if place.cut_off(index):
        return None
    if unit.has(Role.NOT):
        last = index == len(place.units) - 1 and place.grammar.negation_last
        return "denies" if last else "undecided"
    if place.units[index - 1].has(Role.PREPOSITION):
        return None
    between = place.units[place.index + 1 : index]
    return "denies" if all(other.has(*_PASSED_OVER) for other in between) else "undecided"


_LEAVING_OUT: Final = (Role.EXCEPT, Role.BESIDES)


def excepted(place: Place, reading: Reading) -> Reading:
    """An exception: some of it was done and some was not, and all of it is never claimed."""
    whole = any(Role.ALL in place.grammar.roles((word,)) for word in place.unit.text.split())
    for clause in (place.clause, *_appended(place)):
        for unit in clause.units:
            adds = unit.has(Role.ALSO) or place.clause.has(Role.ALSO)
            besides = whole or place.clause.has(Role.ALL, *NEGATING) or not adds
            if not unit.has(Role.EXCEPT) and not (unit.has(Role.BESIDES) and besides):
                continue
            if whole and reading.outcome == "asserted":
                return Reading("denied", f"“{unit.text}” leaves something out of the whole")
            return Reading("unclear", f"“{unit.text}” leaves something out")
    return reading


def _appended(place: Place) -> Iterator[Clause]:
    """The clauses beside it that only say what is left out."""
    clauses, number = place.sentence.clauses, place.clause_number
    if number and not place.clause.apart and not place.units[0].has(Role.AND):
        yield from filter(_leaves_out, clauses[number - 1 : number])
    next_sentence = place.sentence_number + 1
    following = [*clauses[number + 1 : number + 1 + REACH]]
    for sentence in place.message.sentences[next_sentence : next_sentence + 1]:
        following += sentence.clauses[:1]
    for clause in following:
        if _leaves_out(clause):
            if not clause.units[0].has(Role.ALSO):  # `besides that, …`
                yield clause
        elif clause.has(Role.AUXILIARY, Role.SUBJECT, Role.MODAL):
            return


def _leaves_out(clause: Clause) -> bool:
    opens = clause.units[0].has(*_LEAVING_OUT) or clause.first.has(*_LEAVING_OUT)
    return opens and not clause.has(Role.AUXILIARY, Role.MODAL, Role.PATTERN)
