"""`fault_recovery`: when a tool fails, the agent recovers, escalates, or says so honestly."""

from __future__ import annotations

from collections.abc import Mapping  # pydantic resolves it
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, get_args

from pydantic import Field, field_validator

from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.aftermath import Aftermath, Criteria
from oloproof.evaluation.contract import (
    CaseCheck,
    EvaluatorOptions,
    FaultDemand,
    NamedPlace,
    OptionError,
    Verdict,
    missing,
    not_applicable,
)
from oloproof.evaluation.recovery import rule
from oloproof.evaluation.state_options import PathText, parse_all
from oloproof.evaluation.states import Mode, StateComparison
from oloproof.evaluation.wording import show
from oloproof.paths import parse
from oloproof.records.trajectory import FaultKind
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Setting
    from oloproof.records.evidence import FaultReplay
    from oloproof.suites.case import Case

FAULTS: Final[tuple[FaultKind, ...]] = ("error", "timeout", "malformed")
"""The faults that this version delivers."""

_EXCLUDED: Final = frozenset({"fault_target_not_called", "no_earlier_answer"})
"""Why there is no replay of a case that the check then does not speak of."""


class Options(EvaluatorOptions):
    """Which call fails and how, and what may and may not happen then.

    `fault` is one, a list (each makes its own metric) or `all`. `mode` replaces the mode of
    `state_matches` in which the expected state is compared.
    """

    tool: str = Field(min_length=1)
    fault: str | tuple[str, ...]
    occurrence: int = Field(default=1, ge=1)
    escalate_tools: tuple[str, ...] = ()
    alternative_tools: tuple[str, ...] = ()
    unchanged: tuple[PathText, ...] = ()
    mode: Mode | None = None

    not_yet: ClassVar[Mapping[str, str]] = {
        **EvaluatorOptions.not_yet,
        "duration": "this version lets the one call fail: leave `duration` out",
    }

    @field_validator("fault")
    @classmethod
    def _known(cls, given: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if given == "all":
            return given
        if not given:
            raise refuse("`fault` is empty", mend=_known_faults())
        names = (given,) if isinstance(given, str) else given
        for position, name in enumerate(names):
            place = () if isinstance(given, str) else (position,)
            if name not in FAULTS:
                raise _unknown_fault(name, place)
            if name in names[:position]:
                raise refuse(f"the fault `{name}` is given twice", mend="keep one", at=place)
        return given


def _unknown_fault(name: str, place: tuple[int, ...]) -> Exception:
    if name in get_args(FaultKind):
        return refuse(
            f"the fault `{name}` is not built into this version", mend=_known_faults(), at=place
        )
    return refuse(f"`{name}` is no fault", mend=suggest(name, FAULTS), at=place)


def _known_faults() -> str:
    return "name one or a list of " + ", ".join(f"`{name}`" for name in FAULTS) + ", or `all`"


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """One evaluator for each fault of a line."""
    comparison = setting.expected_state
    if options.mode is not None:
        try:
            comparison = comparison.in_mode(options.mode)
        except ConfigurationError as error:
            raise OptionError("mode", error.what, mend=error.mend or "") from None
    unchanged = (
        StateComparison(mode="paths", paths=parse_all(options.unchanged))
        if options.unchanged
        else None
    )
    places = tuple(
        NamedPlace(parse(text), setting.where("unchanged", position))
        for position, text in enumerate(options.unchanged)
    )
    single = isinstance(options.fault, str) and options.fault != "all"
    faults = FAULTS if options.fault == "all" else (options.fault,) if single else options.fault
    return [
        FaultRecovery(
            metric=_metric(options, str(fault), single=single),
            demand=FaultDemand(options.tool, str(fault), options.occurrence),
            criteria=Criteria(
                escalate_tools=frozenset(options.escalate_tools),
                retry_tools=frozenset({options.tool, *options.alternative_tools}),
                expected_state=comparison,
                unchanged=unchanged,
            ),
            places=places,
        )
        for fault in faults
    ]


def _metric(options: Options, fault: str, *, single: bool) -> str:
    if options.criterion is not None:
        return options.criterion if single else f"{options.criterion}_{fault}"
    call = f"_call_{options.occurrence}" if options.occurrence > 1 else ""
    return f"recovers_from_{fault}_at_{options.tool}{call}"


@dataclass(frozen=True, slots=True)
class FaultRecovery(CaseCheck):
    """The verdict on one case's replay under one fault."""

    demand: FaultDemand
    criteria: Criteria
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
        return frozenset({"answer", "state", self.criteria.expected_state.alternatives})

    def demands(self) -> tuple[FaultDemand, ...]:
        """The one replay it judges."""
        return (self.demand,)

    def check_case(self, case: Case) -> None:
        """Refuses alternatives that are no list."""
        self.criteria.expected_state.accepted_states(case)

    def evaluate(self, context: Context) -> Verdict:
        """Missing unless control and replay are trusted, else by the first line that holds."""
        replay = context.replays.get(self.demand)
        if replay is None:
            return missing("not_replayed")
        if replay.unavailable in _EXCLUDED:
            return not_applicable(replay.unavailable)
        obstacle = _obstacle(replay)
        if obstacle is not None:
            return obstacle
        assert replay.faulted is not None, "a replay without obstacle is there"
        aftermath = Aftermath(self.demand, self.criteria, context.case, replay.faulted)
        ruling = rule(aftermath.facts())
        is_missing = ruling.status == "missing"
        return Verdict(
            status=ruling.status,
            reason=ruling.word if is_missing else None,
            label=None if is_missing else ruling.word,
            detail=aftermath.tell(ruling.word),
            compared=aftermath.compared,
        )


def _obstacle(replay: FaultReplay) -> Verdict | None:
    """Why the replay may not count, or None where control and replay are trusted."""
    if replay.unavailable is not None:
        return missing(replay.unavailable)
    for name, side in (("control", replay.control), ("replay", replay.faulted)):
        if side is None:
            return missing("not_replayed", detail=f"there is no {name}")
        if side.trusted:
            continue
        if side.reason is not None:
            cause = side.case.outcome.error if side.case is not None else None
            return missing(side.reason, detail=f"the {name} failed: {cause}" if cause else None)
        found = side.divergence
        if found is not None:
            return missing(
                found.kind,
                detail=f"the {name} is not as recorded: {found.where} is {show(found.actual)}, "
                f"not {show(found.expected)}",
            )
        return missing("not_replayed", detail=f"the {name} left no evidence")
    return None
