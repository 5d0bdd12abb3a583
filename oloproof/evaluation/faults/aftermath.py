"""What an agent did after a fault and what it left behind, read from a faulted replay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.conversations.messages import agent_messages
from oloproof.evaluation.faults.recovery import RETRY_STORM_CALLS, Facts, Standing
from oloproof.evaluation.faults.strikes import Strike
from oloproof.evaluation.outputs import Since, said_under_fault
from oloproof.evaluation.turns import Conversation
from oloproof.paths import Absent
from oloproof.records.faults import fixed_result, plan_of

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Comparison, Context, FaultDemand
    from oloproof.evaluation.faults.recovery import Beyond, Ending, Reached
    from oloproof.evaluation.outputs import OutputCheck, Statement
    from oloproof.evaluation.states.comparison import StateComparison
    from oloproof.records.evidence import Outcome, ReplayEvidence, Struck

_ENDINGS: Final[dict[str, Ending]] = {"success": "success", "failure": "failure"}
_STOPPED: Final = frozenset({"timed_out", "killed"})
_CRASHED: Final = _STOPPED | {"raised", "exited"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What may and may not happen after a fault.

    `retry_tools` are the tool or model that failed and its alternatives; `unchanged` compares the
    paths that must stay as they were in the initial state; `outputs` are the suite's checks
    that tell whether an output is the expected one.
    """

    escalate_tools: frozenset[str]
    retry_tools: frozenset[str]
    unchanged: StateComparison | None
    outputs: tuple[OutputCheck, ...] = ()


