"""Checks of what happened to a state between two turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from oloproof.evaluation.comparing.differences import explain, leaves
from oloproof.evaluation.contract import Verdict
from oloproof.evaluation.states.snapshots import (
    NO_STATE_BEFORE,
    SnapshotOptions,
    StateCheck,
    combine,
    counted_or_why,
)
from oloproof.evaluation.turns import Conversation, Of, turns_of
from oloproof.records.case import refuse_case
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context
    from oloproof.records.case import Case
    from oloproof.records.report import Change


class SpanOptions(SnapshotOptions):
    """The fields of a check between two turns; without `since` the first is the turn before."""

    since: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _in_order(self) -> SpanOptions:
        for name in ("turn", "until"):
            last = getattr(self, name)
            if self.since is not None and last is not None and last <= self.since:
                raise refuse(
                    f"turn {last} does not come after turn {self.since}",
                    fix=f"make `{name}` larger than `since`",
                    at=(name,),
                )
        if self.since == 0 and self.of == "active":
            raise refuse(
                "the working state before the first message is not known",
                fix="count from a turn: `since: 1`",
                at=("since",),
            )
        return self


@dataclass(frozen=True, slots=True)
class Span:
    """What was there after the turn `since`, and what is after `turn`."""

    conversation: Conversation
    of: Of
    since: int
    turn: int
    before: JsonValue
    after: JsonValue

    @property
    def began(self) -> str:
        """When it began, to say what was there then."""
        return f"after turn {self.since}" if self.since else "in the beginning"


@dataclass(frozen=True, slots=True)
class SpanCheck(StateCheck):
    """What checks between two turns begin with."""

    since: int | None

    def check_case(self, case: Case) -> None:
        """Refuses a turn that the case does not have, and one that no other comes after."""
        StateCheck.check_case(self, case)
        if self.since is not None and self.since >= turns_of(case):
            raise refuse_case(
                case,
                f"`{self.metric}` compares with turn {self.since}, "
                f"and nothing comes after it in case `{case.id}`",
                fix="name an earlier turn in `since`, or say with `cases` whom the check is for",
            )

    def judge_spans(self, context: Context, judge: Callable[[Span], Verdict]) -> Verdict:
        """The verdict of the spans up to each selected turn."""
        conversation = Conversation(context)
        first = 1 if self.since is None else self.since + 1
        turns = [turn for turn in self.selector.turns(conversation.last) if turn >= first]
        verdicts = [(turn, self._judge_span(conversation, turn, judge)) for turn in turns]
        if len(verdicts) > 1 and verdicts[0][1] is NO_STATE_BEFORE:
            del verdicts[0]
        return combine(conversation, verdicts)

    def _judge_span(
        self, conversation: Conversation, turn: int, judge: Callable[[Span], Verdict]
    ) -> Verdict:
        since = turn - 1 if self.since is None else self.since
        before = counted_or_why(conversation, self.of, since)
        after = counted_or_why(conversation, self.of, turn)
        for state in (after, before):
            if isinstance(state, Verdict):
                return state
        return judge(Span(conversation, self.of, since, turn, before, after))  # type: ignore[arg-type]  # states


def changes(span: Span) -> Iterator[Change]:
    """What changed, with objects and lists that came or went taken apart into their leaves."""
    for change in explain(span.before, span.after):
        if change.kind == "changed":
            yield change
            continue
        side = "before" if change.kind == "removed" else "after"
        for path, item in leaves(getattr(change, side), change.path):
            yield change.model_copy(update={"path": path, side: item})
