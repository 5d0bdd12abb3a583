"""What an exception makes of a statement: `all but one`, `nothing except the dinner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.claims.grammar import Role
from oloproof.evaluation.claims.negation import NEGATING, REACH
from oloproof.evaluation.claims.outcome import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.evaluation.claims.clauses import Clause
    from oloproof.evaluation.claims.negation import Place

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
