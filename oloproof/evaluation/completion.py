"""What can be said of a case whose call did not complete: the one place that decides it.

| checks of          | raised, exited, timed out, killed, not JSON             | an outage |
|--------------------|---------------------------------------------------------|-----------|
| the output         | fail, with how the call ended (`output_failure`)        | missing   |
| bans and counts    | are judged on all that was seen (`Sightings`, `whole`)  | missing   |
| turns that began   | are judged on what was seen of them                     | missing   |
| turns that did not | missing, `turn_not_reached`                             | missing   |
| states             | are judged on the snapshot, without one missing         | missing   |

Every verdict goes through `settled`. That is also what keeps a call that ended early from taking
its case out of what is counted: a check that found nothing to judge in it is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import failed, missing
from oloproof.paths import MISSING
from oloproof.records.evidence import LATE, NOT_RECORDED, OUTAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.evaluation.contract import Context, Verdict
    from oloproof.records.evidence import CaseEvidence, Outcome, OutcomeStatus

CALL_DID_NOT_COMPLETE: Final = "call_did_not_complete"
"""Why a check is missing that found nothing to judge in what there is of an unfinished call."""

OF_THE_CASE: Final = frozenset(
    {
        "another_case",
        "no_expected_answer",
        "no_expected_calls",
        "no_expected_results",
        "no_expected_state",
        "no_state_before",
        "no_turn_selected",
        "nothing_compared",
    }
)
"""Why a check does not speak of a case whatever its call had done."""

OF_THE_FAULT: Final = frozenset(
    {"no_earlier_answer", "fails_without_fault", "fault_not_for_models"}
)
"""Why a fault at a call that was made says nothing, whatever came after that call."""

_ENDED: Final[Mapping[OutcomeStatus, str]] = {
    "completed": "the system gave no output",
    "raised": "the system raised",
    "exited": "the system exited",
    "timed_out": "the system timed out",
    "killed": "the system was killed",
    "not_json": "the output is not JSON",
    "outage": "the call met an outage",
    "not_recorded": "nothing was recorded of it",
}


_NOT_RECORDED: Final = missing("not_recorded", detail="there is no recording of it")


def settled(verdict: Verdict, context: Context, *, of_output: bool = False) -> Verdict:
    """A check's verdict in the light of how the call ended.

    Where a tool was called after the end, nobody knows what it did: a check is missing then
    unless it is `of_output` alone.

    Of what was not recorded, or met an outage, every check that speaks of the case is missing.
    Where the call did not complete, that there was nothing to judge takes the case out of no
    count: with more of the call there might have been.
    """
    if verdict.status == "not_applicable" and verdict.reason in OF_THE_CASE:
        return verdict
    unknown = _unknown(context)
    if unknown is not None:
        return unknown
    late = () if of_output else _late(context)
    if late:
        told = ", ".join(f"`{tool}`" for tool in late)
        detail = f"{told} was called after the end of the case: what it did was not seen"
        return missing(LATE, detail=detail, compared=verdict.compared)
    outcome = context.evidence.outcome
    idle = verdict.status == "not_applicable" and verdict.reason not in OF_THE_FAULT
    if not idle or outcome.status == "completed":
        return verdict
    detail = f"{how_it_ended(outcome)}; so far: {verdict.reason}"
    return missing(CALL_DID_NOT_COMPLETE, detail=detail, compared=verdict.compared)


def _unknown(context: Context) -> Verdict | None:
    """Missing where nothing is known of a case, or of the source that a copy is held against."""
    for seen in (context, context.source):
        if seen is None:
            continue
        if seen.evidence.outcome.status == NOT_RECORDED:
            return _NOT_RECORDED
        if seen.evidence.outcome.status == OUTAGE:
            return missing(OUTAGE, detail=_outage(seen.evidence))
    return None


def _late(context: Context) -> tuple[str, ...]:
    """The tools that were called after the end of a case, or of the source of a copy."""
    source = () if context.source is None else context.source.evidence.late
    return context.evidence.late or source


def _outage(evidence: CaseEvidence) -> str:
    tried = len(evidence.attempts)
    return how_it_ended(evidence.outcome) + (f" ({tried} attempts)" if tried else "")


def output_failure(context: Context) -> Verdict | None:
    """The failure of a check of the output where the system gave none, else None."""
    return None if context.evidence.output is not MISSING else _failed_by(context.evidence.outcome)


def broken_off(context: Context) -> Verdict | None:
    """The failure of a call that did not complete, else None."""
    outcome = context.evidence.outcome
    return None if outcome.status == "completed" else _failed_by(outcome)


def how_it_ended(outcome: Outcome) -> str:
    """How a call that gave no output ended, in words."""
    told = _ENDED[outcome.status]
    if outcome.phase != "call":
        told += f" in {outcome.phase}()"
    if outcome.error is None:
        return told
    # An error about the output says itself that it is not JSON.
    return outcome.error if outcome.status == "not_json" else f"{told}: {outcome.error}"


def _failed_by(outcome: Outcome) -> Verdict:
    """The failure that how the system ended is."""
    label = "no_output" if outcome.status == "completed" else outcome.status
    return failed(label=label, detail=how_it_ended(outcome))
