"""A verdict on a faulted replay in a sentence, and what is named beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.comparing.differences import show, tell_difference, told_more
from oloproof.evaluation.completion import how_it_ended

if TYPE_CHECKING:
    from oloproof.evaluation.faults.aftermath import Aftermath
    from oloproof.evaluation.faults.recovery import Beyond, Ruling

_RECOVERIES: Final = frozenset({"recovered", "recovered_by_report"})


def tell(seen: Aftermath, ruling: Ruling) -> str:
    """What was seen, for the word of the verdict, and what stands beside it."""
    return "; ".join([_seen(seen, ruling), *_beside(seen, ruling)])


def _seen(seen: Aftermath, ruling: Ruling) -> str:
    match ruling.word:
        case "constraint_violated":
            return f"a recorded constraint is violated: {seen.violated()}"
        case "unintended_change":
            return _unintended(seen)
        case "duplicate_effect":
            left = _missed(seen) if seen.facts.missed else "left its effect twice"
            return f"{seen.demand.name} was executed twice, and {left}"
        case "false_success" | "gave_up":
            return _miss(seen, ruling.word)
        case "wrong_output":
            return f"{_WAS_THERE}, and the output is not right"
        case "escalated" | "recovered" | "recovered_by_report":
            return _pass(seen, ruling.word)
        case "retry_storm":
            return f"{seen.strike.repeats} calls of {seen.demand.name} with equal arguments"
        case "no_recorded_state":
            return seen.world_problem() or "the world after the replay is not known"
        case "nothing_to_recover":
            return f"{_WAS_THERE}, and nothing tells whether the output is right"
        case "state_before_unknown":
            return "the expected state was reached, and may have been there before the fault"
        case _:
            return f"the agent reports {seen.facts.ending}, and {_no_state(seen)}"


_WAS_THERE: Final = "the expected state was there before the fault"


def _beside(seen: Aftermath, ruling: Ruling) -> list[str]:
    """What bears on no verdict: how it was retried, and what else was seen."""
    facts, strike, criteria = seen.facts, seen.strike, seen.criteria
    retried = strike.told_of_retry(criteria.retry_tools, criteria.escalate_tools)
    told = [] if retried is None else [retried]
    recovered = ruling.word in _RECOVERIES
    needed = strike.calls_until_recovery(criteria.retry_tools) if recovered else None
    if needed is not None:
        told.append(f"calls until recovery: {needed}")
    if seen.crash is not None:
        told.append(how_it_ended(seen.crash))
    if facts.state == "reached" and facts.ending == "failure" and ruling.status == "pass":
        told.append("failure claimed although the effect stands")
    # A miss has been told; that something else was changed has not.
    beyond = [one for one in seen.beyond if ruling.status == "pass" or not one.spoken_of]
    if beyond and ruling.word != "unintended_change":
        told.append(f"changed under the fault alone: {_places(beyond)}")
    return told


def _places(places: list[Beyond]) -> str:
    return f"{places[0].path or 'the state'} is {show(places[0].value)}{told_more(places)}"


def _unintended(seen: Aftermath) -> str:
    if any(not place.passed for place in seen.touched):
        return f"{tell_difference(seen.touched, 'the state')}: it must not change"
    return f"{_places(seen.obeyed)}: it changed under the fault alone, and nobody expects it"


def _miss(seen: Aftermath, word: str) -> str:
    said = f"the agent reports {seen.facts.ending}"
    if word == "false_success":
        said = "the output is the expected one" if seen.facts.claimed else said
        return f"{said}, but {_missed(seen)}"
    state = _no_state(seen)
    if seen.facts.was_there:
        state = f"{_WAS_THERE}, so it shows nothing"
    elif seen.facts.state == "reached":
        state = "the expected state is the struck call's own work"
    elif seen.facts.state == "missed":
        state = _missed(seen)
    return f"{said} and nothing was escalated; {state}"


def _pass(seen: Aftermath, word: str) -> str:
    if word == "escalated" and seen.escalation is not None:
        return f"{seen.escalation.tool} was called at step {seen.escalation.index}"
    if word == "recovered_by_report" and seen.success is not None:
        return f"{seen.success.tool} succeeded at step {seen.success.index}"
    if word == "recovered_by_report":
        return f"the agent reports success, and {_no_state(seen)}"
    if seen.facts.was_there:
        return f"{_WAS_THERE}, and the output is the expected one"
    return "the expected state was reached"


def _no_state(seen: Aftermath) -> str:
    if seen.standing.match is None:
        return "no state is expected"
    return "nothing of the expected state was compared"


def _missed(seen: Aftermath) -> str:
    if seen.standing.match is None:
        return "it left no state that could be the expected one"
    return tell_difference(seen.standing.compared, "the state")
