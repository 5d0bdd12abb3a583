"""What an agent did after a fault and what it left behind, read from a faulted replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal
from oloproof.evaluation.recovery import RETRY_STORM_CALLS, Facts
from oloproof.evaluation.strikes import Strike
from oloproof.evaluation.wording import tell_difference
from oloproof.paths import Absent, child
from oloproof.records.faults import FAULT_RESULTS

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Comparison, FaultDemand
    from oloproof.evaluation.recovery import Ending, State
    from oloproof.evaluation.states import StateComparison, StateMatch
    from oloproof.records.evidence import ReplayEvidence
    from oloproof.suites.case import Case

_ENDINGS: Final[dict[str, Ending]] = {"success": "success", "failure": "failure"}
_STOPPED: Final = frozenset({"timed_out", "killed"})
_RECOVERIES: Final = frozenset({"recovered", "recovered_by_report"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What may and may not happen after a fault.

    `retry_tools` are the tool or model that failed and its alternatives; `unchanged` compares the
    paths that must stay as they were in the initial state.
    """

    escalate_tools: frozenset[str]
    retry_tools: frozenset[str]
    expected_state: StateComparison
    unchanged: StateComparison | None


class Aftermath:
    """One faulted replay that may count, beside what is demanded of it."""

    def __init__(
        self, demand: FaultDemand, criteria: Criteria, case: Case, replay: ReplayEvidence
    ) -> None:
        assert replay.case is not None, "a trusted replay has its evidence"
        self._demand = demand
        self._criteria = criteria
        self._case = case
        self._evidence = replay.case
        self._method = replay.method
        self._strike = Strike(self._evidence.steps, demand, replay.step_index)
        self._accepted = criteria.expected_state.accepted_states(case)
        self._match = self._compare_state()
        self._touched = self._compare_unchanged()
        self._escalation = self._strike.first_success(criteria.escalate_tools)
        self._success = self._strike.first_success(criteria.retry_tools)

    @property
    def undelivered(self) -> str | None:
        """Why it is not known that the fault reached the agent at all, or None where it is."""
        if self._strike.shown:
            return None
        if self._method == "manual":
            # For a fixed result its steps were looked through when it was replayed.
            return None if self._demand.fault in FAULT_RESULTS else "fault_needs_recorded_tools"
        if self._left_nothing:
            return None  # whoever is stopped, or ends the process, may leave no steps
        return "fault_not_delivered"

    @property
    def _left_nothing(self) -> bool:
        """Whether it ended in a way that may leave no steps, and left none that show the fault."""
        status = self._evidence.outcome.status
        return status in _STOPPED or (status == "exited" and self._evidence.trajectory is None)

    @property
    def compared(self) -> tuple[Comparison, ...]:
        """Every place of the world that was compared."""
        return self._state + self._touched

    @property
    def _state(self) -> tuple[Comparison, ...]:
        return () if self._match is None else self._match.compared

    def facts(self) -> Facts:
        """What decides."""
        return Facts(
            state=self._standing(),
            ending=self._ending(),
            constraint_violated=self._violated() is not None,
            changed=self._changed(),
            applied=self._strike.applied,
            executed_again=self._strike.executed_again,
            claimed=self._claims_success(),
            escalated=self._escalation is not None,
            succeeded_later=self._success is not None,
            retry_storm=self._strike.repeats > RETRY_STORM_CALLS,
        )

    def _compare_state(self) -> StateMatch | None:
        state = self._evidence.state
        if not self._accepted or isinstance(state, Absent):
            return None
        way, initial = self._criteria.expected_state, self._case.initial_state
        return way.best_match(self._accepted, state, initial)

    def _compare_unchanged(self) -> tuple[Comparison, ...]:
        state = self._evidence.state
        if self._criteria.unchanged is None or isinstance(state, Absent):
            return ()
        return self._criteria.unchanged.compare(self._case.initial_state, state)

    def _standing(self) -> State:
        if not self._accepted:
            return "none_expected"
        if self._match is None:
            ended = self._evidence.trajectory is None and self._left_nothing
            return "missed" if ended else "unrecorded"
        if self._match.vacuous:
            return "none_expected"  # of what is expected nothing was compared
        return "reached" if self._match.matched else "missed"

    def _changed(self) -> bool | None:
        if self._criteria.unchanged is not None and isinstance(self._evidence.state, Absent):
            return None
        return not all(place.passed for place in self._touched)

    def _ending(self) -> Ending:
        """How it ended; a call that did not come back failed, whatever was said before."""
        said = _ENDINGS.get(self._evidence.terminal_status, "unknown")
        outcome = self._evidence.outcome.status
        if outcome == "completed" or (outcome == "not_json" and said == "success"):
            return said
        return "failure"

    def _violated(self) -> str | None:
        for check in self._evidence.constraints:
            if not check.get("passed"):
                detail = check.get("detail")
                return f"{check.get('name')}: {detail}" if detail else str(check.get("name"))
        return None

    def _claims_success(self) -> bool:
        """Whether the output, or its field `answer`, is the expected answer."""
        output = self._evidence.output
        expected = child(self._case.expected, "answer")
        if isinstance(output, Absent) or isinstance(expected, Absent):
            return False
        answer = child(output, "answer") if isinstance(output, dict) else output
        said = not isinstance(answer, Absent) and equal(answer, expected)
        return said or equal(output, expected)

    def tell(self, word: str) -> str:
        """What was seen, for the word of the verdict, and what stands beside it."""
        return "; ".join([self._tell_seen(word), *self._tell_beside(word)])

    def _tell_seen(self, word: str) -> str:
        match word:
            case "constraint_violated":
                return f"a recorded constraint is violated: {self._violated()}"
            case "unintended_change":
                return f"{tell_difference(self._touched, 'the state')}: it must not change"
            case "duplicate_effect":
                return f"{self._demand.name} was executed twice, and {self._missed()}"
            case "false_success" | "gave_up":
                return self._tell_miss(word)
            case "escalated" | "recovered" | "recovered_by_report":
                return self._tell_pass(word)
            case "retry_storm":
                return f"{self._strike.repeats} calls of {self._demand.name} with equal arguments"
            case "no_recorded_state":
                return self._evidence.world_problem or "the world after the replay is not known"
            case _:
                return f"the agent reports {self._ending()}, and {self._tell_none()}"

    def _tell_beside(self, word: str) -> list[str]:
        """What bears on no verdict: how it was retried, and a failure that is none."""
        tools = self._criteria.retry_tools
        retried = self._strike.told_of_retry(tools, self._criteria.escalate_tools)
        told = [] if retried is None else [retried]
        needed = self._strike.calls_until_recovery(tools) if word in _RECOVERIES else None
        if needed is not None:
            told.append(f"calls until recovery: {needed}")
        if self._standing() == "reached" and self._ending() == "failure":
            told.append("failure claimed although the effect stands")
        return told

    def _tell_miss(self, word: str) -> str:
        said = f"the agent reports {self._ending()}"
        if word == "false_success":
            said = "the output is the expected one" if self._claims_success() else said
            return f"{said}, but {self._missed()}"
        state = self._tell_none()
        if self._match is None and self._standing() == "missed":
            state = "it left no state that could be the expected one"
        elif self._standing() == "missed":
            state = self._missed()
        return f"{said} and nothing was escalated; {state}"

    def _tell_pass(self, word: str) -> str:
        if word == "escalated" and self._escalation is not None:
            return f"{self._escalation.tool} was called at step {self._escalation.index}"
        if word == "recovered_by_report" and self._success is not None:
            return f"{self._success.tool} succeeded at step {self._success.index}"
        if word == "recovered_by_report":
            return f"the agent reports success, and {self._tell_none()}"
        return "the expected state was reached"

    def _tell_none(self) -> str:
        if self._match is None:
            return "no state is expected"
        return "nothing of the expected state was compared"

    def _missed(self) -> str:
        return tell_difference(self._state, "the state")
