"""`fault_recovery`: when a tool or model fails, the agent recovers, escalates, or says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oloproof.errors import ConfigurationError
from oloproof.evaluation.comparing.differences import show, tell_difference
from oloproof.evaluation.contract import CaseCheck, NamedPlace, Verdict, missing, not_applicable
from oloproof.evaluation.faults.aftermath import Aftermath, Criteria
from oloproof.evaluation.faults.options import FaultOptions
from oloproof.evaluation.faults.recovery import Standing, rule
from oloproof.evaluation.faults.words import tell
from oloproof.evaluation.options import OptionError
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.evaluation.states.options import parse_all
from oloproof.evaluation.states.snapshots import places_of
from oloproof.evaluation.turns import TurnSelector

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, FaultDemand
    from oloproof.evaluation.setting import Setting
    from oloproof.evaluation.states.expected import ExpectedStates
    from oloproof.records.case import Case
    from oloproof.records.evidence import ReplayEvidence

_EXCLUDED: Final = frozenset(
    {"fault_target_not_called", "no_earlier_answer", "fault_not_for_models"}
)
"""Why there is no replay of a case that the check then does not speak of."""


class Options(FaultOptions):
    """Which call fails, and how; what may and may not happen then."""


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """One evaluator for each fault of a line."""
    expected = setting.expected_states
    if options.mode is not None:
        try:
            expected = expected.in_mode(options.mode)
        except ConfigurationError as error:
            raise OptionError("mode", error.what, fix=error.fix or "") from None
    unchanged = (
        StateComparison(mode="paths", paths=parse_all(options.unchanged))
        if options.unchanged
        else None
    )
    places = places_of(setting, "unchanged", options.unchanged)
    criteria = Criteria(
        escalate_tools=frozenset(options.escalate_tools),
        retry_tools=frozenset({options.target, *options.alternative_tools}),
        unchanged=unchanged,
        outputs=setting.output_checks,
    )
    return [
        FaultRecovery(options.metric(demand), demand, criteria, expected, places)
        for demand in options.demands()
    ]


@dataclass(frozen=True, slots=True)
class FaultRecovery(CaseCheck):
    """The verdict on one case's replay under one fault."""

    demand: FaultDemand
    criteria: Criteria
    expected: ExpectedStates
    places: tuple[NamedPlace, ...] = ()

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The paths that must not change: one that is nowhere is unchanged everywhere."""
        return self.places

    @property
    def needs_initial_state(self) -> bool:
        """Whether there are paths that must stay as they were."""
        return self.criteria.unchanged is not None

    @property
    def expected_fields(self) -> frozenset[str]:
        """The accepted states, and the answer that may be given only where one is reached."""
        return frozenset({"answer", "state", "turns"}) | self.expected.alternatives

    def demands(self) -> tuple[FaultDemand, ...]:
        """The one replay it judges."""
        return (self.demand,)

    def check_case(self, case: Case) -> None:
        """Refuses alternatives that are no list, and a turn that the case does not have."""
        TurnSelector(turn=self.demand.turn).check_case(case, self.metric)
        self.expected.of(case).accepted_states(case)

    @property
    def named_tools(self) -> frozenset[str]:
        """What fails, its alternatives, and those that call a person."""
        return self.criteria.retry_tools | self.criteria.escalate_tools

    def evaluate(self, context: Context) -> Verdict:
        """Missing unless control and replay are trusted, else by the first line that holds."""
        replay = context.replays.get(self.demand)
        if replay is None:
            return missing("not_replayed")
        if replay.unavailable is not None:
            return _without_replay(replay.unavailable)
        expected = self.expected.of(context.case)
        obstacle = (
            _distrust("control", replay.control)
            or _distrust("replay", replay.faulted)
            or _failure_without_fault(expected, context)
        )
        if obstacle is not None:
            return obstacle
        assert replay.faulted is not None, "a replay without obstacle is there"
        aftermath = Aftermath(self.demand, self.criteria, expected, context, replay.faulted)
        if aftermath.undelivered is not None:
            return missing(aftermath.undelivered, detail="no step of the replay shows the fault")
        ruling = rule(aftermath.facts)
        is_missing = ruling.status == "missing"
        return Verdict(
            status=ruling.status,
            reason=ruling.word if is_missing else None,
            label=None if is_missing else ruling.word,
            detail=tell(aftermath, ruling),
            compared=aftermath.compared,
        )


def _failure_without_fault(expected: StateComparison, context: Context) -> Verdict | None:
    """That the case misses the expected state already as it was recorded, else None.

    Nothing that it does under a fault could then be told from what it does anyway.
    """
    recorded = Standing(expected, context.case, context.evidence.state, context.bookkeeping)
    if recorded.state != "missed":
        return None
    return not_applicable(
        "fails_without_fault",
        detail=f"without the fault {tell_difference(recorded.compared, 'the state')}",
        compared=recorded.compared,
    )


def _without_replay(reason: str) -> Verdict:
    return not_applicable(reason) if reason in _EXCLUDED else missing(reason)


def _distrust(name: str, side: ReplayEvidence | None) -> Verdict | None:
    """Why a control or a replay may not count, or None where it is trusted."""
    if side is None:
        return missing("not_replayed", detail=f"there is no {name}")
    if side.trusted:
        return None
    if side.reason is not None:
        cause = side.case.outcome.error if side.case is not None else None
        return _without_replay(side.reason)._replace(
            detail=f"the {name} failed: {cause}" if cause else None
        )
    found = side.divergence
    if found is not None:
        told = f"{found.where} is {show(found.actual)}, not {show(found.expected)}"
        if found.kind == "changed_state":
            told += "; what a sandbox writes by itself is declared in `system.ignore`"
        return missing(found.kind, detail=f"the {name} is not as recorded: {told}")
    return missing("not_replayed", detail=f"the {name} left no evidence")
