"""What one place of a pattern says: the rules, in the order in which they decide.

A rule sees the place and gives a reading or nothing; the first that gives one decides. What it
gives may then be changed by what stands around the clause. Where a rule sees that something
matters and cannot tell how, the reading is `unclear`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.claims.acts import aimed, failed, infinitive, subject
from oloproof.evaluation.claims.grammar import Role
from oloproof.evaluation.claims.judges import Reading
from oloproof.evaluation.claims.negation import NEGATING, REACH, effect, excepted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.evaluation.claims.clauses import Clause, Unit
    from oloproof.evaluation.claims.judges import ClaimOutcome
    from oloproof.evaluation.claims.negation import Place

_CARRIED: Final = (*NEGATING, Role.ALMOST, Role.MODAL, Role.HEDGE, Role.CONDITION, Role.TIME)
_TAG: Final = (Role.TAG, Role.AUXILIARY, Role.NOT, Role.SUBJECT)
_ELLIPSIS: Final = (Role.CONTRAST, Role.AND, Role.SUBJECT, Role.AUXILIARY, Role.NOT, Role.ADVERB)
_MOOD: Final = (Role.HEDGE, Role.SUBJECT, Role.ADVERB, Role.SPEAKER)


def read(place: Place) -> Reading:
    """What the message says at one place of a pattern."""
    reading = next(found for rule in _RULES if (found := rule(place)) is not None)
    for change in _CHANGES:
        if reading.definite:
            reading = change(place, reading)
    return reading


def _quoted(place: Place) -> Reading | None:
    quotation = place.unit.quotation
    if quotation is None:
        return None
    if not quotation.closed:
        return Reading("unclear", "a quotation is opened here and never closed")
    text = place.message.text
    announced = text[: quotation.start].rstrip().endswith(":")
    line = text[quotation.start : quotation.end].lstrip().startswith(">")
    told = any(clause.has(Role.SAYING) for clause in place.sentence.clauses)
    if announced or line or told:
        return Reading("not_asserted", "quotes what is said elsewhere")
    return Reading("unclear", "in quotation marks, and nobody is named who says it")


def _asked(place: Place) -> Reading | None:
    sentence = place.sentence
    if sentence.asks and _answered(place):
        return Reading("unclear", "a question, and an answer that does not repeat the words")
    for unit in place.units[: place.index + 2]:
        if unit.has(Role.WHETHER):
            return Reading("not_asserted", f"asks “{unit.text}”")
    if not sentence.asks:
        return None
    last = sentence.clauses[-1]
    opened = sentence.clauses[0].first.has(Role.ASKING)
    if opened or last is place.clause or last.only(*_TAG):
        return Reading("not_asserted", "a question")
    return Reading("unclear", "the sentence ends as a question")


def _answered(place: Place) -> bool:
    following = place.message.sentences[place.sentence_number + 1 :][:1]
    return any(
        sentence.clauses[0].units[0].has(Role.ANSWER)
        and not any(clause.has(Role.PATTERN) for clause in sentence.clauses)
        for sentence in following
    )


def _conditional(place: Place) -> Reading | None:
    first = place.clause.first
    if first.has(Role.CONDITION):
        return Reading("not_asserted", f"a condition: “{first.text}”")
    if first.has(Role.PURPOSE) and not first.has(Role.ADVERB):
        return Reading("not_asserted", f"an aim: “{first.text}”")
    if first.has(Role.TIME):
        return Reading("unclear", f"“{first.text}” may speak of the past or of what is to come")
    opens = place.clause_number == 0 and place.index > 0 and len(place.sentence.clauses) > 1
    if opens and first.has(Role.VERB_FIRST):
        return Reading("unclear", f"“{first.text}” may open a condition")
    return None


def _full(place: Place) -> Reading | None:
    beside = place.units[max(place.index - 1, 0) : place.index + 2]
    wholly = next((unit for unit in beside if unit.has(Role.WHOLLY)), None)
    if wholly is None or Role.CAPACITY not in place.grammar.roles((place.unit.text,)):
        return None
    if place.clause.has(Role.SPEAKER):
        return Reading("unclear", f"“{wholly.text}” may speak of a full house")
    return Reading("not_asserted", f"speaks of a full house: “{wholly.text}”")


def _almost(place: Place) -> Reading | None:
    for index, unit in enumerate(place.units[: place.index]):
        if unit.has(Role.ALMOST):
            if place.reaches(index):
                return Reading("denied", f"“{unit.text}” says that it did not happen")
            return Reading("unclear", f"what “{unit.text}” belongs to cannot be told")
    return None


def _hedged(place: Place) -> Reading | None:
    number = place.clause_number
    beside = place.sentence.clauses[max(number - 1, 0) : number + 2]
    hedges = [unit for unit in place.units if unit.has(Role.HEDGE) and not unit.has(Role.MODAL)]
    hedges += [_first(clause, Role.HEDGE) for clause in beside if _is_hedge(clause)]
    if not place.grammar.commas and not place.clause.has(Role.SPEAKER, Role.ASSURANCE):
        hedges += [unit for unit in place.units[: place.index] if unit.has(Role.SAYING)]
    if hedges:
        return Reading("unclear", f"the speaker does not vouch for it: “{hedges[0].text}”")
    return None


def _is_hedge(clause: Clause) -> bool:
    """Whether it is a parenthesis such as `I think` or `according to the hotel`."""
    source = clause.first.has(Role.HEDGE) and not clause.has(Role.AUXILIARY, Role.PATTERN)
    return source or (clause.has(Role.HEDGE) and clause.only(*_MOOD))


def _modal(place: Place) -> Reading | None:
    for index, unit in enumerate(place.units):
        if unit.has(Role.SUBJUNCTIVE) and index < place.index and place.reaches(index):
            return Reading("not_asserted", f"asks that it “{unit.text}” done")
        if not unit.has(Role.MODAL) or (index > place.index and place.cut_off(index)):
            continue
        later = index > place.index and not place.grammar.commas
        if later or place.reopened(index):
            return Reading("unclear", f"what “{unit.text}” belongs to cannot be told")
        return Reading("not_asserted", f"says what may, should or will be: “{unit.text}”")
    return None


def _negated(place: Place) -> Reading | None:
    found = effect(place)
    if found is None:
        return None
    what, unit = found
    if what == "denies":
        return Reading("denied", f"negated by “{unit.text}”")
    return Reading("unclear", f"what “{unit.text}” negates cannot be told")


def _plain(place: Place) -> Reading:
    return Reading("asserted", f"a statement with “{place.unit.text}”, and nothing limits it")


_RULES: Final[tuple[Callable[[Place], Reading | None], ...]] = (
    _quoted,
    _asked,
    _conditional,
    _full,
    _almost,
    _hedged,
    failed,
    aimed,
    infinitive,
    subject,
    _modal,
    _negated,
    _plain,
)


def _within(place: Place, reading: Reading) -> Reading:
    """The negation inside a word: `unpaid`."""
    if not place.unit.negated:
        return reading
    if reading.outcome == "asserted":
        return Reading("denied", f"“{place.unit.text}” negates within the word")
    return Reading("unclear", f"“{place.unit.text}” is negated once more")


def _taken_over(place: Place, reading: Reading) -> Reading:
    """What an earlier clause may still say here, where this one does not stand on its own."""
    if reading.outcome == "denied":
        return reading
    fragment = _is_fragment(place.units[: place.index])
    joined = (Role.PURPOSE,) if place.units[0].has(Role.AND, Role.OR) else ()
    for clause in _earlier(place):
        if any(unit.has(Role.RELATIVE) for unit in clause.units[:2]):
            continue  # it speaks of its noun alone
        whole = clause.has(Role.AUXILIARY, Role.PATTERN) or clause.only(Role.ANSWER)
        listing = not whole and not place.grammar.concord
        carried = (
            (*_CARRIED, *joined) if fragment else (Role.NOTHING, Role.NEITHER) if listing else ()
        )
        if clause.has(*carried) and not clause.only(Role.ANSWER):
            return Reading(
                "unclear", f"“{_first(clause, *carried).text}” before it may hold here too"
            )
    return reading


def _is_fragment(before: tuple[Unit, ...]) -> bool:
    """Whether a clause with these units before its verb leans on an earlier one."""
    if before and before[0].has(Role.LINK):
        return False
    if any(unit.has(Role.OR) for unit in before):
        return not any(unit.has(Role.AUXILIARY, Role.SUBJECT, Role.DETERMINER) for unit in before)
    return all(unit.has(Role.AND, Role.ADVERB, Role.AUXILIARY) for unit in before)


def _taken_back(place: Place, reading: Reading) -> Reading:
    """A denial without words of its own right after: `but it was not`."""
    following = place.sentence.clauses[place.clause_number + 1 :][:1]
    for clause in following:
        if reading.outcome == "asserted" and clause.has(Role.NOT) and clause.only(*_ELLIPSIS):
            return Reading("unclear", f"may be taken back by “{place.message.shown(clause)}”")
    return reading


def _under_condition(place: Place, reading: Reading) -> Reading:
    """A condition right before or after a statement may be its own."""
    if reading.outcome == "denied":
        return reading
    clauses, number = place.sentence.clauses, place.clause_number
    beside = [] if place.clause.apart or number == 0 else [clauses[number - 1]]
    beside += [clause for clause in clauses[number + 1 : number + 2] if not clause.apart]
    for clause in beside:
        if clause.first.has(Role.CONDITION) and len(clause.units) > 1:
            return Reading("unclear", f"may hold only under a condition: “{clause.first.text}”")
    return reading


def _embedded(place: Place, reading: Reading) -> Reading:
    """What the clause before a `that`, or one that announces speech, makes of what follows."""
    matrix = place.sentence.clauses[max(place.clause_number - 1, 0)]
    announced = place.clause.mark == ":" and matrix.has(Role.SAYING)
    if place.clause_number == 0 or not (announced or place.units[0].has(Role.THAT)):
        return reading
    if matrix.has(Role.REQUEST):
        return Reading("not_asserted", f"is asked for: “{_first(matrix, Role.REQUEST).text}”")
    negation = matrix.has(*NEGATING) and not matrix.only(Role.ANSWER)
    if matrix.has(Role.UNTRUE) != (negation and matrix.has(Role.TRUE)):
        word = _first(matrix, Role.UNTRUE, Role.TRUE).text
        other: ClaimOutcome = "denied" if reading.outcome == "asserted" else "asserted"
        return Reading(other, f"{reading.reason}; but that is called untrue: “{word}”")
    if negation and matrix.has(Role.SAYING) and reading.outcome == "asserted":
        return Reading("not_asserted", "the speaker does not say so")
    told = matrix.has(Role.SAYING) and not matrix.has(Role.SPEAKER)
    assured = matrix.has(Role.ASSURANCE) and not negation
    if assured or not (negation or told or matrix.has(Role.MODAL, Role.HEDGE, Role.CONDITION)):
        return reading
    return Reading("unclear", f"depends on “{place.message.shown(matrix)}”")


_CHANGES: Final = (_within, _taken_back, _taken_over, _under_condition, _embedded, excepted)


def _earlier(place: Place) -> Iterator[Clause]:
    """The clauses before that may reach into the place, the nearest first."""
    clauses = place.sentence.clauses
    for number in range(place.clause_number, max(place.clause_number - REACH, 0), -1):
        if clauses[number].apart:
            return
        yield clauses[number - 1]


def _first(clause: Clause, *roles: Role) -> Unit:
    return next(unit for unit in clause.units if unit.has(*roles))
