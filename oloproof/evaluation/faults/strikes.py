"""What a fault struck, and what the agent called after it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from oloproof.evaluation.calls import calls, model_calls, most_repeated
from oloproof.records.faults import plan_of

if TYPE_CHECKING:
    from oloproof.evaluation.calls import Call
    from oloproof.evaluation.contract import FaultDemand


class Strike:
    """The call that a fault struck, None where it cannot be told, and the calls `after` it.

    Calls of models are counted where a model was struck, else those of tools alone.
    A call made before the struck one came back, as one in parallel, is none of those: its
    maker knew of no fault.
    """

    def __init__(self, steps: list[dict[str, Any]], demand: FaultDemand, step_index: int) -> None:
        made, struck = _made(steps, demand, step_index)
        since = step_index if struck is None else struck.completed_index or struck.index
        self._demand = demand
        self._made = made
        self._since = since
        self._key = None if struck is None else struck.key
        self._of_model = struck is not None and struck.of_model
        self.struck = struck
        self.after = [call for call in made if call.index > since]

    @property
    def shown(self) -> bool:
        """Whether a step says that the fault was delivered."""
        return self.struck is not None and self.struck.fault == self._demand.fault

    @property
    def applied(self) -> bool:
        """Whether the effect is there nevertheless: as was recorded, else by the kind of fault."""
        if self._of_model:
            return False
        if self.struck is not None and self.struck.fault is not None:
            return self.struck.applied
        return plan_of(self._demand.fault).applied

    @property
    def ran(self) -> bool:
        """Whether the struck call did its work: as was recorded, else by the kind of fault."""
        if self._of_model:
            return False
        if self.struck is not None and self.struck.fault is not None:
            return self.struck.applied
        return plan_of(self._demand.fault).runs > 0

    @property
    def executed_again(self) -> bool:
        """Whether the tool ran with equal arguments once more, of itself or called again."""
        if plan_of(self._demand.fault).runs > 1:
            return True
        return any(call.executed and self.is_repeat(call) for call in self.after)

    def beyond(self, recorded: list[dict[str, Any]]) -> list[Call]:
        """What was done afterwards and not in the recording, by tool and arguments.

        What is known to read does nothing, nor does a model.
        """
        left = Counter(call.key for call in calls(recorded) if call.executed)
        found = []
        for call in self._made:
            if not call.executed or call.of_model or call.reads:
                continue
            if left[call.key]:
                left[call.key] -= 1
            elif call.index > self._since:
                found.append(call)
        return found

    @property
    def had_effect(self) -> bool:
        """Whether the struck call was to change anything, for all that is known."""
        return self.struck is not None and not self._of_model and not self.struck.reads

    @property
    def repeats(self) -> int:
        """How often the tool was called afterwards with one and the same arguments."""
        return most_repeated(call for call in self.after if call.tool == self._demand.name)

    def first_success(self, tools: frozenset[str]) -> Call | None:
        """The first call of one of `tools` afterwards that came back without an error."""
        return next((call for call in self.after if call.tool in tools and call.succeeded), None)

    def told_of_retry(
        self, retry_tools: frozenset[str], escalate_tools: frozenset[str]
    ) -> str | None:
        """Whether something was looked up between fault and retry of a tool; None without one.

        The retry is the first call that repeats the struck one, else the first of the
        `retry_tools`. Something was looked up where a call of another tool, which is known to
        read, came back without an error before the retry was made. Of a call whose tool may as
        well have done something, that is said; to read again does nothing twice.
        """
        if self._of_model:
            return None  # to ask again does nothing twice
        retry = self._preferred([call for call in self.after if call.tool in retry_tools])
        if retry is None or (self.struck is not None and self.struck.reads):
            return None
        before = [
            call
            for call in self.after
            if call.succeeded and call.tool not in retry_tools and _came_back_before(call, retry)
        ]
        if any(call.reads for call in before):
            return "verified before retrying"
        unknown = [call.tool for call in before if call.tool not in escalate_tools]
        if unknown:
            return f"retried after {unknown[0]}, which is not declared `reads=True`"
        return "retried without verifying"

    def calls_until_recovery(self, retry_tools: frozenset[str]) -> int | None:
        """How many calls it took until the first that did the struck one's work, that included.

        It is the first successful call that repeats the struck one, else the first successful
        one of the `retry_tools`; None where there is none.
        """
        done = self._preferred(
            [call for call in self.after if call.tool in retry_tools and call.succeeded]
        )
        return None if done is None else self.after.index(done) + 1

    def _preferred(self, candidates: list[Call]) -> Call | None:
        repeat = next((call for call in candidates if self.is_repeat(call)), None)
        return repeat or next(iter(candidates), None)

    def is_repeat(self, call: Call) -> bool:
        """Whether it is the struck call once more."""
        return call.tool == self._demand.name and call.key == self._key


def _made(
    steps: list[dict[str, Any]], demand: FaultDemand, step_index: int
) -> tuple[list[Call], Call | None]:
    """The calls that are counted, and the struck one among them."""
    of_tools, of_models = calls(steps), model_calls(steps)
    both = sorted(of_tools + of_models, key=lambda call: call.index)
    sides = [(of_tools, of_tools), (of_models, both)]
    for candidates, counted in sides if demand.kind == "tool" else reversed(sides):
        struck = _struck(candidates, demand, step_index)
        if struck is not None:
            return counted, struck
    return of_tools, None


def _struck(made: list[Call], demand: FaultDemand, step_index: int) -> Call | None:
    """The call whose delivery was recorded, else the one that stands at the step."""
    of_name = [call for call in made if call.tool == demand.name]
    for call in of_name:
        if call.fault == demand.fault:
            return call
    for call in of_name:
        if call.index >= step_index or call.completed_index == step_index:
            return call
    return None


def _came_back_before(call: Call, retry: Call) -> bool:
    return call.completed_index is not None and call.completed_index < retry.index
