"""What an output says under a fault: that all is as expected, or something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from oloproof.canonical import equal
from oloproof.paths import MISSING, Absent, child

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context
    from oloproof.records.case import Case
    from oloproof.records.evidence import CaseEvidence


class Since(NamedTuple):
    """From when on something was said: from a step of a turn."""

    turn: int
    step: int

    def is_before(self, turn: int, step: int | None) -> bool:
        """Whether it is before a step of a turn, or before the end of the turn without one."""
        return self.turn < turn or (self.turn == turn and (step is None or self.step < step))


class Statement(NamedTuple):
    """What a check makes of an output; None where it cannot tell.

    `claimed`: it says what is expected of a case that went well. `right`: what it says is so.
    """

    claimed: bool | None = None
    right: bool | None = None


NOTHING: Final = Statement()


def together(told: Iterable[Statement]) -> Statement:
    """What several checks make of an output: one claim is enough, and one that is not so."""
    told = list(told)
    right: bool | None = True if any(said.right for said in told) else None
    if any(said.right is False for said in told):
        right = False
    return Statement(claimed=any(said.claimed for said in told) or None, right=right)


@runtime_checkable
class OutputCheck(Protocol):
    """A check that can tell whether an output is the expected one."""

    def output_said(self, context: Context, since: Since) -> Statement:
        """What was said from a moment on."""


def said_under_fault(
    checks: Iterable[OutputCheck],
    context: Context,
    faulted: CaseEvidence,
    since: Since,
    *,
    admits_failure: bool,
) -> Statement:
    """What the output of a faulted replay says; `context` is that of the recording.

    The suite's own `checks` decide, and `expected.answer`. Where they do not tell, it is what
    the recording said, word for word: that reached the expected state. An agent that admits its
    failure otherwise is not held to words that it always says.
    """
    seen = context._replace(evidence=faulted, replays={})
    told = [check.output_said(seen, since) for check in checks]
    if _is_answer(context.case, faulted.output):
        told.append(Statement(claimed=True, right=True))
    if _repeats(context, faulted, since):
        told.append(Statement(claimed=not admits_failure, right=True))
    return together(told)


def _is_answer(case: Case, output: JsonValue | Absent) -> bool:
    """Whether an output, or its field `answer`, is the expected answer."""
    expected = child(case.expected, "answer")
    if isinstance(output, Absent) or isinstance(expected, Absent):
        return False
    answer = child(output, "answer") if isinstance(output, dict) else output
    said = not isinstance(answer, Absent) and equal(answer, expected)
    return said or equal(output, expected)


def _repeats(context: Context, faulted: CaseEvidence, since: Since) -> bool:
    """Whether an output that says anything is that of the recording, in each turn since."""
    if not context.case.turns:
        pairs = [(context.evidence.output, faulted.output)]
    else:
        first = since.turn - 1
        before, now = context.evidence.replies[first:], faulted.replies[first:]
        if len(before) != len(now):
            return False
        pairs = list(zip(before, now, strict=True))
    return any(_says_anything(now) for _, now in pairs) and all(
        not isinstance(before, Absent) and not isinstance(now, Absent) and equal(before, now)
        for before, now in pairs
    )


def _says_anything(output: JsonValue | Absent) -> bool:
    return output is not MISSING and output is not None and output not in ("", [], {})