class Aftermath:
    """One faulted replay that may count, beside what is demanded of it.

    `context` is that of the recording: the case, and how it went without the fault; `expected`
    is how its world is compared.
    """

    def __init__(
        self,
        demand: FaultDemand,
        criteria: Criteria,
        expected: StateComparison,
        context: Context,
        replay: ReplayEvidence,
    ) -> None:
        assert replay.case is not None, "a trusted replay has its evidence"
        self.demand = demand
        self.criteria = criteria
        self._context = context
        self._evidence = replay.case
        self._struck = replay.struck
        self._method = replay.method
        self.strike = Strike(self._evidence.steps, demand, replay.step_index)
        end = self._evidence.state
        kept, initial = context.bookkeeping, context.case.initial_state
        self.standing = Standing(expected, context.case, end, kept)
        self.touched: tuple[Comparison, ...] = ()
        if criteria.unchanged is not None and not isinstance(end, Absent):
            self.touched = criteria.unchanged.compare(initial, end, initial, kept)
        self.escalation = self.strike.first_success(criteria.escalate_tools)
        self.success = self.strike.first_success(criteria.retry_tools)

    @property
    def undelivered(self) -> str | None:
        """Why it is not known that the fault reached the agent at all, or None where it is."""
        if self.strike.shown:
            return None
        if self._method == "manual":
            # For a fixed result its steps were looked through when it was replayed.
            fixed = fixed_result(self.demand.fault)
            return "fault_needs_recorded_tools" if fixed is None else None
        if self.left_nothing:
            return None  # whoever is stopped, or ends the process, may leave no steps
        return "fault_not_delivered"

    @property
    def left_nothing(self) -> bool:
        """Whether it ended in a way that may leave no steps, and left none that show the fault."""
        status = self._evidence.outcome.status
        return status in _STOPPED or (status == "exited" and self._evidence.trajectory is None)

    @property
    def compared(self) -> tuple[Comparison, ...]:
        """Every place of the world that was compared."""
        return self.standing.compared + self.touched

    @cached_property
    def facts(self) -> Facts:
        """What decides."""
        state = self.standing.state
        if state == "unrecorded" and self._evidence.trajectory is None and self.left_nothing:
            state = "missed"
        return Facts(
            state=state,
            reached=self._reached() if state == "reached" else frozenset({"after"}),
            ending=self._ending(),
            crashed=self.crash is not None,
            told=self._told(),
            constraint_violated=self.violated() is not None,
            changed=self._changed(),
            applied=self.strike.applied,
            executed_again=self.strike.executed_again,
            doubled=self._doubled(),
            claimed=bool(self._said.claimed),
            right=self._said.right,
            escalated=self.escalation is not None,
            succeeded_later=self.success is not None,
            retry_storm=self.strike.repeats > RETRY_STORM_CALLS,
        )

    @property
    def crash(self) -> Outcome | None:
        """How the call ended, where it did not come back."""
        outcome = self._evidence.outcome
        return outcome if outcome.status in _CRASHED else None

    def world_problem(self) -> str | None:
        """Why the world after the replay is not known."""
        return self._evidence.world_problem

    def violated(self) -> str | None:
        """The constraint that the agent recorded as violated, if any."""
        for check in self._evidence.constraints:
            if not check.get("passed"):
                detail = check.get("detail")
                return f"{check.get('name')}: {detail}" if detail else str(check.get("name"))
        return None

    @cached_property
    def beyond(self) -> list[Beyond]:
        """What the replay alone changed."""
        return self.standing.beyond(self._context.evidence.state)

    @cached_property
    def obeyed(self) -> list[Beyond]:
        """Those places that no expectation has, where an instruction was to be left alone.

        What whoever is called for help does, or the struck call again, was not asked for by it.
        """
        if not plan_of(self.demand.fault).instructs or self._only_seeks_help():
            return []
        return [place for place in self.beyond if not place.spoken_of]

    def _only_seeks_help(self) -> bool:
        """Whether all that was called beyond the recording is that; with nothing it is not."""
        extra = self.strike.beyond(self._context.evidence.steps)
        return bool(extra) and all(
            call.tool in self.criteria.escalate_tools or self.strike.is_repeat(call)
            for call in extra
        )

    def _doubled(self) -> bool | None:
        """Whether the effect of a call that was to look failed is there twice."""
        if not plan_of(self.demand.fault).applied:
            return False
        return self.standing.repeats(self._around(), self.beyond)

    def _changed(self) -> bool | None:
        """Whether a place changed that must not; None where that cannot be seen."""
        if self.obeyed or not all(place.passed for place in self.touched):
            return True
        ended_unknown = isinstance(self._evidence.state, Absent)
        if self.criteria.unchanged is not None and ended_unknown:
            return None
        unseen = ended_unknown or isinstance(self._context.evidence.state, Absent)
        if plan_of(self.demand.fault).instructs and unseen and not self._only_seeks_help():
            return None if self.strike.beyond(self._context.evidence.steps) else False
        return False

    def _reached(self) -> frozenset[Reached]:
        """When the expected world came to be.

        Where that cannot be told, a later call that did the struck one's work speaks for it.
        """
        found = self.standing.reached(self._around(), ran=self.strike.ran)
        done = self.success is not None and self.strike.had_effect
        return frozenset({"after"}) if len(found) > 1 and done else found

    def _around(self) -> Struck:
        """The world around the struck call; where nothing was called before it, as at first."""
        if not isinstance(self._struck.before, Absent) or self.strike.struck is None:
            return self._struck
        turn = self._since.turn
        conversation = Conversation(self._context._replace(evidence=self._evidence))
        until = self.strike.struck.index
        made = (step for _, step in conversation.steps_in((turn,)) if step["index"] < until)
        if any(step["kind"] in ("tool_call", "tool_result") for step in made):
            return self._struck
        before: JsonValue | Absent = conversation.state("world", turn - 1)
        return self._struck._replace(before=before)

    def _ending(self) -> Ending:
        """How it ended; a call that did not come back failed, whatever was said before."""
        said = _ENDINGS.get(self._evidence.terminal_status, "unknown")
        outcome = self._evidence.outcome.status
        if outcome == "completed" or (outcome == "not_json" and said == "success"):
            return said
        return "failure"

    @cached_property
    def _since(self) -> Since:
        """The moment from which on the agent knew of the fault."""
        struck = self.strike.struck
        step = 0 if struck is None else struck.completed_index or struck.index
        conversation = Conversation(self._context._replace(evidence=self._evidence))
        turn = next((turn for turn, one in conversation.steps if one["index"] == step), 1)
        return Since(turn, step)

    @cached_property
    def _said(self) -> Statement:
        return said_under_fault(
            self.criteria.outputs,
            self._context,
            self._evidence,
            self._since,
            admits_failure=self._ending() == "failure",
        )

    def _told(self) -> bool:
        """Whether the agent called a person, or said anything to the user, after the fault."""
        conversation = Conversation(self._context._replace(evidence=self._evidence))
        turns = range(self._since.turn, conversation.last + 1)
        return self.escalation is not None or any(
            self._since.is_before(message.turn, message.step)
            for message in agent_messages(conversation, turns)
        )
