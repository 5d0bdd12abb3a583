"""An act that is named and not said to be done: as an aim, as a subject, as what failed."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.claims.grammar import Role
from oloproof.evaluation.claims.judges import Reading
from oloproof.evaluation.claims.negation import NEGATING, effect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.evaluation.claims.clauses import Unit
    from oloproof.evaluation.claims.negation import Place

_ONLY_FAILED: Final = (Role.FAILED, Role.ADVERB, Role.AUXILIARY)


def failed(place: Place) -> Reading | None:
    """What failed: `the failed booking`, `the booking failed`, `booking: failed`."""
    unit = _failure_before(place) or _failure_after(place) or _failure_beside(place)
    if unit is None:
        return None
    reach = max(unit.start, place.unit.start)
    if any(other.has(*NEGATING) and other.start < reach for other in place.units):
        return Reading("unclear", f"“{unit.text}” beside a negation")
    governed = _right_before(place, Role.PREPOSITION) and unit.start > place.unit.start
    if place.participle or governed:
        return Reading("unclear", f"what “{unit.text}” belongs to cannot be told")
    return Reading("denied", f"“{unit.text}” says that it was not done")


def _failure_before(place: Place) -> Unit | None:
    passed = [Role.ADVERB, Role.DETERMINER]
    if place.grammar.commas:
        passed += [Role.SUBJECT, Role.AUXILIARY]
    unit = place.nearest(*passed)
    return unit if unit is not None and unit.has(Role.VAIN, Role.FAILED) else None


def _failure_after(place: Place) -> Unit | None:
    """A verb or an end of a sentence that says so of what stands before it."""
    for index in range(place.index + 1, len(place.units)):
        unit, before = place.units[index], place.units[index - 1]
        if unit.has(Role.FAILED) and not place.cut_off(index):
            following = place.units[index + 1 :]
            another = before.has(Role.DETERMINER, Role.PREPOSITION)
            another = another or (place.participle and not _only(following, Role.ADVERB))
            return None if another else unit
    return None


def _failure_beside(place: Place) -> Unit | None:
    """A clause of its own that says nothing else, as in `booking: failed`."""
    clauses, number = place.sentence.clauses, place.clause_number
    sides = [clauses[number + 1 :]]
    if not place.clause.has(Role.CONTRAST, Role.AUXILIARY, Role.SUBJECT):
        sides.append(clauses[:number][::-1])
    for side in sides:
        for clause in takewhile(lambda c: c.only(*_ONLY_FAILED), side):
            if clause.has(Role.FAILED):
                return next(unit for unit in clause.units if unit.has(Role.FAILED))
    return None


def aimed(place: Place) -> Reading | None:
    """What is to be brought about: `to get it booked`, `for booking`, `having it booked`."""
    unit = _right_before(place, Role.AIM)
    if unit is not None and not place.participle:
        return Reading("not_asserted", f"an aim: “{unit.text}”")
    for index, unit in enumerate(place.units[: place.index]):
        if not unit.has(Role.CAUSATIVE):
            continue
        between = place.units[index + 1 : place.index]
        finite = any(other.has(Role.SPEAKER, Role.FINITE) for other in between)
        perfect = unit.has(Role.AUXILIARY) and _only(between, Role.ADVERB, Role.AUXILIARY)
        if not finite and not perfect:
            return Reading("not_asserted", f"what is to be brought about: “{unit.text}”")
    return None


def infinitive(place: Place) -> Reading | None:
    """An infinitive, which speaks of what was done only behind a word like `managed`."""
    if not _is_infinitive(place):
        return None
    before = list(place.units[: place.index])
    if place.clause_number and not place.clause.apart:
        before += place.sentence.clauses[place.clause_number - 1].units
    governor = next((unit for unit in before if unit.has(Role.FAILED, Role.MANAGED)), None)
    if governor is not None:
        negated = any(unit.has(*NEGATING) for unit in before)
        if negated or governor.has(Role.FAILED):
            return Reading("denied", f"“{governor.text}” says whether it was done")
        return None
    found = effect(place)
    if found is not None and found[0] == "denies":
        return None
    return Reading("not_asserted", f"“{place.unit.text}” is an infinitive, which names an act")


def _is_infinitive(place: Place) -> bool:
    grammar = place.grammar
    if not grammar.looks_infinitive(place.unit.text):
        return False
    if grammar.infinitive is None:
        return True
    before = place.nearest(Role.ADVERB)
    return before is not None and before.text == grammar.infinitive


def subject(place: Place) -> Reading | None:
    """A noun of which is said what it takes or whether it can be: `booking it costs nothing`."""
    if place.participle or _right_before(place, Role.PREPOSITION):
        return None
    sought = place.units if place.grammar.commas else place.units[place.index + 1 :]
    unit = next((other for other in sought if other.has(Role.GENERIC)), None)
    if unit is not None:
        return Reading("not_asserted", f"says of an act what is so at all times: “{unit.text}”")
    following = place.units[place.index + 1 : place.index + 2]
    opens = _only(place.units[: place.index], Role.AND, Role.CONTRAST, Role.LINK, Role.ADVERB)
    gerund = place.unit.text.split()[0].endswith(place.grammar.gerund_endings)
    if gerund and opens and following and following[0].has(Role.DETERMINER):
        return Reading("unclear", f"“{place.unit.text}” names an act, done or not")
    return None


def _right_before(place: Place, *roles: Role) -> Unit | None:
    unit = place.nearest(Role.ADVERB, Role.DETERMINER)
    return unit if unit is not None and unit.has(*roles) else None


def _only(units: Sequence[Unit], *roles: Role) -> bool:
    return all(unit.has(*roles) for unit in units)
